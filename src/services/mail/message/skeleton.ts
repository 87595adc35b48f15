import { wholeNumber } from '../../../base/whole-number.ts';
import type { Piece } from './segments.ts';

/**
 * A skeleton is a message whose segments are left out: in the place of each one there is one line of base64 that decodes to a text with a
 * number that nobody could know (32 hex digits), and the index of the segment.
 */

/** A multiple of 3, so that all placeholders of a message begin with the same base64. */
const PREFIX_BYTES = 33;
const INDEX_DIGITS = 9;
const PREFIX_CHARACTERS = (PREFIX_BYTES / 3) * 4;
const PLACEHOLDER_CHARACTERS = ((PREFIX_BYTES + INDEX_DIGITS) / 3) * 4;

/** @param nonce 32 hex digits, random and new for each message. @returns much less than the message, where it has large attachments */
export function skeletonOf(pieces: readonly Piece[], nonce: string): Buffer {
  return Buffer.concat(pieces.map((piece) => ('octets' in piece ? piece.octets : placeholder(piece.segment, nonce))));
}

function placeholder(index: number, nonce: string): Buffer {
  return Buffer.from(Buffer.from(`${prefixOf(nonce)}${String(index).padStart(INDEX_DIGITS, '0')}`).toString('base64'));
}

function prefixOf(nonce: string): string {
  return `${nonce}.`;
}

/** @returns the index of the segment, if this decoded content is the placeholder of one */
export function segmentIn(decoded: Buffer, nonce: string): number | undefined {
  if (decoded.length !== PREFIX_BYTES + INDEX_DIGITS) return undefined;
  const text = decoded.toString('latin1');
  return text.startsWith(prefixOf(nonce)) ? wholeNumber(text.slice(PREFIX_BYTES)) : undefined;
}

/** The pieces of a part of a skeleton: the other way round. */
export function piecesIn(octets: Buffer, nonce: string): Piece[] {
  const prefix = Buffer.from(prefixOf(nonce)).toString('base64');
  const pieces: Piece[] = [];
  let handled = 0;
  for (let at = octets.indexOf(prefix); at !== -1; at = octets.indexOf(prefix, at + PREFIX_CHARACTERS)) {
    const decoded = Buffer.from(octets.toString('latin1', at, at + PLACEHOLDER_CHARACTERS), 'base64');
    const segment = segmentIn(decoded, nonce);
    if (segment === undefined) continue;
    if (at > handled) pieces.push({ octets: octets.subarray(handled, at) });
    pieces.push({ segment });
    handled = at + PLACEHOLDER_CHARACTERS;
  }
  if (handled < octets.length) pieces.push({ octets: octets.subarray(handled) });
  return pieces;
}
