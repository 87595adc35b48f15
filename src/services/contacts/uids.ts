import type { Context } from '../../service/context.ts';
import { toHex, utf8 } from '../../crypto/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';

/** UIDs of contacts that have none: UUIDs (RFC 9562) as URNs. */

export function newUid({ random }: Pick<Context, 'random'>): string {
  return uuidOf(random(16), 4);
}

/** The same one for the same text: a file of a program that writes no UIDs has no duplicates when it is imported again. */
export function uidOfText(text: string): string {
  return uuidOf(sha256(utf8(text)).subarray(0, 16), 8);
}

function uuidOf(from: Uint8Array, version: number): string {
  const bytes = Uint8Array.from(from);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return `urn:uuid:${toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;
}
