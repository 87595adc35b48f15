import { keepBlocks, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { filesOf, makePart, type Part } from '../../../shared/attachments/sealed-parts.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import { sealWithKey } from '../../../crypto/sealing.ts';
import { tarEnd, tarHeader, tarPadding } from '../../../platform/store/backup/tar.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { SocialArchiveRow } from '../../../platform/store/tables/social-own.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { keyContext } from './archives.ts';
import { filesOfArchive } from './contents.ts';
import { thingsOf } from './posts.ts';

/** After so many tries the member is told that it failed. */
const TRIES = 3;

/** Writes an archive. A try that did not finish leaves nothing, and the next one begins anew. */
export function archiveHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { archiveId } = payload as { archiveId: string };
    const row = await ctx.db.selectFrom('social_archives').selectAll().where('id', '=', archiveId).executeTakeFirst();
    if (row?.state !== 'pending') return;
    try {
      await writeArchive(ctx, row, signal);
    } catch (error) {
      if (attempt < TRIES || signal.aborted) throw error;
      ctx.log.error('an archive could not be made', { archive: archiveId, error });
      await ctx.db
        .updateTable('social_archives')
        .set({ state: 'failed', finished_at: ctx.clock.now(), expires_at: ctx.clock.now() + socialLimits.archiveMs })
        .where('id', '=', archiveId)
        .execute();
    }
  };
}

async function writeArchive(ctx: Context, row: SocialArchiveRow, signal: AbortSignal): Promise<void> {
  const total = await thingsOf(ctx, row.member_id);
  await tell(ctx, row.id, 0, total);
  const part = await makePart(ctx, tarOf(ctx, row, total, signal));
  let kept = false;
  try {
    kept = await transaction(ctx, async (tx) => await keepPart(tx, row.id, part, total));
  } finally {
    if (!kept) await withdrawBlocks(ctx, filesOf([part]));
  }
}

async function tell({ db }: Context, id: string, done: number, total: number): Promise<void> {
  await db.updateTable('social_archives').set({ done, total }).where('id', '=', id).execute();
}

async function* tarOf(
  ctx: Context,
  { id, member_id: memberId, created_at: createdAt }: SocialArchiveRow,
  total: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const seconds = Math.floor(createdAt / 1000);
  let done = 0;
  for await (const { name, size, content, things } of filesOfArchive(ctx, memberId)) {
    signal.throwIfAborted();
    yield tarHeader(name, size, seconds);
    yield* content;
    yield tarPadding(size);
    done = Math.min(total, done + things);
    if (things > 0) await tell(ctx, id, done, total);
  }
  yield tarEnd;
}

/** @returns false if the archive is gone: its member left, or wants another one */
async function keepPart(tx: Context, id: string, part: Part, total: number): Promise<boolean> {
  const now = tx.clock.now();
  const { numUpdatedRows } = await tx.db
    .updateTable('social_archives')
    .set({
      state: 'ready',
      done: total,
      size: part.size,
      sealed_key: sealWithKey(tx.keys.wrap, part.key, keyContext(id), tx.random),
      finished_at: now,
      expires_at: now + socialLimits.archiveMs,
    })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await keepBlocks(tx, filesOf([part]));
  const rows = part.blocks.map(({ hash, sealed, size }, piece) => {
    const place = sealed === undefined ? { block_id: hash, sealed: null } : { block_id: null, sealed };
    return { archive_id: id, piece, hash, ...place, size };
  });
  for (const block of rows) await insertRows(tx.db, 'social_archive_blocks', [block]);
  return true;
}
