import type { Context } from '../../service/context.ts';
import { scheduled } from '../../service/scheduled.ts';
import { cancelJobs, planJobs } from '../../platform/store/jobs/plans.ts';
import type { NotificationRow } from '../../platform/store/tables/notifications.ts';
import { planDigests } from './digests/plan.ts';
import { nextPush, planPushes } from './push/plan.ts';
import { asTold } from './seeing.ts';
import { tellCount, tellNew } from './telling.ts';
import { quietUntil, wantedChannels, type Preferences } from './wishes.ts';

/** Notifications that one transaction delivers. */
const BATCH = 100;
/** After a night nobody wants a hundred push messages. The latest are enough. */
const MOST_PUSHED = 10;

function jobOf(memberId: string) {
  return { id: `notification-delivery/${memberId}`, kind: 'notification-delivery', payload: { memberId } };
}

interface Waiting {
  readonly memberId: string;
  /** milliseconds since 1970; Infinity if it depends on the member */
  readonly until: number;
}

export async function planDeliveries(tx: Context, waiting: readonly Waiting[]): Promise<void> {
  const now = tx.clock.now();
  const jobs = waiting.map(({ memberId, until: runAt }) => ({ ...jobOf(memberId), runAt, now }));
  await cancelJobs(
    tx.db,
    jobs.flatMap(({ id, runAt }) => (runAt === Infinity ? [id] : [])),
  );
  await planJobs(
    tx.db,
    jobs.filter(({ runAt }) => runAt !== Infinity),
  );
}

/** Delivers what waits for a member if its time has come, or plans that: of it what its reader may still see. It must run in the transaction that changes preferences. */
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
    await planDeliveries(tx, [{ memberId, until }]);
    return;
  }
  for (const [index, row] of rows.entries()) {
    const seen = await asTold(tx, row);
    if (seen === undefined) await forget(tx, row);
    else await deliverOne(tx, preferences, seen, { pushed: index >= rows.length - MOST_PUSHED });
  }
  await tellCount(tx, memberId);
  if (rows.length === BATCH) await planDeliveries(tx, [{ memberId, until: now }]);
}

/** What the member switched off while it waited does not come any more. @param pushed whether it is pushed to browsers, if that is wanted */
async function deliverOne(
  tx: Context,
  preferences: Preferences,
  row: NotificationRow,
  { pushed }: { readonly pushed: boolean },
): Promise<void> {
  const channels = wantedChannels(tx.config, preferences, row.type);
  if (channels.size === 0) {
    await forget(tx, row);
    return;
  }
  const held = channels.has('in_app') ? 0 : 2;
  const digest = channels.has('email') ? row.digest : 0;
  const pushAt = pushed && channels.has('push') ? nextPush(row, tx.clock.now()) : undefined;
  const pushed_at = pushAt ?? row.pushed_at;
  await tx.db.updateTable('notifications').set({ held, digest, pushed_at }).where('id', '=', row.id).execute();
  if (held === 0) await tellNew(tx, row);
  if (pushAt !== undefined) await planPushes(tx, [{ ...row, pushed_at }]);
  if (digest === 1) await planDigests(tx, [row.recipient_id]);
}

async function forget({ db }: Context, { id }: NotificationRow): Promise<void> {
  await db.deleteFrom('notifications').where('id', '=', id).execute();
}

/** Delivers what waits, at the end of quiet hours or Do Not Disturb. */
export const deliveryHandler = scheduled(async (tx, payload) => {
  const { memberId } = payload as { readonly memberId: string };
  await deliverHeld(tx, memberId);
});
