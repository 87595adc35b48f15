import type { BlockStore } from '../blocks/blocks.ts';
import type { StoreFiles } from '../files.ts';
import { damaged } from './damage.ts';
import type { Backup } from './read-backup.ts';
import type { OnProgress } from '../transfer/progress.ts';

/** Writes the database of a backup to a new file. Flushing it is for whoever lets it count. */
export async function extractDatabase(backup: Backup, file: string, { open }: StoreFiles): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let position = 0;
    for await (const piece of backup.read(backup.database)) {
      for (let done = 0; done < piece.length;) {
        const { bytesWritten } = await handle.write(piece, done, piece.length - done, position);
        done += bytesWritten;
        position += bytesWritten;
      }
    }
  } finally {
    await handle.close();
  }
}

/**
 * Adds the blocks of a backup to those that are there; a block that nothing refers to does no harm. It takes room, though.
 *
 * @param alone nobody else writes blocks there: those that were added are removed again when not all of them can be
 */
export async function extractBlocks(
  backup: Backup,
  blocks: BlockStore,
  { alone, onProgress }: { readonly alone: boolean; readonly onProgress: OnProgress },
): Promise<void> {
  const added: string[] = [];
  let done = 0;
  try {
    for (const entry of backup.blocks) {
      // Putting takes a block that is there for what it should be; a damaged one is what a backup is for.
      const found = await blocks.head(entry.id);
      if (found && !(await blocks.verify(entry.id))) await blocks.delete(entry.id);
      const { id } = await blocks.put(backup.read(entry));
      if (!found) added.push(id);
      if (id !== entry.id) throw damaged(`the block ${entry.id} is not what was written`);
      done += 1;
      onProgress({ what: 'restoring blocks', done, total: backup.blocks.length });
    }
  } catch (error) {
    if (alone) for (const id of added) await blocks.delete(id);
    throw error;
  }
}
