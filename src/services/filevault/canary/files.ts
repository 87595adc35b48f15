import type { Context } from '../../../service/context.ts';
import { insertRows } from '../../../platform/store/written-query.ts';

/** The files whose opening has a canary go off, instead of those that it had. */
export async function watchFiles(tx: Context, canaryId: string, fileIds: readonly string[]): Promise<void> {
  await tx.db.deleteFrom('file_canary_files').where('canary_id', '=', canaryId).execute();
  const rows = [...new Set(fileIds)].map((file_id) => ({ file_id, canary_id: canaryId }));
  if (rows.length > 0) await insertRows(tx.db, 'file_canary_files', rows);
}
