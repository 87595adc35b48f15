import { CryptoError } from './crypto-error.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Base 32 (RFC 4648) as people write it: lower case, spaces, dashes and padding are fine.
 *
 * @throws CryptoError for any other character, and for nothing at all
 */
export function fromBase32(text: string): Uint8Array {
  const digits = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const digit of digits) {
    const value = alphabet.indexOf(digit);
    if (value < 0) throw new CryptoError('is not base 32');
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (buffer >> bits) & 0xff;
    at += 1;
  }
  if (bytes.length === 0) throw new CryptoError('is empty');
  return bytes;
}
