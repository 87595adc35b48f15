import { fieldProblem } from '../../../problem.ts';

/** @throws Problem invalid VALIDATION_ERROR for anything but base 64 (RFC 4648, section 4; line ends and missing padding are fine) */
export function fromBase64(field: string, text: string): Uint8Array {
  const bare = (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text).replace(/={1,2}$/, '');
  const bytes = Buffer.from(bare, 'base64');
  if (!isWhole(bare, bytes)) throw fieldProblem(field, 'must be base 64');
  return bytes;
}

/**
 * Node skips what it doesn't know, so that bytes are missing; takes the alphabet of URLs; and drops what is left in the last group. To
 * write the bytes out again and compare would tell as well, and would be two more copies of a file.
 */
function isWhole(bare: string, bytes: Uint8Array): boolean {
  if (bare.length % 4 === 1 || bytes.length !== Math.floor((bare.length * 3) / 4)) return false;
  // Of a character beyond ASCII, Node may look at eight bits alone.
  if (Buffer.byteLength(bare) !== bare.length || bare.includes('-') || bare.includes('_')) return false;
  const last = bare.slice(bare.length - (bare.length % 4 || 4));
  return Buffer.from(last, 'base64').toString('base64').replace(/=*$/, '') === last;
}

/** Without a copy of the bytes, which may be a file. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** How many characters `toBase64` makes of so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
