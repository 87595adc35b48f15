/** What a line is: `full` may be followed by another one, `last` has padding, `other` isn't canonical base64. */
export type LineKind = 'full' | 'last' | 'other';

const EQUALS = 61;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Int8Array(256).fill(-1);
for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value;

/** Canonical: decoded and encoded again, it is the same. An empty line isn't. The line ends before `end`, without its CRLF. */
export function lineKind(octets: Uint8Array, start: number, end: number): LineKind {
  const length = end - start;
  if (length <= 0 || length % 4 !== 0) return 'other';
  const padding = octets[end - 1] !== EQUALS ? 0 : octets[end - 2] === EQUALS ? 2 : 1;
  for (let at = start; at < end - padding; at += 1) if (valueAt(octets, at) < 0) return 'other';
  if (padding === 0) return 'full';
  // The bits that no byte takes must be zero: 2 with one sign of padding, 4 with two.
  const unused = padding === 1 ? 0b11 : 0b1111;
  return (valueAt(octets, end - padding - 1) & unused) === 0 ? 'last' : 'other';
}

function valueAt(octets: Uint8Array, at: number): number {
  return values[octets[at] ?? 0] ?? -1;
}

/** How many bytes canonical lines of this width decode to. There is no CRLF after the last one. */
export function decodedSize(lines: Uint8Array, width: number): number {
  const count = Math.ceil((lines.length + 2) / (width + 2));
  const characters = lines.length - 2 * (count - 1);
  const padding = lines.at(-1) !== EQUALS ? 0 : lines.at(-2) === EQUALS ? 2 : 1;
  return (characters / 4) * 3 - padding;
}
