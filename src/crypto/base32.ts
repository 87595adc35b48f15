import { base32, base32nopad } from '@scure/base';
import { CryptoError } from './crypto-error.ts';

/** Of RFC 4648, without padding. */
export function toBase32(bytes: Uint8Array): string {
  return base32nopad.encode(bytes);
}

/**
 * Base 32 (RFC 4648) as people write it: lower case, spaces, dashes, padding or none, and whatever is left in the last group are fine.
 *
 * @throws CryptoError for any other character, and for nothing at all
 */
export function fromBase32(text: string): Uint8Array {
  const digits = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '');
  // Before there are upper cases alone: that of ß is SS.
  if (!/^[A-Z2-7]*$/i.test(digits)) throw new CryptoError('is not base 32');
  const length = Math.floor((digits.length * 5) / 8);
  // Whole groups of eight, which have no bits left; A is zero.
  const whole = digits.padEnd(Math.ceil(digits.length / 8) * 8, 'A').toUpperCase();
  if (length === 0) throw new CryptoError('is empty');
  return base32.decode(whole).slice(0, length);
}
