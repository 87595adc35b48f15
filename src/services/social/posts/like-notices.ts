import { setTimeout as sleep } from 'node:timers/promises';
import { transaction, type Context } from '../../../context.ts';
import { enqueue, type JobHandler } from '../../../store/jobs/jobs.ts';
import { planJob } from '../../../store/jobs/plans.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { tell } from '../notices.ts';

/**
 * Authors are told of likes after the commit, in small transactions. Until then the row of the like says that it is untold. To tell somebody
 * costs more than the like itself, and whoever likes does not wait for it.
 */

const KIND = 'social-like-notices';
/** Likes that one transaction tells of. */
const BATCH = 25;
/** The event loop is looked at for so long. From this share of it on, it is busy with requests. */
const LOOK_MS = 2;
const BUSY = 0.8;
/** The job lets a busy event loop go on for so many times as long as it works, or just as long where somebody has waited for `LATE_MS`. */
const GIVES_WAY = 9;
const LATE_MS = 10_000;

const planned = writtenQuery(`select 1 from jobs where id = '${KIND}'`);

/** Plans to tell of likes, in a transaction that writes one. */
export async function planLikeNotices({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  // It is read, so that a serializable transaction runs again if the job ends meanwhile. `enqueue` alone would not notice.
  if ((await db.executeQuery(planned())).rows.length > 0) return;
  const now = clock.now();
  await enqueue(db, { id: KIND, kind: KIND, payload: null, runAt: now, now });
}

interface Untold {
  readonly post_id: string;
  readonly member_id: string;
  readonly created_at: number;
  readonly author_id: string;
  readonly username: string;
  /** of the member */
  readonly status: string;
}

const oldest = writtenQuery<Untold>(`
  select l.post_id, l.member_id, l.created_at, p.author_id, m.username, m.status
  from social_likes l join social_posts p on p.id = l.post_id join members m on m.id = l.member_id
  where l.told = 0 order by l.created_at, l.post_id, l.member_id limit ${BATCH}`);
const markTold = writtenQuery(
  'update social_likes set told = 1 where told = 0 and (created_at, post_id, member_id) <= ($1, $2, $3)',
);

/** Tells authors of likes until all are told. Each is told exactly once: the row says so in the same transaction. */
export function likeNoticesHandler(ctx: Context): JobHandler {
  return async (_payload, { finish, signal }) => {
    // Whoever waits for the end of this process does not wait for pauses.
    const pause = async (ms: number): Promise<void> => await sleep(ms, undefined, { signal }).catch(() => {});
    let [tookMs, waitedMs] = [0, 0];
    for (;;) {
      const before = performance.eventLoopUtilization();
      await pause(LOOK_MS);
      const { utilization } = performance.eventLoopUtilization(before);
      if (utilization >= BUSY) await pause((waitedMs < LATE_MS ? GIVES_WAY : 1) * tookMs);
      const began = performance.now();
      const step = await transaction(ctx, async (tx) => {
        const told = await tellNext(tx);
        const now = tx.clock.now();
        const isLast = told.length < BATCH;
        const ends = isLast || signal.aborted;
        if (ends) await finish(tx.db);
        if (ends && !isLast) await planJob(tx.db, { id: KIND, kind: KIND, payload: null, runAt: now, now });
        return { ends, waitedMs: now - (told[0]?.created_at ?? now) };
      });
      if (step.ends) return;
      ({ waitedMs } = step);
      tookMs = performance.now() - began;
    }
  };
}

async function tellNext(tx: Context): Promise<readonly Untold[]> {
  const { rows } = await tx.db.executeQuery(oldest());
  const last = rows.at(-1);
  if (last === undefined) return [];
  for (const row of rows) await tellOfLike(tx, row);
  await tx.db.executeQuery(markTold(last.created_at, last.post_id, last.member_id));
  return rows;
}

async function tellOfLike(tx: Context, { post_id: targetId, member_id: actorId, ...row }: Untold): Promise<void> {
  // Who was suspended meanwhile is not named.
  if (row.status !== 'active') return;
  const content = `${row.username} likes your post.`;
  await tell(tx, { recipientId: row.author_id, type: 'like', actorId, targetId, content, once: true });
}
