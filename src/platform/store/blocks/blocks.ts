import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { statfs, type FileHandle } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { createHasher } from './block-hash.ts';
import { readBlock, type BlockReader } from './block-reader.ts';
import { createBlockThreads } from './block-threads.ts';
import { sealFile, type Sealing } from './seal-file.ts';
import { openIncoming, type IncomingBlock } from './incoming.ts';
import { nodeFiles, type StoreFiles } from '../files.ts';
import { asStoreFull } from '../full-disk.ts';
import { syncFolder } from '../pending-restore.ts';

export interface BlockInfo {
  /** SHA3-512 of the content, 128 hexadecimal digits */
  readonly id: string;
  readonly size: number;
  /** milliseconds since 1970 */
  readonly storedAt: number;
}

/** Stores content under its hash. The content is already encrypted and never changes. A malformed id counts as a missing block. */
export interface BlockStore {
  /**
   * Resolves when the content is on disk.
   * @param announce called with the id as soon as it is known, before the block exists
   * @param sealing if the content is not encrypted yet: the block is this message of it
   * @throws Problem unavailable STORE_FULL
   */
  put(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    announce?: (id: string) => Promise<void>,
    sealing?: Sealing,
  ): Promise<{ id: string; size: number; created: boolean }>;
  /**
   * Returns the whole content after comparing it with its hash, or the bytes from `start` to before `end`, which can't be compared.
   * @throws Problem missing BLOCK_NOT_FOUND, internal BLOCK_DAMAGED, invalid BLOCK_RANGE
   */
  get(id: string, range?: { start: number; end: number }): Promise<Uint8Array>;
  /** For reading many parts, or parts that are encrypted. @throws Problem missing BLOCK_NOT_FOUND */
  open(id: string): Promise<BlockReader>;
  /**
   * Receives a block from elsewhere, and goes on where an earlier try ended. Waits while the same block is being received.
   * @throws Problem missing BLOCK_NOT_FOUND when the id is malformed, unavailable STORE_FULL
   */
  receive(id: string): Promise<IncomingBlock>;
  head(id: string): Promise<BlockInfo | undefined>;
  /** @returns whether the block existed */
  delete(id: string): Promise<boolean>;
  /** Lists blocks in the order of ids. @param after the last id of the page before */
  list(after?: string): AsyncIterable<BlockInfo>;
  stat(): Promise<{ blocks: number; bytes: number }>;
  /** bytes that the disk has left for blocks */
  space(): Promise<number>;
  /** Whether the content matches its hash. @throws Problem missing BLOCK_NOT_FOUND */
  verify(id: string): Promise<boolean>;
}

const idPattern = /^[0-9a-f]{128}$/;
const folderPattern = /^[0-9a-f]{2}$/;
const pieceBytes = 256 * 1024;
/** No upload takes this long: an older file was left by a process that died, or of what nobody receives any more. */
const abandonedMs = 24 * 60 * 60 * 1000;
const sweepMs = 60 * 60 * 1000;

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function notFound(): Problem {
  return new Problem('missing', 'BLOCK_NOT_FOUND', 'There is no block with this id');
}

function damaged(): Problem {
  return new Problem(
    'internal',
    'BLOCK_DAMAGED',
    'A block of the store is damaged. Restore it from a backup: conclave admin store restore',
  );
}

async function namesIn({ readdir }: StoreFiles, folder: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => pattern.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done)).bytesWritten;
}

/** As `Promise.all`, but waits for all of them when one fails. */
async function allSettled(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += pieceBytes) yield content.subarray(start, start + pieceBytes);
}

/** A link in the place of a block is followed nowhere, and a pipe keeps nobody waiting. Windows has neither flag. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Stores blocks as files: `blocks/ab/cd/<id>` after the first bytes of the id; `blocks/tmp` holds blocks that are being written.
 *
 * @param startJob of the threads that hash and encrypt, which several stores may share; default: threads of its own
 */
export function openBlocks(
  dataDir: string,
  files: StoreFiles = nodeFiles,
  startJob = createBlockThreads(availableParallelism()),
): BlockStore {
  const { lstat, mkdir, open, readdir, rename, rm, stat, unlink } = files;
  const root = join(dataDir, 'blocks');
  const temporary = join(root, 'tmp');
  const startHash = createHasher(startJob);
  /** folders whose names were flushed */
  const named = new Set<string>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** blocks that are being received; each promise resolves when that has ended */
  const receiving = new Map<string, Promise<void>>();

  function pathOf(id: string): string {
    if (!idPattern.test(id)) throw notFound();
    return join(root, id.slice(0, 2), id.slice(2, 4), id);
  }

  async function prepareTemporary(): Promise<void> {
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    if (Date.now() - sweptAt < sweepMs) return;
    sweptAt = Date.now();
    for (const name of await readdir(temporary)) {
      const path = join(temporary, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true });
    }
  }

  async function head(id: string): Promise<BlockInfo | undefined> {
    if (!idPattern.test(id)) return undefined;
    try {
      const found = await lstat(pathOf(id));
      if (!found.isFile()) return undefined;
      const { size, mtimeMs } = found;
      return { id, size, storedAt: Math.floor(mtimeMs) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** @returns the hash of what was written */
  async function hashTo(file: FileHandle, content: AsyncIterable<Uint8Array>): Promise<{ id: string; size: number }> {
    const hash = startHash();
    let size = 0;
    try {
      for await (const bytes of content) {
        size += bytes.length;
        // Both run at the same time: a thread computes the hash while the disk writes.
        await allSettled([hash.update(bytes), writeAll(file, bytes)]);
      }
      return { id: await hash.digest(), size };
    } finally {
      hash.close();
    }
  }

  async function sealTo(
    file: FileHandle,
    content: AsyncIterable<Uint8Array>,
    sealing: Sealing,
  ): Promise<{ id: string; size: number }> {
    const job = startJob();
    try {
      const { checksums, ...block } = await sealFile(file, content, sealing, job);
      sealing.accept(checksums);
      return block;
    } finally {
      job.close();
    }
  }

  /** @param announce is called while the disk flushes */
  async function write(
    path: string,
    content: AsyncIterable<Uint8Array>,
    announce: ((id: string) => Promise<void>) | undefined,
    sealing: Sealing | undefined,
  ): Promise<{ id: string; size: number }> {
    const file = await open(path, 'wx', 0o600);
    try {
      const block = await (sealing === undefined ? hashTo(file, content) : sealTo(file, content, sealing));
      // Neither is left running when the other one fails.
      await allSettled([Promise.resolve(announce?.(block.id)), file.datasync()]);
      return block;
    } finally {
      await file.close();
    }
  }

  /** Flushes a folder's own name, once in this process. The process that made the folder may have died, or may not have flushed it yet. */
  async function nameFolder(folder: string): Promise<void> {
    if (named.has(folder)) return;
    await syncFolder(dirname(folder), files);
    named.add(folder);
  }

  async function moveInto(path: string, from: string): Promise<void> {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(from, path);
    await nameBlock(folder);
  }

  async function nameBlock(folder: string): Promise<void> {
    await allSettled([syncFolder(folder, files), ...[folder, dirname(folder), root].map(nameFolder)]);
  }

  async function receive(id: string): Promise<IncomingBlock> {
    pathOf(id);
    while (receiving.has(id)) await receiving.get(id);
    let release = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      release = () => {
        receiving.delete(id);
        resolve();
      };
    });
    receiving.set(id, over);
    try {
      await prepareTemporary();
      const moveIntoPlace = async (block: string, from: string): Promise<void> => await moveInto(pathOf(block), from);
      return await openIncoming(id, { files, folder: temporary, startHash, writeAll, moveIntoPlace }, release);
    } catch (error) {
      release();
      throw asStoreFull(error);
    }
  }

  async function hashOf(id: string): Promise<string> {
    await using block = await openBlock(id);
    const hash = startHash();
    try {
      for (let start = 0; start < block.size; start += pieceBytes)
        await hash.update(await block.read({ start, end: Math.min(block.size, start + pieceBytes) }));
    } catch (error) {
      hash.close();
      throw error;
    }
    return await hash.digest();
  }

  async function openBlock(id: string): Promise<BlockReader> {
    try {
      return await readBlock(await open(pathOf(id), OPEN_FLAGS), startJob(), damaged);
    } catch (error) {
      if (isMissing(error)) throw notFound();
      throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? damaged() : error;
    }
  }

  async function* list(after = ''): AsyncGenerator<BlockInfo> {
    for (const first of await namesIn(files, root, folderPattern)) {
      if (first < after.slice(0, 2)) continue;
      for (const second of await namesIn(files, join(root, first), folderPattern)) {
        if (first + second < after.slice(0, 4)) continue;
        for (const id of await namesIn(files, join(root, first, second), idPattern)) {
          const info = id > after ? await head(id) : undefined;
          if (info) yield info;
        }
      }
    }
  }

  return {
    async put(content, announce, sealing) {
      try {
        await prepareTemporary();
        const path = join(temporary, randomBytes(16).toString('hex'));
        try {
          const { id, size } = await write(
            path,
            content instanceof Uint8Array ? once(content) : content,
            announce,
            sealing,
          );
          const existing = await head(id);
          // A block of another size is damaged; the new file replaces it.
          if (existing?.size === size) {
            // Whoever stored it may not have flushed its name, or may have failed to.
            await nameBlock(dirname(pathOf(id)));
            return { id, size, created: false };
          }
          await moveInto(pathOf(id), path);
          return { id, size, created: true };
        } finally {
          await rm(path, { force: true });
        }
      } catch (error) {
        throw asStoreFull(error);
      }
    },
    async get(id, range) {
      await using block = await openBlock(id);
      const content = await block.read(range ?? { start: 0, end: block.size });
      if (range) return content;
      const hash = startHash();
      // The content is hashed in pieces because the thread gets a copy of each.
      for await (const piece of once(content)) await hash.update(piece);
      if ((await hash.digest()) !== id) throw damaged();
      return content;
    },
    open: openBlock,
    receive,
    head,
    async delete(id) {
      if (!idPattern.test(id)) return false;
      try {
        await unlink(pathOf(id));
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
      await syncFolder(dirname(pathOf(id)), files);
      return true;
    },
    list,
    async stat() {
      let blocks = 0;
      let bytes = 0;
      for await (const { size } of list()) {
        blocks += 1;
        bytes += size;
      }
      return { blocks, bytes };
    },
    async space() {
      const { bavail, bsize } = await statfs(dataDir);
      return bavail * bsize;
    },
    async verify(id) {
      return (await hashOf(id)) === id;
    },
  };
}
