import { transaction, type Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { isReferred, lockReference } from '../../platform/store/blocks/references.ts';
import { dropBlockKinds } from './block-jobs.ts';
import { enqueue, type JobHandler } from '../../platform/store/jobs/jobs.ts';
import { lockJob, planJob } from '../../platform/store/jobs/plans.ts';

/**
 * A block on the disk and the row that refers to it can't change in one step. So a job drops each block that must not stay. The job is
 * recorded before the block is written, or in the transaction that removes the reference. If the process dies in between, the job remains
 * and a server runs it.
 *
 * The content of a block was sealed with its own randomness, so two writers never make the same block. Several rows of any service may
 * refer to one block. It is deleted with the last of them.
 */
const [kind] = dropBlockKinds;

/** After this time the transaction that wrote a block has committed, or never will. */
const UPLOAD_MS = 3_600_000;
/** The block is deleted at once. The job covers the case that this deletion didn't happen. */
const DELETION_MS = 60_000;

function jobOf(blockId: string): string {
  return `${kind}/${blockId}`;
}

/** Records the job for a block. Call it before the block is written, while no row refers to it. */
export async function announceBlock(ctx: Context, blockId: string): Promise<void> {
  const now = ctx.clock.now();
  await enqueue(ctx.db, { id: jobOf(blockId), kind, payload: { blockId }, runAt: now + UPLOAD_MS, now });
}

/** Gives a block that no row refers to the same time again. It must run in a transaction. */
export async function announceBlockAgain(tx: Context, blockId: string): Promise<void> {
  const now = tx.clock.now();
  const job = { id: jobOf(blockId), kind, payload: { blockId }, runAt: now + UPLOAD_MS, now };
  await planJob(tx.db, job);
}

/**
 * Keeps announced blocks. It must run in the transaction that refers to them.
 * @throws Problem unavailable OVERLOADED when the transaction came so late that the blocks are being dropped
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

/** A block that is written, but that no row refers to yet. */
export interface NewBlock {
  readonly id: string;
  /** bytes */
  readonly size: number;
  /** keeps the block; must run in the transaction that refers to it */
  keep(): Promise<void>;
}

/**
 * Writes content as a block, and then runs the transaction that refers to it. The block is deleted if the transaction doesn't keep it:
 * because it failed, or because the request had been answered before.
 * @param beside other work that the transaction needs, which goes on while the block is written
 * @throws Problem as `keepBlocks` does
 */
export async function withBlock<T>(
  ctx: Context,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  body: (tx: Context, block: NewBlock) => Promise<T>,
  beside?: Promise<unknown>,
): Promise<T> {
  const { id, size } = await ctx.blocks.put(content, async (blockId) => await announceBlock(ctx, blockId));
  let kept = false;
  try {
    await beside;
    const done = await transaction(ctx, async (tx) => {
      let keeps = false;
      const keep = async (): Promise<void> => {
        await keepBlocks(tx, [id]);
        keeps = true;
      };
      const result = await body(tx, { id, size, keep });
      return { result, keeps };
    });
    kept = done.keeps;
    return done.result;
  } finally {
    if (!kept) await withdrawBlocks(ctx, [id]);
  }
}

/**
 * Adds a reference to blocks that other rows refer to already. It must run in the transaction that adds the row: no block is dropped before
 * its commit.
 * @throws Problem missing BLOCK_NOT_FOUND if no row refers to a block any more
 */
export async function shareBlocks(tx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (!(await lockReference(tx.db, id)))
      throw new Problem('missing', 'BLOCK_NOT_FOUND', 'There is no block with this id');
  }
}

/** Must run in the transaction that removes the references. Blocks without any other reference are deleted after it. */
export async function dropBlocks(tx: Context, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const now = tx.clock.now();
  // The new job replaces an existing one, which may be running and may have seen the reference that is removed now.
  for (const id of ids)
    await planJob(tx.db, { id: jobOf(id), kind, payload: { blockId: id }, runAt: now + DELETION_MS, now });
  tx.afterCommit(() => deleteUnreferred({ ...tx, db: tx.store.db }, ids));
}

/**
 * Deletes announced blocks after a transaction that failed. It never fails itself: a block that can't be deleted now is dropped later. If
 * the commit succeeded and only its answer was lost, the blocks stay.
 */
export async function withdrawBlocks(ctx: Context, ids: readonly string[]): Promise<void> {
  try {
    // A commit that still succeeds removes the job. The lock on the job waits for that commit.
    for (const id of ids) await ctx.store.transaction(async (db) => await lockJob(db, jobOf(id)));
    await deleteUnreferred(ctx, ids);
  } catch (error) {
    ctx.log.warn('deleting the blocks of a failed transaction failed; they are deleted later', { error });
  }
}

/** Deletes what is left of dropped blocks, for whoever must not go on before. The process that dropped them may have died. */
export async function finishDrops(ctx: Context, ids: readonly string[]): Promise<void> {
  const left = await Promise.all(ids.map(async (id) => ((await ctx.blocks.head(id)) === undefined ? [] : [id])));
  await deleteUnreferred(ctx, left.flat());
}

async function deleteUnreferred(ctx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (await isReferred(ctx.db, id)) continue;
    await ctx.blocks.delete(id);
    await ctx.db.deleteFrom('jobs').where('id', '=', jobOf(id)).execute();
  }
}

/** Drops a block that was left over. A server runs this job by itself. */
export function dropBlockHandler(ctx: Context): JobHandler {
  return async (payload) => {
    const { blockId } = payload as { blockId: string };
    // A row can refer to the block only after an error elsewhere. Its content must not be lost as well.
    if (!(await isReferred(ctx.db, blockId))) await ctx.blocks.delete(blockId);
  };
}
