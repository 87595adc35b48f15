import { passesCheckDigit } from '../crypto/check-digit.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { parseTotpSecret } from '../crypto/totp.ts';

/**
 * What is wrong with a secret that somebody types, and that can't be: it would be found out when it is needed. Says nothing of it.
 *
 * @param property of the entry that it is for
 * @returns undefined where nothing is, or nobody can know
 */
export function impossibleSecret(property: string, value: string): string | undefined {
  if (value === '') return undefined;
  if (property === 'cardNumber' && !passesCheckDigit(value))
    return 'Its check digit does not match: a digit is wrong or missing';
  return property === 'totpSecret' && !makesCodes(value)
    ? 'It is not a one-time code secret: it must be base 32 or an otpauth://totp address'
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
