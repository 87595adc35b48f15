import type { BlockStore } from '../blocks/blocks.ts';
import type { OnProgress } from './progress.ts';

/**
 * Copies the blocks that the target lacks or holds damaged. Each block is compared with its hash during the copy.
 *
 * @throws Problem internal BLOCK_DAMAGED
 */
export async function copyBlocks(
  source: BlockStore,
  target: BlockStore,
  onProgress: OnProgress,
): Promise<{ copied: number; present: number }> {
  const total = (await source.stat()).blocks;
  let copied = 0;
  let present = 0;
  for await (const { id } of source.list()) {
    const there = (await target.head(id)) !== undefined;
    if (there && (await target.verify(id))) present += 1;
    else {
      if (there) await target.delete(id);
      await target.put(await source.get(id));
      copied += 1;
    }
    onProgress({ what: 'copying blocks', done: copied + present, total });
  }
  return { copied, present };
}
