import { safeParse } from 'valibot';
import type { Context } from '../../service/context.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { fieldProblem } from '../../base/problem.ts';
import { mailDomain } from '../../crypto/formats/access-list/document.ts';

/** The end of an admission, in the one format that access lists use. @throws Problem invalid VALIDATION_ERROR */
export function futureTime({ clock }: Pick<Context, 'clock'>, text: string, field = 'expiresAt'): string {
  const at = timeFrom(text);
  if (at === undefined || at <= clock.now()) throw fieldProblem(field, 'must be in the future');
  return new Date(at).toISOString();
}

/** @throws Problem invalid VALIDATION_ERROR */
export function checkMailDomain(text: string): void {
  if (!safeParse(mailDomain, text).success) throw fieldProblem('mailDomain', 'is not a domain');
}
