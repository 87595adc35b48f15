import type { FileHandle } from 'node:fs/promises';
import { createHasher } from '../blocks/block-hash.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

/** Content is read in pieces of this size. */
export const pieceBytes = 256 * 1024;

/** Appends entries to a file that it has for itself. */
export interface ArchiveWriter {
  /**
   * @param size bytes that `content` will have
   * @param expected SHA3-512 that it must have, if that is known
   * @returns its SHA3-512 in hex; undefined where size or hash turned out otherwise. Then, and when `content` throws, the archive is
   *   as if this entry had never been tried.
   */
  append(
    name: string,
    size: number,
    content: AsyncIterable<Uint8Array>,
    expected?: string,
  ): Promise<string | undefined>;
  /** Writes the end, flushes, and says how many bytes the archive has. */
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
          // At the same time: one is for a thread, the other for the disk.
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
      // What the last entry left behind, if it was taken back.
      await file.truncate(position);
      await file.sync();
      return position;
    },
  };
}
