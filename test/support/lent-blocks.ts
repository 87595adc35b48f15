import type { StoreFiles } from '../../src/platform/store/files.ts';
import { createBlockThreads, type ThreadJob } from '../../src/platform/store/blocks/block-threads.ts';
import { openBlocks, type BlockStore } from '../../src/platform/store/blocks/blocks.ts';

/** Threads of this process, which the stores of its tests share: one takes longer to start than for all the blocks of a test. */
let startJob: (() => ThreadJob) | undefined;

/** Blocks in the folder `dataDir`. */
export function lentBlocks(dataDir: string, files?: StoreFiles): BlockStore {
  startJob ??= createBlockThreads(2);
  return openBlocks(dataDir, files, startJob);
}
