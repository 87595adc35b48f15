import type { FileHandle } from 'node:fs/promises';
import { createHasher } from '../blocks/block-hash.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

/** The writer reads content in pieces of this size. */
export const pieceBytes = 256 * 1024;

/** Appends entries to a file that nobody else uses. */
export interface ArchiveWriter {
  /**
   * @param size bytes that `content` will have
   * @param expected SHA3-512 that the content must have, if it is known
   * @returns the SHA3-512 of the content in hex; undefined when its size or hash is not the expected one. In that case, and when `content`
   *   throws, the archive is as if this entry had never been tried.
   */
  append(
    name: string,
    size: number,
    content: AsyncIterable<Uint8Array>,
    expected?: string,
  ): Promise<string | undefined>;
  /** Writes the end of the archive, flushes it, and returns its size in bytes. */
  finish(): Promise<number>;
}

export function createArchive(file: FileHandle, now: number): ArchiveWriter {
  const seconds = Math.max(0, Math.floor(now / 1000));
  const startHash = createHasher();
  let position = 0;

  async function write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position);
      written += bytesWritten;
      position += bytesWritten;
    }
  }

  return {
    async append(name, size, content, expected) {
      const start = position;
      const hash = startHash();
      await write(tarHeader(name, size, seconds));
      const from = position;
      try {
        for await (const chunk of content) {
          // Both run at the same time: a thread computes the hash while the disk writes.
          await Promise.all([hash.update(chunk), write(chunk)]);
        }
      } catch (error) {
        position = start;
        throw error;
      }
      const found = await hash.digest();
      if (position - from !== size || (expected !== undefined && found !== expected)) {
        position = start;
        return undefined;
      }
      await write(tarPadding(size));
      return found;
    },
    async finish() {
      await write(tarEnd);
      // An entry that was taken back may have left bytes after this position.
      await file.truncate(position);
      await file.sync();
      return position;
    },
  };
}
