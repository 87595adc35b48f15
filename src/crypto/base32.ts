import { base32, base32nopad } from '@scure/base';
import { CryptoError } from './crypto-error.ts';

/** The alphabet of RFC 4648. */
export function toBase32(bytes: Uint8Array): string {
  return base32nopad.encode(bytes);
}

/**
 * Decodes base 32 (RFC 4648) as people write it. Lower case, spaces, dashes, missing padding and unused bits in the last group are allowed.
 *
 * @throws CryptoError for any other character, and for an empty text
 */
export function fromBase32(text: string): Uint8Array {
  const digits = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '');
  // This check comes before the conversion to upper case, because the upper case of ß is SS.
  if (!/^[A-Z2-7]*$/i.test(digits)) throw new CryptoError('is not base 32');
  const length = Math.floor((digits.length * 5) / 8);
  // The text is filled with A (zero) to whole groups of eight characters, which leave no bits over.
  const whole = digits.padEnd(Math.ceil(digits.length / 8) * 8, 'A').toUpperCase();
  if (length === 0) throw new CryptoError('is empty');
  return base32.decode(whole).slice(0, length);
}
