import { CryptoError } from '../../../../crypto/crypto-error.ts';
import { parseTotpSecret } from '../../../../crypto/totp.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Whether it is a secret that codes can be made from: base 32 (spaces, dashes and lower case are fine) or an otpauth URI. */
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

/** The bare secret where all else is as usual (SHA-1, 6 digits, 30 s), an otpauth URI otherwise. */
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

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET.charAt((held << (5 - bits)) & 31) : text;
}
