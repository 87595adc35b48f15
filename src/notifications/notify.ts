import type { Context } from '../context.ts';
import { notificationLimits } from '../contract/notifications/limits.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import { recordId } from '../store/record-id.ts';
import type { NotificationPreferencesRow, NotificationRow } from '../store/tables/notifications.ts';
import { insertRows, onlyRow, writtenQuery } from '../store/written-query.ts';
import { planDelivery } from './held.ts';
import { tellChange, tellCount, tellNew } from './telling.ts';
import { categoryOfType, isWanted, quietUntil, type Preferences } from './wishes.ts';

/** So long after the first of a group others join it. */
const GROUP_MS = 60 * 60 * 1000;

/** Something that a member should know of. */
export interface NewNotification {
  readonly recipientId: string;
  readonly type: NotificationType;
  /** the member who caused it, who is never notified of it */
  readonly actorId?: string | undefined;
  /** id of what it is about; without one it is in no group */
  readonly targetId?: string | undefined;
  /** one sentence that the recipient may read; a group has that of its last one */
  readonly content: string;
}

/**
 * Notifies a member, in the transaction of what happened. Of one type and one target within an hour there is one notification. Whoever
 * has quiet hours or Do Not Disturb gets it at the end of them.
 *
 * @returns the notification, or undefined if there is none: the member does not want it, caused it, or is none of this node
 */
export async function notify(tx: Context, wanted: NewNotification): Promise<NotificationRow | undefined> {
  const { recipientId, type } = wanted;
  if (wanted.actorId === recipientId) return undefined;
  const found = await preferencesOf(tx, recipientId);
  if (found === undefined || !isWanted(found.preferences, categoryOfType(type))) return undefined;
  const until = quietUntil(found.preferences, tx.clock.now());
  const held = until === undefined ? 0 : 1;
  const joined = await grouped(tx, wanted, held);
  const { row, unread } = joined === undefined ? await added(tx, wanted, held) : { row: joined };
  if (until === undefined) {
    await tellNew(tx, row);
    await tellCount(tx, recipientId, unread);
  } else await planDelivery(tx, recipientId, until);
  return row;
}

const preferencesBy = writtenQuery<NotificationPreferencesRow | { member_id: null }>(
  'select p.* from members m left join notification_preferences p on p.member_id = m.id where m.id = $1',
);
// With the plus sign SQLite takes the index of groups, and not that of all notifications by time.
const unreadOf = writtenQuery<{ id: string }>(`
  select id from notifications
  where recipient_id = $1 and group_key = $2 and is_read = 0 and held = $3 and +created_at > $4
  order by +created_at desc limit 1`);
const forget = writtenQuery('delete from notifications where id = $1');
const countsOf = writtenQuery<{ kept: number; unread: number | null }>(`
  select count(*) as kept, sum(case when is_read = 0 and held = 0 then 1 else 0 end) as unread
  from notifications where recipient_id = $1`);
const oldestOf = writtenQuery<Pick<NotificationRow, 'id' | 'held' | 'is_read'>>(`
  select id, held, is_read from notifications where recipient_id = $1 and id != $2
  order by is_read desc, updated_at, id limit $3`);

/** @returns undefined for somebody who is no member, such as the operator of the node */
async function preferencesOf(tx: Context, memberId: string): Promise<{ preferences: Preferences } | undefined> {
  const [row] = (await tx.db.executeQuery(preferencesBy(memberId))).rows;
  if (row === undefined) return undefined;
  return { preferences: row.member_id === null ? undefined : row };
}

function groupKeyOf({ type, targetId }: NewNotification): string | undefined {
  return targetId === undefined ? undefined : `${type}:${targetId}`;
}

/** Makes an earlier one stand for this one too. One that waits and one that was delivered are no group: it would be delivered early. */
async function grouped(tx: Context, wanted: NewNotification, held: number): Promise<NotificationRow | undefined> {
  const groupKey = groupKeyOf(wanted);
  if (groupKey === undefined) return undefined;
  const now = tx.clock.now();
  const found = await tx.db.executeQuery(unreadOf(wanted.recipientId, groupKey, held, now - GROUP_MS));
  const [earlier] = found.rows;
  if (earlier === undefined) return undefined;
  return await tx.db
    .updateTable('notifications')
    .set((e) => ({
      count: e('count', '+', 1),
      content: wanted.content,
      actor_id: wanted.actorId ?? null,
      updated_at: now,
    }))
    .where('id', '=', earlier.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function added(
  tx: Context,
  wanted: NewNotification,
  held: number,
): Promise<{ readonly row: NotificationRow; readonly unread: number }> {
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
  };
  await insertRows(tx.db, 'notifications', [row]);
  return { row, unread: await dropOldest(tx, wanted.recipientId, id) };
}

/** Nobody reads so many. Read ones go before unread ones, the oldest first. @returns how many are unread now, without those that wait */
async function dropOldest(tx: Context, recipientId: string, newest: string): Promise<number> {
  const { kept, unread } = onlyRow((await tx.db.executeQuery(countsOf(recipientId))).rows);
  const left = unread ?? 0;
  if (kept <= notificationLimits.kept) return left;
  const more = kept - notificationLimits.kept;
  const { rows: oldest } = await tx.db.executeQuery(oldestOf(recipientId, newest, more));
  for (const { id, held } of oldest) {
    await tx.db.executeQuery(forget(id));
    if (held === 0) await tellChange(tx, recipientId, 'deleted', id);
  }
  return left - oldest.filter(({ held, is_read: isRead }) => held === 0 && isRead === 0).length;
}
