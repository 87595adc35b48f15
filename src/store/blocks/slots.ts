import { CHUNK, nonceAt, type MessageKeys } from '../../crypto/chunked-encryption.ts';

/** A message of chunked encryption that is made of a content while it is stored. */
export interface Sealing {
  readonly header: Uint8Array;
  readonly keys: MessageKeys;
}

/** A part of such a message: segments, each with its tag behind it or with room for it, so that they are encrypted and opened in place. */
export interface Slots {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** where the first segment begins; before it is the header of the message */
  readonly from: number;
  readonly key: Uint8Array;
  /** of each segment 12 bytes */
  readonly nonces: Uint8Array;
  readonly segmentBytes: number;
  readonly tagBytes: number;
}

/** Segments that a thread encrypts at once, in about a millisecond. */
const SEGMENTS = 16;
const STEP = CHUNK.segmentBytes + CHUNK.tagBytes;

/** Bytes of the memory of one part. */
export const SLOTS_BYTES = CHUNK.headerBytes + SEGMENTS * STEP;

/** What a thread needs to know of segments beside their bytes. @param first index of the first one in its message */
export function slotKeys(
  keys: MessageKeys,
  { first, segments, from }: { readonly first: number; readonly segments: number; readonly from: number },
): Omit<Slots, 'bytes'> {
  const nonces = Buffer.concat(Array.from({ length: segments }, (_, at) => nonceAt(keys, first + at)));
  const { segmentBytes, tagBytes } = CHUNK;
  return { from, key: keys.key, nonces, segmentBytes, tagBytes };
}

/**
 * Lays a content out for encryption, whatever its pieces are.
 * @param memory gives `SLOTS_BYTES` bytes for a part, which the part then has for itself
 */
export async function* inSlots(
  content: AsyncIterable<Uint8Array>,
  { header, keys }: Sealing,
  memory: () => ArrayBuffer,
): AsyncGenerator<Slots> {
  let bytes = new Uint8Array(memory());
  bytes.set(header);
  let from = header.length;
  let first = 0;
  let whole = 0;
  let begun = 0;
  const part = (length: number, segments: number): Slots => ({
    bytes: bytes.subarray(0, length),
    ...slotKeys(keys, { first, segments, from }),
  });
  for await (const piece of content) {
    for (let done = 0; done < piece.length;) {
      const taken = Math.min(CHUNK.segmentBytes - begun, piece.length - done);
      bytes.set(piece.subarray(done, done + taken), from + whole * STEP + begun);
      done += taken;
      begun += taken;
      if (begun < CHUNK.segmentBytes) continue;
      whole += 1;
      begun = 0;
      if (whole < SEGMENTS) continue;
      yield part(from + whole * STEP, whole);
      bytes = new Uint8Array(memory());
      first += whole;
      from = 0;
      whole = 0;
    }
  }
  // The last segment is always shorter than the others, so there is room for it.
  yield part(from + whole * STEP + begun + CHUNK.tagBytes, whole + 1);
}
