import { concat, uint32, utf8, type Random } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';

/**
 * Content that is encrypted and opened piece by piece: frames of 256 KiB, each sealed under one key with its place and whether it is the
 * last. So a frame that is missing, doubled, moved or cut off is noticed, and a part of the content can be read by itself.
 */
export const FRAME_BYTES = 256 * 1024;
/** form 1, IV 16, tag 16; see `sealWithKey` */
const FRAME_OVERHEAD = 33;
const PURPOSE = utf8('conclave/frame/v1\0');

/** Bytes of a content of this size after sealing. Empty content is one empty frame. */
export function sealedSize(size: number): number {
  return size + framesOf(size) * FRAME_OVERHEAD;
}

export function framesOf(size: number): number {
  return Math.max(1, Math.ceil(size / FRAME_BYTES));
}

/** Where a frame lies in the sealed content, in bytes. @param size of the plaintext */
export function framePlace(index: number, size: number): { readonly start: number; readonly end: number } {
  const start = index * (FRAME_BYTES + FRAME_OVERHEAD);
  const plain = Math.min(FRAME_BYTES, size - index * FRAME_BYTES);
  return { start, end: start + Math.max(0, plain) + FRAME_OVERHEAD };
}

/**
 * @param key 32 bytes, of this content alone
 * @param plaintext at most 256 KiB
 */
export function sealFrame(
  key: Uint8Array,
  { index, last }: { readonly index: number; readonly last: boolean },
  plaintext: Uint8Array,
  random: Random,
): Uint8Array {
  return sealWithKey(key, plaintext, placeOf(index, last), random);
}

/** @throws CryptoError when it is damaged, or another frame, or of another content */
export function openFrame(
  key: Uint8Array,
  { index, last }: { readonly index: number; readonly last: boolean },
  sealed: Uint8Array,
): Uint8Array {
  if (sealed.length > FRAME_BYTES + FRAME_OVERHEAD) throw new CryptoError('the frame is too long');
  return openWithKey(key, sealed, placeOf(index, last));
}

function placeOf(index: number, last: boolean): Uint8Array {
  return concat(PURPOSE, uint32(index), Uint8Array.of(last ? 1 : 0));
}

/**
 * Cuts content into pieces of exactly 256 KiB, and says of each whether it is the last. There is always one. All lie in the same memory, so
 * that a large file leaves no garbage of its size: a piece is good until the next one is asked for.
 */
export async function* intoFrames(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<{ readonly plaintext: Uint8Array; readonly index: number; readonly last: boolean }> {
  let frame = new Uint8Array();
  let bytes = 0;
  let index = 0;
  for await (const piece of content) {
    let rest = piece;
    // A full frame waits until another byte shows that it is not the last.
    while (rest.length > 0) {
      if (bytes === FRAME_BYTES) {
        yield { plaintext: frame, index, last: false };
        index += 1;
        bytes = 0;
      }
      frame = withRoom(frame, bytes, rest.length);
      const part = rest.subarray(0, frame.length - bytes);
      frame.set(part, bytes);
      bytes += part.length;
      rest = rest.subarray(part.length);
    }
  }
  yield { plaintext: frame.subarray(0, bytes), index, last: true };
}

/** A short content gets no memory of a whole frame. */
function withRoom(frame: Uint8Array<ArrayBuffer>, used: number, more: number): Uint8Array<ArrayBuffer> {
  const wanted = Math.min(FRAME_BYTES, used + more);
  if (frame.length >= wanted) return frame;
  const larger = new Uint8Array(Math.min(FRAME_BYTES, Math.max(wanted, 2 * frame.length)));
  larger.set(frame.subarray(0, used));
  return larger;
}
