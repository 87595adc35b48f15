import type { Context } from '../../../service/context.ts';
import { useReserved } from '../containers/space.ts';

/** What is in quarantine for a file that is being destroyed counts as content of the file from now on, and goes with it. */
export async function adoptQuarantined(tx: Context, containerId: string, fileId: string): Promise<void> {
  const rows = await tx.db.deleteFrom('file_quarantine').where('file_id', '=', fileId).returning('size').execute();
  const size = rows.reduce((sum, row) => sum + row.size, 0);
  if (size === 0) return;
  await useReserved(tx, containerId, size);
}
