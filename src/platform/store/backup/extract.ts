import type { BlockStore } from '../blocks/blocks.ts';
import type { StoreFiles } from '../files.ts';
import { damaged } from './damage.ts';
import type { Backup } from './read-backup.ts';
import type { OnProgress } from '../transfer/progress.ts';

/** Writes the database of a backup to a new file. The file is not flushed: the caller must do that before the file is used as the store. */
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
 * Adds the blocks of a backup to the blocks that are there. A block that nothing refers to does no harm, but it takes room.
 *
 * @param alone nobody else writes blocks there. If some blocks can't be added, the blocks that this call added are removed again
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
      // `put` trusts an existing block by its name and size; a damaged one must be replaced from the backup.
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
