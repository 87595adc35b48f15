import type { Context } from '../../../service/context.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { NotificationRow } from '../../../platform/store/tables/notifications.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/** A notification that others join is pushed again after so long, with what it says then. */
const GAP_MS = 60_000;

/** A message to one browser. What it says is read when it is sent. */
export interface PlannedPush {
  readonly subscriptionId: string;
  readonly notificationId: string;
  /** how often it was tried */
  readonly tries: number;
}

const subscriptionsOf = writtenQuery<{ id: string }>(
  'select id from push_subscriptions where member_id = $1 order by id',
);

/** Has a notification pushed to every browser of its recipient after the commit: a job for each, so that none waits for another. */
export async function planPushes(tx: Context, row: NotificationRow): Promise<void> {
  const { id, recipient_id: memberId, pushed_at: before } = row;
  const now = tx.clock.now();
  // One that is not sent yet says what the notification says at that time.
  if (before !== null && before > now) return;
  const runAt = Math.max(now, (before ?? 0) + GAP_MS);
  const { rows } = await tx.db.executeQuery(subscriptionsOf(memberId));
  for (const { id: subscriptionId } of rows)
    await planPush(tx, { subscriptionId, notificationId: id, tries: 0 }, runAt);
  await tx.db.updateTable('notifications').set({ pushed_at: runAt }).where('id', '=', id).execute();
}

export async function planPush(tx: Context, push: PlannedPush, runAt: number): Promise<void> {
  const id = `notification-push/${push.subscriptionId}/${push.notificationId}`;
  await planJob(tx.db, { id, kind: 'notification-push', payload: push, runAt, now: tx.clock.now() });
}
