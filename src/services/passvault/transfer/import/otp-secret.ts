import { CryptoError } from '../../../../crypto/crypto-error.ts';
import { parseTotpSecret } from '../../../../crypto/totp.ts';

/** Whether codes can be made from the secret: base32 (spaces, dashes and lower case are allowed), an otpauth URI, or Steam's. */
export function usableTotpSecret(text: string): boolean {
  try {
    parseTotpSecret(text);
    return true;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

export interface OtpParameters {
  /** base 32 */
  readonly secret: string;
  readonly algorithm?: string | undefined;
  readonly digits?: string | undefined;
  readonly period?: string | undefined;
}

/** The bare secret if all parameters are the defaults (SHA-1, 6 digits, 30 s), otherwise an otpauth URI. */
export function totpSecretOf({ secret, algorithm, digits, period }: OtpParameters): string {
  const extras = new URLSearchParams();
  const hash = algorithm
    ?.toUpperCase()
    .replace(/^HMAC-?/, '')
    .replace(/^SHA-?/, 'SHA');
  if (hash && hash !== 'SHA1') extras.set('algorithm', hash);
  if (digits && digits !== '6') extras.set('digits', digits);
  if (period && period !== '30') extras.set('period', period);
  if (extras.size === 0) return secret;
  return `otpauth://totp/?secret=${encodeURIComponent(secret.replaceAll(/[\s=-]/g, ''))}&${extras.toString()}`;
}
