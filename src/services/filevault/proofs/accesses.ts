import type { Context } from '../../../service/context.ts';

/**
 * Notes an access to a file, in the transaction that records it in the ledger. The first one counts: counts of sealed files and the proofs
 * are about the same files.
 *
 * @param entry id of the entry of the ledger
 */
export async function noteAccess(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  containerId: string,
  fileId: string,
  entry: string,
): Promise<void> {
  const noted = await db
    .insertInto('file_accesses')
    .values({ container_id: containerId, file_id: fileId, ledger_entry: entry, merged: 0 })
    .onConflict((conflict) => conflict.columns(['container_id', 'file_id']).doNothing())
    .executeTakeFirst();
  if ((noted.numInsertedOrUpdatedRows ?? 0n) === 0n) return;
  await db
    .updateTable('file_nodes')
    .set({ accessed_at: clock.now() })
    .where('id', '=', fileId)
    .where('accessed_at', 'is', null)
    .execute();
}
