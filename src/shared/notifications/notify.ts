import type { NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { NotificationPreferencesRow, NotificationRow } from '../../platform/store/tables/notifications.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { groupKeyOf, joinGroup } from './groups.ts';
import { planDelivery } from './held.ts';
import { toldBefore } from './once.ts';
import { digestJobId, planDigest } from './digests/plan.ts';
import { planPushes } from './push/plan.ts';
import { asSeen, withSeenActors } from './seeing.ts';
import { tellChange, tellNewCounted } from './telling.ts';
import { categoryOfType, waitsUntil, wantedChannels, type Preferences } from './wishes.ts';

/**
 * Notifies a member, in the transaction of what happened. Of one type and one target within an hour there is one notification. Whoever
 * has quiet hours or Do Not Disturb gets it at the end of them.
 *
 * @returns the notification, or undefined if there is none: the member does not want it, caused it, was told before, or is none of this
 *   node
 */
export async function notify(tx: Context, wanted: NewNotification): Promise<NotificationRow | undefined> {
  const { recipientId, type } = wanted;
  if (wanted.actorId === recipientId) return undefined;
  const found = await recipientOf(tx, recipientId);
  if (found === undefined) return undefined;
  const { preferences, subscriptions, kept, digests } = found;
  const channels = wantedChannels(tx.config, preferences, type);
  const pushes = channels.has('push') && subscriptions > 0;
  if (!channels.has('in_app') && !channels.has('email') && !pushes) return undefined;
  const before = wanted.once === true ? await toldBefore(tx, wanted) : 'never';
  if (before === 'told') return undefined;
  // What came back after it was taken back is in the list again, and interrupts nobody again.
  const aloud = before === 'never';
  const until = waitsUntil(preferences, type, tx.clock.now());
  const held = until !== undefined ? 1 : channels.has('in_app') ? 0 : 2;
  const digest = aloud && channels.has('email') ? 1 : 0;
  const joined = await joinGroup(tx, wanted, { held, digest });
  const row = joined ?? (await added(tx, wanted, { held, digest }, kept + 1));
  if (held === 0) {
    // Others in a group may be hidden from the recipient by now. Its last one acts at this moment.
    await tellNewCounted(tx, (joined === undefined ? [] : await withSeenActors(tx, [joined]))[0] ?? row);
  }
  if (until !== undefined) await planDelivery(tx, recipientId, until);
  else {
    if (pushes && aloud) await planPushes(tx, row);
    if (row.digest === 1 && digests === 0) await planDigest(tx, recipientId);
  }
  return row;
}

type Found = NotificationPreferencesRow | { readonly member_id: null };

interface Numbers {
  readonly subscriptions: number;
  /** of notifications of theirs that there are */
  readonly kept: number;
  /** planned ones: one or none */
  readonly digests: number;
}

const recipientBy = writtenQuery<Found & Numbers>(`
  select p.*, (select count(*) from push_subscriptions s where s.member_id = m.id) as subscriptions,
    (select count(*) from notifications n where n.recipient_id = m.id) as kept,
    (select count(*) from jobs j where j.id = '${digestJobId('')}' || m.id) as digests
  from members m left join notification_preferences p on p.member_id = m.id where m.id = $1`);
const forget = writtenQuery('delete from notifications where id = $1');
const oldestOf = (where = '') =>
  writtenQuery<NotificationRow>(`
    select * from notifications where recipient_id = $1 and id != $2 ${where}
    order by is_read desc, updated_at, id limit $3`);
const oldestOfAll = oldestOf();
// Whoever has taken an account cannot push out what its member has to read.
const oldestOfOthers = oldestOf(`and (is_read = 1 or type != 'security_alert')`);

/** @returns undefined for somebody who is no member, such as the operator of the node */
async function recipientOf(
  tx: Context,
  memberId: string,
): Promise<(Numbers & { readonly preferences: Preferences }) | undefined> {
  const [row] = (await tx.db.executeQuery(recipientBy(memberId))).rows;
  if (row === undefined) return undefined;
  const { subscriptions, kept, digests } = row;
  return { preferences: row.member_id === null ? undefined : row, subscriptions, kept, digests };
}

async function added(
  tx: Context,
  wanted: NewNotification,
  { held, digest }: Pick<NotificationRow, 'held' | 'digest'>,
  kept: number,
): Promise<NotificationRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const row: NotificationRow = {
    id,
    recipient_id: wanted.recipientId,
    type: wanted.type,
    category: categoryOfType(wanted.type),
    actor_id: wanted.actorId ?? null,
    target_id: wanted.targetId ?? null,
    group_key: groupKeyOf(wanted) ?? id,
    content: wanted.content,
    count: 1,
    is_read: 0,
    held,
    created_at: now,
    updated_at: now,
    actors: null,
    actor_count: wanted.actorId === undefined ? 0 : 1,
    digest,
    pushed_at: null,
  };
  await insertRows(tx.db, 'notifications', [row]);
  await dropOldest(tx, wanted.recipientId, id, kept);
  return row;
}

/** Nobody reads so many. Read ones go before unread ones, the oldest first. */
async function dropOldest(tx: Context, recipientId: string, newest: string, kept: number): Promise<void> {
  if (kept <= notificationLimits.kept) return;
  const more = kept - notificationLimits.kept;
  let { rows: oldest } = await tx.db.executeQuery(oldestOfOthers(recipientId, newest, more));
  if (oldest.length === 0) ({ rows: oldest } = await tx.db.executeQuery(oldestOfAll(recipientId, newest, more)));
  for (const row of oldest) {
    const isTold = row.held === 0 && (await asSeen(tx, row)) !== undefined;
    await tx.db.executeQuery(forget(row.id));
    if (isTold) await tellChange(tx, recipientId, 'deleted', row.id);
  }
}
