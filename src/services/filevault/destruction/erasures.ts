import type { Context } from '../../../service/context.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import { recordId } from '../../../platform/store/record-id.ts';

const RESUME_MS = 60_000;

/**
 * Notes erasure keys that have to go, in the transaction that removes what they open. `finishErasures` follows after its commit, and a job
 * where a process stopped in between.
 *
 * @returns the id of the note
 */
export async function planErasure(tx: Context, slots: readonly number[]): Promise<string> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  await tx.db
    .insertInto('file_erasures')
    .values({ id, slots: JSON.stringify(slots), created_at: now })
    .execute();
  await planJob(tx.db, { id: jobOf(id), kind: 'file-erasure', payload: { id }, runAt: now + RESUME_MS, now });
  return id;
}

/** Erases the keys of several notes at once. */
export async function finishErasures(ctx: Context, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await ctx.db.selectFrom('file_erasures').selectAll().where('id', 'in', ids).execute();
  if (rows.length === 0) return;
  await ctx.erasure.erase(rows.flatMap(({ slots }) => JSON.parse(slots) as number[]));
  await ctx.store.transaction(async (db) => {
    await db.deleteFrom('file_erasures').where('id', 'in', ids).execute();
    for (const id of ids) await cancelJob(db, jobOf(id));
  });
}

/** Goes on where a process stopped. */
export function erasureHandler(ctx: Context): JobHandler {
  return async (payload) => await finishErasures(ctx, [(payload as { id: string }).id]);
}

function jobOf(id: string): string {
  return `file-erasure/${id}`;
}
