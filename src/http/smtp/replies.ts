import type { Log } from '../../base/log.ts';
import { Problem, type ProblemKind } from '../../base/problem.ts';

/** RFC 5321, 4.2.3. Clients try again after codes from 400 to 499. 421 closes the connection. */
const replyCodes: Readonly<Record<ProblemKind, number>> = {
  invalid: 554,
  unauthenticated: 421,
  forbidden: 553,
  missing: 550,
  conflict: 451,
  gone: 554,
  precondition: 451,
  tooLarge: 552,
  unsupported: 554,
  tooMany: 451,
  internal: 451,
  network: 451,
  unavailable: 451,
  full: 452,
};

/** An error whose code and words the SMTP library sends. */
export function replyError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** What a client hears of an error. The words of an unexpected one are in the log alone. */
export function replyTo(error: unknown, log: Log, doing: string): Error {
  if (error instanceof Error && 'responseCode' in error) return error;
  if (error instanceof Problem && error.kind !== 'internal') return replyError(replyCodes[error.kind], error.message);
  log.error('an SMTP command failed unexpectedly', { doing, error });
  return replyError(451, 'An unexpected error happened. Try again later.');
}
