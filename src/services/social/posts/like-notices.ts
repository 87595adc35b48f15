import { setTimeout as sleep } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import type { Database, Db } from '../../../platform/store/database.ts';
import { never } from '../../../platform/store/jobs/job-rows.ts';
import { enqueue, type JobHandler, type NewJob } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { SocialLikeRow, SocialUntoldLikeRow } from '../../../platform/store/tables/social.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { tell } from '../notices.ts';

/**
 * Authors are told of likes after the commit, in small transactions. Until then a row says that the like is untold. To tell somebody costs
 * more than the like itself, and whoever likes does not wait for it. It goes with the like.
 */

const KIND = 'social-like-notices';
/**
 * Likes that one transaction tells of. On PostgreSQL transactions that run side by side collide, the longer ones with more others, and a
 * request that likes or takes back must not wait for that.
 */
const BATCH = { sqljs: 25, postgres: 1 } as const;
/** After so many tries nobody is told of a like that can't be told of. */
const TRIES = 3;
/** Likes that one look finds. */
const FOUND = 25;
/** The event loop is looked at for so long. From this share of it on, it is busy with requests. */
const LOOK_MS = 2;
const BUSY = 0.8;
/** The job lets a busy event loop go on for so many times as long as it works, or just as long where somebody has waited for `LATE_MS`. */
const GIVES_WAY = 9;
const LATE_MS = 10_000;

const jobAt = (now: number): NewJob => ({ id: KIND, kind: KIND, payload: null, runAt: now, now });

const planned = writtenQuery(`select 1 from jobs where id = '${KIND}' and run_at < ${never}`);

/** Has the author told of a like, in the transaction that writes it. It may be untold already. */
export async function tellLater(tx: Context, like: SocialUntoldLikeRow): Promise<void> {
  await Promise.all([
    insertRows(tx.db, 'social_untold_likes', [like], 'on conflict do nothing'),
    enqueue(tx.db, jobAt(tx.clock.now())),
  ]);
  // On PostgreSQL a job that ends at this moment is there for this transaction, and does not see its row. To read the row of the job here
  // would tell that, but likes would collide with all that plans jobs.
  if (tx.store.engine === 'postgres') tx.afterCommit(async () => await nextLook({ ...tx, db: tx.store.db }));
}

interface Looks {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

const looksOf = new WeakMap<Database, Looks>();

/** A look that begins later than now. Those who want one while another runs share it. */
async function nextLook(ctx: Context): Promise<void> {
  const looks = looksOf.get(ctx.store) ?? { running: Promise.resolve(), next: undefined };
  looksOf.set(ctx.store, looks);
  looks.next ??= lookAfter(looks, ctx);
  await looks.next;
}

async function lookAfter(looks: Looks, ctx: Context): Promise<void> {
  await looks.running;
  looks.next = undefined;
  const look = planLikeNotices(ctx);
  looks.running = look.catch(() => {});
  await look;
}

/** Plans the job if somebody is to be told and it is not planned, or gave up. */
export async function planLikeNotices(ctx: Context): Promise<void> {
  if ((await ctx.db.executeQuery(planned())).rows.length > 0) return;
  if ((await ctx.db.executeQuery(oldest(1))).rows.length > 0) await transaction(ctx, plan);
}

async function plan({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await planJob(db, jobAt(clock.now()));
}

const oldest = writtenQuery<SocialUntoldLikeRow>(
  'select * from social_untold_likes order by created_at, post_id, member_id limit $1',
);

/**
 * Tells authors of likes until all are told. Each is told exactly once: its row goes in the same transaction. One that can't be told of
 * stops no other: it comes again with the next try of the job, and goes untold after the last one.
 */
export function likeNoticesHandler(ctx: Context): JobHandler {
  const batch = BATCH[ctx.store.engine];
  return async (_payload, { attempt, finish, signal }) => {
    const giveWay = patience(signal);
    const failed = new Map<string, unknown>();
    for (;;) {
      const found = (await ctx.db.executeQuery(oldest(FOUND + failed.size))).rows;
      const rows = found.filter((row) => !failed.has(keyOf(row)));
      if (rows.length === 0 && found.length > 0 && !signal.aborted) {
        if (attempt < TRIES) throw [...failed.values()][0];
        for (const row of found) await leaveUntold(ctx, row, failed.get(keyOf(row)));
        failed.clear();
        continue;
      }
      if (rows.length === 0 || signal.aborted) {
        if (await transaction(ctx, async (tx) => await ends(tx, signal, finish))) return;
        continue;
      }
      for (let from = 0; from < rows.length && !signal.aborted; from += batch) {
        const next = rows.slice(from, from + batch);
        await giveWay(ctx.clock.now() - (next[0]?.created_at ?? 0), async () => {
          await tellOfLikes(ctx, next, failed);
        });
      }
    }
  };
}

const keyOf = ({ post_id: postId, member_id: memberId }: Like): string => `${postId} ${memberId}`;

/** In one transaction, or, if that fails, in one for each. @param failed those that failed alone are added */
async function tellOfLikes(
  ctx: Context,
  rows: readonly SocialUntoldLikeRow[],
  failed: Map<string, unknown>,
): Promise<void> {
  const [first, ...others] = rows;
  if (first === undefined) return;
  try {
    await transaction(ctx, async (tx) => {
      for (const row of rows) await tellOfLike(tx, row);
    });
  } catch (error) {
    if (isOfNode(error)) throw error;
    if (others.length === 0) failed.set(keyOf(first), error);
    else for (const row of rows) await tellOfLikes(ctx, [row], failed);
  }
}

async function leaveUntold(ctx: Context, row: SocialUntoldLikeRow, error: unknown): Promise<void> {
  const { post_id: postId, member_id: memberId, author_id: authorId } = row;
  ctx.log.error('an author is not told of a like, because that failed each time', {
    error,
    postId,
    memberId,
    authorId,
  });
  await transaction(ctx, async (tx) => await takeUntold(tx, row));
}

/** Works piece by piece, with a pause before each while the event loop is busy. */
function patience(signal: AbortSignal): (waitedMs: number, work: () => Promise<void>) => Promise<void> {
  // Whoever waits for the end of this process does not wait for pauses.
  const pause = async (ms: number): Promise<void> => await sleep(ms, undefined, { signal }).catch(() => {});
  let tookMs = 0;
  return async (waitedMs, work) => {
    const before = performance.eventLoopUtilization();
    await pause(LOOK_MS);
    const { utilization } = performance.eventLoopUtilization(before);
    if (utilization >= BUSY) await pause((waitedMs < LATE_MS ? GIVES_WAY : 1) * tookMs);
    const began = performance.now();
    await work();
    tookMs = performance.now() - began;
  };
}

/** Ends the job if nobody is left to be told, or the process is. @returns whether it has ended */
async function ends(tx: Context, signal: AbortSignal, finish: (db: Db) => Promise<void>): Promise<boolean> {
  const isLeft = (await tx.db.executeQuery(oldest(1))).rows.length > 0;
  if (isLeft && !signal.aborted) return false;
  await finish(tx.db);
  if (isLeft) await plan(tx);
  return true;
}

interface Taken {
  readonly username: string;
  /** of the member */
  readonly status: string;
}

const take = writtenQuery<Taken>(`
  delete from social_untold_likes where post_id = $1 and member_id = $2
  returning (select m.username from members m where m.id = $2) as username, (select m.status from members m where m.id = $2) as status`);

async function tellOfLike(tx: Context, row: SocialUntoldLikeRow): Promise<void> {
  const { post_id: targetId, member_id: actorId, author_id: recipientId } = row;
  const [taken] = (await tx.db.executeQuery(take(targetId, actorId))).rows;
  // It may have been taken back, and who was suspended meanwhile is not named.
  if (taken?.status !== 'active') return;
  await tell(tx, {
    recipientId,
    type: 'like',
    actorId,
    targetId,
    content: `${taken.username} likes your post.`,
    once: true,
  });
}

type Like = Pick<SocialLikeRow, 'post_id' | 'member_id'>;

/** Has nobody told of a like that is taken back. @returns whether nobody was */
export async function takeUntold({ db }: Context, { post_id: postId, member_id: memberId }: Like): Promise<boolean> {
  return (await db.executeQuery(take(postId, memberId))).rows.length > 0;
}
