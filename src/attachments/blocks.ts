import { transaction, type Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { isReferred, lockReference } from '../store/blocks/references.ts';
import { dropBlockKinds } from './block-jobs.ts';
import { enqueue, type JobHandler } from '../store/jobs/jobs.ts';
import { lockJob, planJob } from '../store/jobs/plans.ts';

/**
 * A block on the disk and the row that refers to it can't change in one step. So there is a job that drops the block whenever it
 * must not stay, recorded before it is written, and in the transaction that no longer refers to it: whoever dies in between leaves
 * the job, and a server carries it out.
 *
 * What is in a block was sealed with randomness of its own, so no two writers ever make the same one. Several rows may refer to it, of
 * any service: it goes with the last of them.
 */
const [kind] = dropBlockKinds;

/** By then the transaction that wrote a block has committed, or never will. */
const UPLOAD_MS = 3_600_000;
/** The block is deleted at once; the job is for where that didn't come about. */
const DELETION_MS = 60_000;

function jobOf(blockId: string): string {
  return `${kind}/${blockId}`;
}

/** Before a block is written that no row refers to yet. */
export async function announceBlock(ctx: Context, blockId: string): Promise<void> {
  const now = ctx.clock.now();
  await enqueue(ctx.db, { id: jobOf(blockId), kind, payload: { blockId }, runAt: now + UPLOAD_MS, now });
}

/**
 * In the transaction that refers to blocks which were announced: they stay.
 * @throws Problem unavailable OVERLOADED when that took so long that they are being dropped
 */
export async function keepBlocks(tx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { numDeletedRows } = await tx.db
      .deleteFrom('jobs')
      .where('id', '=', jobOf(id))
      .where('attempts', '=', 0)
      .executeTakeFirstOrThrow();
    if (numDeletedRows !== 1n)
      throw new Problem('unavailable', 'OVERLOADED', 'Storing the content took too long. Try again.', {
        retryAfterSeconds: 5,
      });
  }
}

/** A block that is written and that no row refers to yet. */
export interface NewBlock {
  readonly id: string;
  /** bytes */
  readonly size: number;
  /** in the transaction that refers to it, beside that */
  keep(): Promise<void>;
}

/**
 * Writes content as a block, and then runs the transaction that refers to it. A block that it doesn't keep is deleted, be it because it
 * failed or because the request was answered before.
 * @throws Problem as `keepBlocks` does
 */
export async function withBlock<T>(
  ctx: Context,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  body: (tx: Context, block: NewBlock) => Promise<T>,
): Promise<T> {
  const { id, size } = await ctx.blocks.put(content, async (blockId) => await announceBlock(ctx, blockId));
  let kept = false;
  try {
    return await transaction(ctx, async (tx) => {
      // It may run again.
      kept = false;
      const keep = async (): Promise<void> => {
        await keepBlocks(tx, [id]);
        kept = true;
      };
      return await body(tx, { id, size, keep });
    });
  } catch (error) {
    kept = false;
    throw error;
  } finally {
    if (!kept) await withdrawBlocks(ctx, [id]);
  }
}

/**
 * In the transaction that adds a reference to blocks which others refer to: none of them goes before it is committed.
 * @throws Problem missing BLOCK_NOT_FOUND where nobody refers to one any more
 */
export async function shareBlocks(tx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (!(await lockReference(tx.db, id)))
      throw new Problem('missing', 'BLOCK_NOT_FOUND', 'There is no block with this id');
  }
}

/** In the transaction that refers to blocks no longer: those that nobody else refers to are deleted after it. */
export async function dropBlocks(tx: Context, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const now = tx.clock.now();
  // In place of one that is there: it may be running, and have seen the reference that goes now.
  for (const id of ids)
    await planJob(tx.db, { id: jobOf(id), kind, payload: { blockId: id }, runAt: now + DELETION_MS, now });
  tx.afterCommit(() => deleteUnreferred({ ...tx, db: tx.store.db }, ids));
}

/**
 * Deletes blocks that were announced, after a transaction that failed. Never fails itself: what can't be deleted now is dropped
 * later. A commit of which only the answer was lost keeps them.
 */
export async function withdrawBlocks(ctx: Context, ids: readonly string[]): Promise<void> {
  try {
    // What the database is committing after all has taken the job away: looking for the job waits for that.
    for (const id of ids) await ctx.store.transaction(async (db) => await lockJob(db, jobOf(id)));
    await deleteUnreferred(ctx, ids);
  } catch (error) {
    ctx.log.warn('deleting the blocks of a failed transaction failed; they are deleted later', { error });
  }
}

async function deleteUnreferred(ctx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (await isReferred(ctx.db, id)) continue;
    await ctx.blocks.delete(id);
    await ctx.db.deleteFrom('jobs').where('id', '=', jobOf(id)).execute();
  }
}

/** Carries out what is left over; by itself, in a server. */
export function dropBlockHandler(ctx: Context): JobHandler {
  return async (payload) => {
    const { blockId } = payload as { blockId: string };
    // A row can refer to it only where something is wrong, and then its content must not be lost as well.
    if (!(await isReferred(ctx.db, blockId))) await ctx.blocks.delete(blockId);
  };
}
