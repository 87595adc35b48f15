import { passesCheckDigit } from '../crypto/check-digit.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { parseTotpSecret } from '../crypto/totp.ts';

/**
 * Explains why a secret that a person typed cannot be valid. Otherwise the mistake would appear only when the secret is needed. The message
 * does not contain the secret.
 *
 * @param property the property of the entry that holds the secret
 * @returns undefined if the secret is possible, or cannot be checked
 */
export function impossibleSecret(property: string, value: string): string | undefined {
  if (value === '') return undefined;
  if (property === 'cardNumber' && !passesCheckDigit(value))
    return 'Its check digit does not match: a digit is wrong or missing';
  return property === 'totpSecret' && !makesCodes(value)
    ? 'It is not a one-time code secret: it must be base 32, an otpauth://totp address or steam:// with base 32'
    : undefined;
}

function makesCodes(secret: string): boolean {
  try {
    parseTotpSecret(secret);
    return true;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}
