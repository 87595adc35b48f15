import type { Context } from '../../../service/context.ts';
import { sweep } from '../../../service/sweep.ts';
import { freeStorageOf } from '../../members/storage.ts';
import { dropAttachments } from './dropping.ts';

/** Rows that one transaction removes. */
const BATCH = 50;

/** Deletes uploads that no message got in time, and what is reserved for those that never arrived. */
export async function purgeAttachments(ctx: Context): Promise<void> {
  await dropUploads(ctx, undefined);
}

/** Deletes those of a member that wait for a message. */
export async function dropUploadsOf(ctx: Context, memberId: string): Promise<void> {
  await dropUploads(ctx, memberId);
}

/** @param ownerId without it, those of all whose time is over */
async function dropUploads(ctx: Context, ownerId: string | undefined): Promise<void> {
  await sweep(ctx, {
    what: 'removing an attachment',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const waiting = tx.db
        .selectFrom('conversation_attachments')
        .select(['id', 'owner_id', 'size'])
        .where('id', 'not in', without)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(most);
      const rows = await (
        ownerId === undefined
          ? waiting.where('expires_at', '<=', tx.clock.now())
          : waiting.where('expires_at', 'is not', null).where('owner_id', '=', ownerId)
      ).execute();
      const ids = rows.map(({ id }) => id);
      found(ids);
      await dropAttachments(tx, ids);
      await freeStorageOf(
        tx,
        rows.map(({ owner_id: memberId, size: bytes }) => ({ memberId, bytes })),
      );
    },
  });
}
