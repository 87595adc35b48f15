import { fieldProblem } from '../../base/problem.ts';

/** @throws Problem invalid VALIDATION_ERROR if the text isn't base64 (RFC 4648, section 4; line ends and missing padding are allowed) */
export function fromBase64(field: string, text: string): Uint8Array {
  const bare = (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text).replace(/={1,2}$/, '');
  const bytes = Buffer.from(bare, 'base64');
  if (!isWhole(bare, bytes)) throw fieldProblem(field, 'must be base 64');
  return bytes;
}

/**
 * Node's decoder is lenient: it skips unknown characters (so bytes are missing), accepts the URL alphabet, and drops the rest of an
 * incomplete last group. Encoding the bytes again and comparing would find this too, but it takes two more copies of a file.
 */
function isWhole(bare: string, bytes: Uint8Array): boolean {
  if (bare.length % 4 === 1 || bytes.length !== Math.floor((bare.length * 3) / 4)) return false;
  // For a character beyond ASCII, Node may look only at its low eight bits.
  if (Buffer.byteLength(bare) !== bare.length || bare.includes('-') || bare.includes('_')) return false;
  const last = bare.slice(bare.length - (bare.length % 4 || 4));
  return Buffer.from(last, 'base64').toString('base64').replace(/=*$/, '') === last;
}

/** Encodes without copying the bytes, which may be a whole file. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The number of characters that `toBase64` makes of that many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
