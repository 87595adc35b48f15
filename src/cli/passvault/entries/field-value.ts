import type { Entry } from '../../../contract/passvault/entry.ts';
import { Problem } from '../../../base/problem.ts';
import { fieldOf, mainFieldOf, otpField, type FieldValue } from './entry-fields.ts';

/**
 * The value of a field, or of the entry's main field if none is named. `otp` is the current one-time code.
 *
 * @throws Problem missing FIELD_NOT_FOUND, conflict AMBIGUOUS, invalid TOTP_SECRET_INVALID
 */
export async function fieldValue(entry: Entry, field: string | undefined, nowMs: number): Promise<FieldValue> {
  if (field !== undefined && isCode(field)) {
    // Loaded here, because few fields are codes, and node:crypto alone takes as long as a request.
    const { oneTimeCode } = await import('../../../client/one-time-code.ts');
    const { code } = oneTimeCode(totpSecretOf(entry), nowMs);
    return { name: otpField, value: code, secret: true };
  }
  return fieldOf(entry, field ?? mainFieldOf(entry.type));
}

/** @throws Problem missing FIELD_NOT_FOUND */
export function totpSecretOf({ title, totpSecret = '' }: Entry): string {
  if (totpSecret !== '') return totpSecret;
  const message = `${JSON.stringify(title)} has no one-time code. Add its secret with: conclave vault edit NAME 'totp-secret[prompt]'`;
  throw new Problem('missing', 'FIELD_NOT_FOUND', message);
}

function isCode(field: string): boolean {
  return [otpField, 'totp'].includes(field.toLowerCase());
}
