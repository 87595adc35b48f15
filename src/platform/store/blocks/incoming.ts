import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreFiles } from '../files.ts';
import { asStoreFull } from '../full-disk.ts';
import type { BlockHash } from './block-hash.ts';

/** A block that comes from elsewhere, piece by piece, perhaps over several runs of the program. Its id is known before its content. */
export interface IncomingBlock extends AsyncDisposable {
  /** bytes that have arrived, now or earlier */
  readonly size: number;
  /** @throws Problem unavailable STORE_FULL */
  append(bytes: Uint8Array): Promise<void>;
  /** throws away what has arrived */
  restart(): Promise<void>;
  /**
   * Makes the content a block, if it has the hash that is the block's id; otherwise it is thrown away. What has arrived stays for the next
   * time until one of them happens.
   * @param announce called before the block exists
   * @returns whether the hash is right
   * @throws Problem unavailable STORE_FULL
   */
  finish(announce?: () => Promise<void>): Promise<boolean>;
}

export interface IncomingParts {
  readonly files: StoreFiles;
  /** the folder of content that is no block yet */
  readonly folder: string;
  readonly startHash: () => BlockHash;
  readonly writeAll: (file: FileHandle, bytes: Uint8Array) => Promise<void>;
  readonly moveIntoPlace: (id: string, from: string) => Promise<void>;
}

const pieceBytes = 256 * 1024;

/** @param release called when it is disposed of */
export async function openIncoming(id: string, parts: IncomingParts, release: () => void): Promise<IncomingBlock> {
  const { files, startHash, writeAll, moveIntoPlace } = parts;
  const path = join(parts.folder, `${id}.part`);
  let file: FileHandle | undefined = await files.open(path, 'a+', 0o600);
  let hash = startHash();
  let size = 0;

  async function close(): Promise<void> {
    await file?.close();
    file = undefined;
  }

  function opened(): FileHandle {
    if (file === undefined) throw new Error('the block is finished');
    return file;
  }

  async function discard(): Promise<void> {
    await close();
    await files.rm(path, { force: true });
  }

  /** A hash can't be stored half-way, so what arrived earlier is read again. */
  async function readEarlier(): Promise<void> {
    const buffer = new Uint8Array(pieceBytes);
    for (;;) {
      const { bytesRead } = await opened().read(buffer, 0, buffer.length, size);
      if (bytesRead === 0) return;
      await hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
  }

  try {
    await readEarlier();
  } catch (error) {
    hash.close();
    await close();
    throw error;
  }
  return {
    get size() {
      return size;
    },
    async append(bytes) {
      try {
        // Both run at the same time: a thread computes the hash while the disk writes.
        await Promise.all([hash.update(bytes), writeAll(opened(), bytes)]);
      } catch (error) {
        // Nobody knows how much of it was written, and the hash knows more than the file. What can't be cut off fails the hash later.
        await opened()
          .truncate(size)
          .catch(() => undefined);
        await close();
        throw asStoreFull(error);
      }
      size += bytes.length;
    },
    async restart() {
      await opened().truncate(0);
      hash.close();
      hash = startHash();
      size = 0;
    },
    async finish(announce) {
      if ((await hash.digest()) !== id) {
        await discard();
        return false;
      }
      try {
        await opened().datasync();
        await close();
        await announce?.();
        await moveIntoPlace(id, path);
        return true;
      } catch (error) {
        throw asStoreFull(error);
      }
    },
    async [Symbol.asyncDispose]() {
      try {
        hash.close();
        await close();
      } finally {
        release();
      }
    },
  };
}
