import { encodedLines, encodedSize, type BytesOf, type Piece, type Segment } from './segments.ts';
import { piecesIn } from './skeleton.ts';
import type { Leaf } from './structure.ts';
import { decodeTransfer } from './transfer.ts';

/** The content of a part, as it is written. */
export interface PartContent {
  readonly pieces: readonly Piece[];
  /** its Content-Transfer-Encoding, lower case */
  readonly encoding: string;
}

export function contentOf(skeleton: Buffer, { start, end, encoding }: Leaf, nonce: string): PartContent {
  const pieces = piecesIn(skeleton.subarray(start, end), nonce);
  // A blank line after the last line of base64 is no content.
  const isContent = (piece: Piece): boolean =>
    'segment' in piece || !/^\s*$/.test(asText(piece.octets.subarray(0, 100)));
  return { pieces: encoding === 'base64' && pieces.length > 1 ? pieces.filter(isContent) : pieces, encoding };
}

function asText(octets: Uint8Array): string {
  return Buffer.from(octets).toString('latin1');
}

/** @returns the segment, if the content is one and nothing else: its decoded bytes are those of the segment */
export function segmentOf({ pieces, encoding }: PartContent): number | undefined {
  const [piece] = pieces;
  return encoding === 'base64' && pieces.length === 1 && piece !== undefined && 'segment' in piece
    ? piece.segment
    : undefined;
}

/** The decoded octets of the content, without what stands in segments. */
export function octetsOf({ pieces, encoding }: PartContent): Buffer {
  return Buffer.concat(pieces.map((piece) => ('octets' in piece ? decoded(piece.octets, encoding) : Buffer.alloc(0))));
}

/** In decoded bytes. */
export function contentSize({ pieces, encoding }: PartContent, segments: readonly Segment[]): number {
  const sizeOf = (piece: Piece): number => {
    if ('octets' in piece) return decoded(piece.octets, encoding).length;
    const segment = segments[piece.segment];
    if (segment === undefined) return 0;
    return encoding === 'base64' ? segment.size : encodedSize(segment);
  };
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/**
 * The decoded bytes of a content, piece by piece. A segment is decoded if the content is base64. Elsewhere, such as in an attached message,
 * its lines are a part of the content.
 */
export async function* contentBytes(
  { pieces, encoding }: PartContent,
  segments: readonly Segment[],
  bytesOf: BytesOf,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ('octets' in piece) yield decoded(piece.octets, encoding);
    else if (encoding === 'base64') yield* bytesOf(piece.segment);
    else yield* encodedLines(segments[piece.segment]?.width ?? 76)(bytesOf(piece.segment));
  }
}

function decoded(octets: Uint8Array, encoding: string): Buffer {
  return decodeTransfer(Buffer.from(octets.buffer, octets.byteOffset, octets.length), encoding);
}
