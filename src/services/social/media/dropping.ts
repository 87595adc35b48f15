import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { freeStorageOf } from '../../../shared/members/storage.ts';
import type { SocialMediaRow } from '../../../platform/store/tables/social-media.ts';

/** Deletes media with their blocks, and gives the bytes back, in the transaction that found that nothing needs them. */
export async function dropMedia(
  tx: Context,
  rows: readonly Pick<SocialMediaRow, 'id' | 'owner_id' | 'size'>[],
): Promise<void> {
  const dropped: string[] = [];
  for (const { id } of rows) {
    const blocks = await tx.db
      .deleteFrom('social_media_blocks')
      .where('media_id', '=', id)
      .returning('block_id')
      .execute();
    await tx.db.deleteFrom('social_media').where('id', '=', id).execute();
    dropped.push(...blocks.flatMap(({ block_id: blockId }) => blockId ?? []));
  }
  await freeStorageOf(
    tx,
    rows.map(({ owner_id: memberId, size: bytes }) => ({ memberId, bytes })),
  );
  await dropBlocks(tx, dropped);
}
