import { CryptoError } from '../crypto/crypto-error.ts';
import { parseTotpSecret, totp } from '../crypto/totp.ts';
import { Problem } from '../problem.ts';

export interface OneTimeCode {
  readonly code: string;
  /** until the next one */
  readonly remainingSeconds: number;
  readonly period: number;
}

/**
 * The one-time code of a secret, made here: a code is wanted every second where one is watched, and the secret has been read anyway.
 *
 * @throws Problem invalid TOTP_SECRET_INVALID, which doesn't repeat it
 */
export function oneTimeCode(secret: string, nowMs: number): OneTimeCode {
  try {
    const parsed = parseTotpSecret(secret);
    return { ...totp(parsed, nowMs), period: parsed.period };
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw new Problem('invalid', 'TOTP_SECRET_INVALID', `The one-time code secret of this entry ${error.message}.`);
  }
}
