import { CryptoError } from '../crypto/crypto-error.ts';
import { parseTotpSecret, totp } from '../crypto/totp.ts';
import { Problem } from '../base/problem.ts';

export interface OneTimeCode {
  readonly code: string;
  /** seconds until the next code */
  readonly remainingSeconds: number;
  readonly period: number;
}

/**
 * Computes the one-time code of a secret in this process. A watched code is needed every second, and the secret has been read anyway.
 *
 * @throws Problem invalid TOTP_SECRET_INVALID, which does not repeat the secret
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
