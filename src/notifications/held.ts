import type { Context } from '../context.ts';
import { scheduled } from '../scheduled.ts';
import { cancelJob, planJob } from '../store/jobs/plans.ts';
import { tellCount, tellNew } from './telling.ts';
import { isWanted, quietUntil } from './wishes.ts';

/** Notifications that one transaction delivers. */
const BATCH = 100;

function jobOf(memberId: string) {
  return { id: `notification-delivery/${memberId}`, kind: 'notification-delivery', payload: { memberId } };
}

/** @param until milliseconds since 1970; Infinity if it depends on the member */
export async function planDelivery(tx: Context, memberId: string, until: number): Promise<void> {
  const job = jobOf(memberId);
  if (until === Infinity) await cancelJob(tx.db, job.id);
  else await planJob(tx.db, { ...job, runAt: until, now: tx.clock.now() });
}

/** Delivers what waits for a member if its time has come, or plans that. It must run in the transaction that changes preferences. */
export async function deliverHeld(tx: Context, memberId: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('notifications')
    .selectAll()
    .where('recipient_id', '=', memberId)
    .where('held', '=', 1)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(BATCH)
    .execute();
  if (rows.length === 0) return;
  const preferences = await tx.db
    .selectFrom('notification_preferences')
    .selectAll()
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  const now = tx.clock.now();
  const until = quietUntil(preferences, now);
  if (until !== undefined) {
    await planDelivery(tx, memberId, until);
    return;
  }
  for (const row of rows) {
    // What the member switched off while it waited does not come any more.
    if (isWanted(preferences, row.category)) {
      await tx.db.updateTable('notifications').set({ held: 0 }).where('id', '=', row.id).execute();
      await tellNew(tx, row);
    } else await tx.db.deleteFrom('notifications').where('id', '=', row.id).execute();
  }
  await tellCount(tx, memberId);
  if (rows.length === BATCH) await planDelivery(tx, memberId, now);
}

/** Delivers what waits, at the end of quiet hours or Do Not Disturb. */
export const deliveryHandler = scheduled(async (tx, payload) => {
  const { memberId } = payload as { readonly memberId: string };
  await deliverHeld(tx, memberId);
});
