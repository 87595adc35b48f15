export type RuleErrorCode =
  /** text or an object that is no rule of RFC 5545 */
  | 'INVALID_RULE'
  /** what RFC 7529 adds and is not supported */
  | 'UNSUPPORTED_RULE'
  | 'INVALID_TIME'
  | 'INVALID_DURATION'
  | 'UNKNOWN_ZONE'
  /** a rule whose instances take more work to find than one request may cause */
  | 'TOO_COMPLEX'
  | 'NOT_AN_INSTANCE';

/** What the recurrence engine refuses. Callers turn it into a Problem and say in which field it was. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly code: RuleErrorCode;

  /** @param message for people; it never repeats what was given */
  constructor(code: RuleErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answer to a question about a series, or what is said instead if finding it would take too much work. */
export function unlessTooComplex<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RuleError && error.code === 'TOO_COMPLEX') return otherwise;
    throw error;
  }
}
