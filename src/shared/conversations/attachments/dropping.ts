import { transaction, type Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { dropBlocks } from '../../attachments/blocks.ts';
import { freeStorage } from '../../members/storage.ts';
import { findWaiting, noAttachment } from './upload-rows.ts';

const blocksOf = writtenQuery<{ block_id: string | null }>(
  'delete from conversation_attachment_blocks where attachment_id = $1 returning block_id',
);
const remove = writtenQuery('delete from conversation_attachments where id = $1');

/** Deletes files with their blocks, in the transaction that found that nothing needs them. The caller gives their bytes back. */
export async function dropAttachments(tx: Context, ids: readonly string[]): Promise<void> {
  const dropped: string[] = [];
  for (const id of ids) {
    const { rows } = await tx.db.executeQuery(blocksOf(id));
    await tx.db.executeQuery(remove(id));
    dropped.push(...rows.flatMap(({ block_id: blockId }) => blockId ?? []));
  }
  await dropBlocks(tx, dropped);
}

/** Deletes an own upload that waits. @throws Problem missing ATTACHMENT_NOT_FOUND */
export async function deleteUpload(ctx: Context, memberId: string, id: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await findWaiting(tx, memberId, id);
    if (row === undefined) throw noAttachment();
    await dropAttachments(tx, [id]);
    await freeStorage(tx, memberId, row.size);
  });
}
