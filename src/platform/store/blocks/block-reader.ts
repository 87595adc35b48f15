import type { FileHandle } from 'node:fs/promises';
import { concat } from '../../../crypto/bytes.ts';
import { CHUNK, openSegment, type MessageKeys } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { Problem } from '../../../base/problem.ts';
import type { ThreadJob } from './block-threads.ts';
import { slotKeys } from './slots.ts';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A block that is read in parts, which can't be compared with its hash. */
export interface BlockReader extends AsyncDisposable {
  /** bytes */
  readonly size: number;
  /** @throws Problem invalid BLOCK_RANGE, internal BLOCK_DAMAGED */
  read(range: ByteRange): Promise<Uint8Array>;
  /**
   * Reads and opens segments of a block that is a message of chunked encryption. Dispose of the reader when each call has ended.
   * @param first index of the first one
   * @returns their plaintext; undefined if one was changed. @throws as `read`
   */
  openSegments(keys: MessageKeys, first: number, segments: number): Promise<Uint8Array | undefined>;
}

/** So many segments are opened in place, in a tenth of a millisecond. Asking a thread takes as long, and starting it much longer. */
const INLINE_SEGMENTS = 4;
const STEP = CHUNK.segmentBytes + CHUNK.tagBytes;

/** @param file open for reading; the reader closes it */
export async function readBlock(file: FileHandle, job: ThreadJob, damaged: () => Problem): Promise<BlockReader> {
  const found = await file.stat().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (!found.isFile()) {
    await file.close();
    throw damaged();
  }
  const { size } = found;

  async function read({ start, end }: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    if (!(start >= 0 && start <= end && end <= size))
      throw new Problem('invalid', 'BLOCK_RANGE', `The block has ${size} bytes; ${start} to ${end} is no part of it`);
    // Memory of its own, because it may be transferred.
    const content = Buffer.allocUnsafeSlow(end - start);
    for (let done = 0; done < content.length;) {
      const { bytesRead } = await file.read(content, done, content.length - done, start + done);
      if (bytesRead === 0) throw damaged();
      done += bytesRead;
    }
    return new Uint8Array(content.buffer);
  }

  return {
    size,
    read,
    async openSegments(keys, first, segments) {
      const range = rangeOf(first, segments, size);
      if (segments <= INLINE_SEGMENTS) return openHere(await read(range), keys, first, segments);
      return await job.open({ fd: file.fd, ...range }, slotKeys(keys, first, segments));
    },
    async [Symbol.asyncDispose]() {
      job.close();
      await file.close();
    },
  };
}

/** The same for a small block that is not in a file. */
export function blockOf(sealed: Uint8Array): BlockReader {
  const read = ({ start, end }: ByteRange): Uint8Array => sealed.subarray(start, end);
  return {
    size: sealed.length,
    read: async (range) => read(range),
    openSegments: async (keys, first, segments) =>
      openHere(read(rangeOf(first, segments, sealed.length)), keys, first, segments),
    async [Symbol.asyncDispose]() {},
  };
}

function rangeOf(first: number, segments: number, size: number): ByteRange {
  const start = CHUNK.headerBytes + first * STEP;
  return { start, end: Math.min(size, start + segments * STEP) };
}

function openHere(sealed: Uint8Array, keys: MessageKeys, first: number, segments: number): Uint8Array | undefined {
  const opened: Uint8Array[] = [];
  for (let at = 0; at < segments; at += 1) {
    const plaintext = openSegment(keys, first + at, sealed.subarray(at * STEP, (at + 1) * STEP));
    if (plaintext === undefined) return undefined;
    opened.push(plaintext);
  }
  return concat(...opened);
}
