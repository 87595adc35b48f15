/**
 * The octets of a message, in order. What is large and base64 is a segment, which is kept decoded, elsewhere: so it is neither parsed nor
 * held in memory.
 */
export type Piece = { readonly octets: Uint8Array } | { readonly segment: number };

/**
 * Stands for base64 of its bytes, in lines separated by CRLF, without a CRLF after the last line. No bytes are no octets. It is found by
 * its index in the list of a message's segments.
 */
export interface Segment {
  /** decoded bytes */
  readonly size: number;
  /** characters of a full line, a multiple of 4, usually 76 */
  readonly width: number;
}

/** Calls for the decoded bytes of a segment, by its index. */
export type BytesOf = (segment: number) => AsyncIterable<Uint8Array>;

const CR = 13;
const LF = 10;

/** How many octets a segment stands for. */
export function encodedSize({ size, width }: Segment): number {
  const characters = Math.ceil(size / 3) * 4;
  return characters + 2 * Math.max(0, Math.ceil(characters / width) - 1);
}

/** How many octets a message has. */
export function messageSize(pieces: readonly Piece[], segments: readonly Segment[]): number {
  return pieces.reduce((sum, piece) => sum + pieceSize(piece, segments), 0);
}

function pieceSize(piece: Piece, segments: readonly Segment[]): number {
  return 'octets' in piece ? piece.octets.length : encodedSize(segmentAt(segments, piece.segment));
}

/** @throws Error for an index that no segment has: the pieces belong to another message */
function segmentAt(segments: readonly Segment[], index: number): Segment {
  const segment = segments[index];
  if (segment === undefined) throw new Error(`The message has no segment ${index}.`);
  return segment;
}

/** The exact octets of a message, piece by piece. @throws Error for a segment that isn't there, and what `bytesOf` throws */
export async function* messageOctets(
  pieces: readonly Piece[],
  segments: readonly Segment[],
  bytesOf: BytesOf,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ('octets' in piece) yield piece.octets;
    else yield* encodedLines(segmentAt(segments, piece.segment).width)(bytesOf(piece.segment));
  }
}

/** @returns what encodes bytes as a segment stands for them, in pieces about as large as those that come */
export function encodedLines(width: number): (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Buffer> {
  const lineBytes = (width / 4) * 3;
  return async function* encode(bytes) {
    let rest = Buffer.alloc(0);
    let isFirst = true;
    for await (const piece of bytes) {
      const all = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
      const whole = all.length - (all.length % lineBytes);
      rest = all.subarray(whole);
      if (whole === 0) continue;
      yield inLines(all.subarray(0, whole), width, isFirst);
      isFirst = false;
    }
    if (rest.length > 0) yield inLines(rest, width, isFirst);
  };
}

/** A CRLF stands before each line but the first, since nobody knows which one is the last. */
function inLines(bytes: Buffer, width: number, isFirst: boolean): Buffer {
  const characters = Buffer.from(bytes.toString('base64'), 'latin1');
  const lines = Math.ceil(characters.length / width);
  const octets = Buffer.allocUnsafe(characters.length + 2 * lines);
  for (let line = 0; line < lines; line += 1) {
    const at = line * (width + 2);
    octets[at] = CR;
    octets[at + 1] = LF;
    characters.copy(octets, at + 2, line * width, (line + 1) * width);
  }
  return isFirst ? octets.subarray(2) : octets;
}
