import type { Disk } from './disk.ts';

/** The header of a frame of the log: the page, and the size of the database if the frame ends a transaction. https://sqlite.org/fileformat2.html#walformat */
const frameHeader = { bytes: 24, databaseSize: 4 } as const;
const CAPACITY = 1024 ** 2;

/** Writes to the log that are not with the operating system yet. */
export interface GatheredWrites {
  /** @returns the bytes that were taken: all of them. Throws if these or earlier ones can't be written. */
  write(source: Uint8Array, at: number, size: number, position: number): number;
  /** Everything else that is done with the file comes after this. Throws if the bytes can't be written; then they are lost. */
  flush(): void;
}

/**
 * SQLite writes each page of the log with two calls, of which a transaction makes dozens. Those that follow one another go to the operating
 * system together: with the last frame of a transaction, so that its failure is one of that transaction and comes before its flush.
 */
export function gatherWrites(fd: number, disk: Pick<Disk, 'writeSync'>): GatheredWrites {
  let held: Buffer | undefined;
  let [start, length] = [0, 0];
  let endsTransaction = false;

  function flush(): void {
    const size = length;
    length = 0;
    endsTransaction = false;
    if (held !== undefined) writeAll(held, 0, size, start);
  }

  function writeAll(source: Uint8Array, at: number, size: number, position: number): void {
    for (let done = 0; done < size;) {
      const taken = disk.writeSync(fd, source, at + done, size - done, position + done);
      if (taken === 0) throw Object.assign(new Error('the disk takes nothing more'), { code: 'ENOSPC' });
      done += taken;
    }
  }

  return {
    flush,
    write(source, at, size, position) {
      const isHeader = size === frameHeader.bytes;
      const isLast = endsTransaction && !isHeader;
      if (length > 0 && (position !== start + length || length + size > CAPACITY)) flush();
      if (size > CAPACITY) {
        writeAll(source, at, size, position);
        return size;
      }
      held ??= Buffer.allocUnsafe(CAPACITY);
      held.set(source.subarray(at, at + size), length);
      if (length === 0) start = position;
      endsTransaction = isHeader && held.readUInt32BE(length + frameHeader.databaseSize) > 0;
      length += size;
      if (isLast) flush();
      return size;
    },
  };
}
