import type { Context } from '../../../service/context.ts';
import { groupBy } from '../../../base/group-by.ts';
import { planJob, planJobs, type PlannedOnce } from '../../../platform/store/jobs/plans.ts';
import type { NotificationRow } from '../../../platform/store/tables/notifications.ts';
import { writtenList } from '../../../platform/store/written-query.ts';

/** A notification that others join is pushed again after so long, with what it says then. */
const GAP_MS = 60_000;

/** A message to one browser. What it says is read when it is sent. */
export interface PlannedPush {
  readonly subscriptionId: string;
  readonly notificationId: string;
  /** how often it was tried */
  readonly tries: number;
}

const subscriptionsOf = writtenList<{ id: string; member_id: string }>(
  0,
  (members) => `select id, member_id from push_subscriptions where member_id in ${members} order by id`,
);

/**
 * When a notification that is pushed again goes out, in milliseconds since 1970.
 * @returns undefined: one that was not sent before says what the notification says at that time
 */
export function nextPush({ pushed_at: before }: Pick<NotificationRow, 'pushed_at'>, now: number): number | undefined {
  return before !== null && before > now ? undefined : Math.max(now, (before ?? 0) + GAP_MS);
}

/**
 * Has notifications pushed to every browser of their recipients, at the times that their rows say: a job for each, so that none waits for
 * another.
 */
export async function planPushes(
  tx: Context,
  rows: readonly Pick<NotificationRow, 'id' | 'recipient_id' | 'pushed_at'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const now = tx.clock.now();
  const members = [...new Set(rows.map((row) => row.recipient_id))];
  const browsers = groupBy((await tx.db.executeQuery(subscriptionsOf(members))).rows, (one) => one.member_id);
  const jobs = rows.flatMap(({ id: notificationId, recipient_id: memberId, pushed_at: at }) =>
    (browsers.get(memberId) ?? []).map(({ id: subscriptionId }) =>
      pushJob({ subscriptionId, notificationId, tries: 0 }, at ?? now, now),
    ),
  );
  await planJobs(tx.db, jobs);
}

export async function planPush(tx: Context, push: PlannedPush, runAt: number): Promise<void> {
  await planJob(tx.db, pushJob(push, runAt, tx.clock.now()));
}

function pushJob(push: PlannedPush, runAt: number, now: number): PlannedOnce {
  const id = `notification-push/${push.subscriptionId}/${push.notificationId}`;
  return { id, kind: 'notification-push', payload: push, runAt, now };
}
