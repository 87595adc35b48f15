import { Problem } from '../../../base/problem.ts';
import type { BlockStore } from '../blocks/blocks.ts';
import type { OnProgress } from '../transfer/progress.ts';
import { pieceBytes, type ArchiveWriter } from './archive-writer.ts';
import { entryNames } from './manifest.ts';

export interface BlockCopy {
  /** Appends all blocks that aren't in the archive yet. */
  copyTo(archive: ArchiveWriter): Promise<void>;
  list(): string;
  readonly count: number;
  readonly bytes: number;
  readonly damaged: readonly string[];
}

export function createBlockCopy(blocks: BlockStore, onProgress: OnProgress): BlockCopy {
  const sizes = new Map<string, number>();
  const damaged = new Set<string>();
  let bytes = 0;

  async function* contentOf(id: string, size: number): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < size; start += pieceBytes)
      yield await blocks.get(id, { start, end: Math.min(size, start + pieceBytes) });
  }

  /** @returns whether the block existed; a block that was deleted meanwhile is not an error */
  async function append(archive: ArchiveWriter, id: string, size: number): Promise<boolean> {
    try {
      if ((await archive.append(entryNames.blockFolder + id, size, contentOf(id, size), id)) === undefined)
        damaged.add(id);
      return !damaged.has(id);
    } catch (error) {
      if (error instanceof Problem && error.code === 'BLOCK_NOT_FOUND') return false;
      if (!(error instanceof Problem && error.code === 'BLOCK_DAMAGED')) throw error;
      damaged.add(id);
      return false;
    }
  }

  return {
    async copyTo(archive) {
      const total = (await blocks.stat()).blocks;
      for await (const { id, size } of blocks.list()) {
        if (sizes.has(id) || damaged.has(id) || !(await append(archive, id, size))) continue;
        sizes.set(id, size);
        bytes += size;
        onProgress({ what: 'copying blocks', done: sizes.size, total });
      }
    },
    list: () => [...sizes].map(([id, size]) => `${id}  ${size}\n`).join(''),
    get count() {
      return sizes.size;
    },
    get bytes() {
      return bytes;
    },
    get damaged() {
      return [...damaged];
    },
  };
}
