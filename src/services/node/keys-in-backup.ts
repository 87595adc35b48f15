import { dirname, join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Context } from '../../service/context.ts';
import type { ErasureKeysOfBackup } from '../../platform/store/backup/write-backup.ts';
import { erasureFiles, fileInUse, lowestGeneration } from '../../platform/store/erasure.ts';
import { readErasureKeys } from '../../platform/store/erasure-keys.ts';
import { idOfSealedKeys, sealedKeysName, sealErasureKeys } from './sealed-keys.ts';

/** What became of the erasure keys; see the contract. */
export type KeysInBackup = 'written' | 'none' | 'left-out' | 'unavailable';

/** The keys as they are now. @param passphrase undefined: they are left out */
export async function keysForBackup(
  ctx: Context,
  passphrase: string | undefined,
): Promise<ErasureKeysOfBackup & { readonly outcome: KeysInBackup }> {
  const row = fileInUse(await erasureFiles(ctx.db));
  if (row === undefined) return { manifest: null, outcome: 'none' };
  const named = { id: row.id, generation: lowestGeneration(row) };
  if (passphrase === undefined) return { manifest: { ...named, written: false }, outcome: 'left-out' };
  try {
    const found = await ctx.erasure.check();
    if (found === undefined) throw new Error('the store has erasure keys');
    const keys = await readErasureKeys(found.path);
    const content = await ctx.heavy.run(async () => await sealErasureKeys(keys, passphrase, ctx.random));
    return {
      manifest: { id: keys.id, generation: keys.generation, written: true },
      file: { name: sealedKeysName, content },
      outcome: 'written',
    };
  } catch (error) {
    // A store that lost its keys has other things to keep.
    if (!(error instanceof Problem) || !error.code.startsWith('ERASURE_KEYS_')) throw error;
    ctx.log.error('the erasure keys cannot be read', { reason: error.message });
    return { manifest: { ...named, written: false }, outcome: 'unavailable' };
  }
}

/**
 * The keys beside a backup are replaced by newer ones of the same store, and by no others: they may be the only ones that open an older
 * backup.
 * @throws Problem conflict ERASURE_KEYS_OF_OTHER_STORE
 */
export async function refuseOtherKeys(ctx: Context, backup: string): Promise<void> {
  const row = fileInUse(await erasureFiles(ctx.db));
  if (row === undefined) return;
  const path = join(dirname(backup), sealedKeysName);
  const id = await idOfSealedKeys(path).catch(ifMissing);
  if (id === row.id || id === null) return;
  throw new Problem(
    'conflict',
    'ERASURE_KEYS_OF_OTHER_STORE',
    `${path} has the erasure keys of another store, or is damaged. Nothing was written. Use another folder for the backups of this store, or move that file to the backups that it belongs to.`,
  );
}

function ifMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}
