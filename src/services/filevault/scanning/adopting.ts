import type { Context } from '../../../context.ts';

/** What is in quarantine for a file that is being destroyed counts as content of the file from now on, and goes with it. */
export async function adoptQuarantined(tx: Context, containerId: string, fileId: string): Promise<void> {
  const rows = await tx.db.deleteFrom('file_quarantine').where('file_id', '=', fileId).returning('size').execute();
  const size = rows.reduce((sum, row) => sum + row.size, 0);
  if (size === 0) return;
  await tx.db
    .updateTable('file_containers')
    .set((e) => ({ reserved: e('reserved', '-', size), used: e('used', '+', size) }))
    .where('id', '=', containerId)
    .execute();
}
