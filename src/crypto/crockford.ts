import { assertLength, type Random } from './bytes.ts';

/** Crockford's base 32: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Nobody types longer codes. Longer text is not worth the work of normalising it. */
const LONGEST = 128;

/** Random digits with five bits each. @throws CryptoError */
export function randomDigits(count: number, random: Random): string {
  const bytes = random(count);
  assertLength('random bytes', bytes, count);
  // 32 characters divide 256, so five bits of each byte are unbiased.
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte & 31)).join('');
}

/** The digits as people see them, in groups with dashes between them. */
export function inGroups(digits: string, size: number): string {
  return digits.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? '';
}

/**
 * Reads digits that a person typed: in any case, dashes and spaces ignored, O read as 0, I and L as 1.
 *
 * @returns the digits in upper case; undefined if the text is not `count` digits
 */
export function readDigits(text: string, count: number): string | undefined {
  if (typeof text !== 'string' || text.length > LONGEST) return undefined;
  const digits = text
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return digits.length === count && /^[0-9A-HJKMNP-TV-Z]*$/.test(digits) ? digits : undefined;
}
