import type { Context } from '../../service/context.ts';
import { topicName } from '../../contract/event.ts';
import { notificationEvents, notificationsTopic } from '../../contract/notifications/events.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { publish, publishAll, publishToEach, said, saidLater } from '../../platform/realtime/publish.ts';
import type { NotificationRow } from '../../platform/store/tables/notifications.ts';
import { asSeen, countUnreadOfEach } from './seeing.ts';

/** The topic that only this member hears. */
export function topicOf(memberId: string): string {
  return topicName(notificationsTopic, memberId);
}

/** The member whose topic it is. */
export function memberOf(topic: string): string {
  return topic.slice(notificationsTopic.kind.length + 1);
}

export function shown(row: NotificationRow): Notification {
  return {
    _id: row.id,
    recipientId: row.recipient_id,
    type: row.type,
    category: row.category,
    content: row.content,
    ...(row.actor_id !== null && { actorId: row.actor_id }),
    ...(row.actors !== null &&
      row.actor_count > 1 && { actorIds: JSON.parse(row.actors) as string[], actorCount: row.actor_count }),
    ...(row.target_id !== null && { targetId: row.target_id }),
    groupKey: row.group_key,
    count: row.count,
    isRead: row.is_read === 1,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/** What a notification says where there is no room for its other fields. */
export function sentenceOf({ content, actor_count: actors }: Pick<NotificationRow, 'content' | 'actor_count'>): string {
  if (actors < 2) return content;
  return `${content} (and ${actors === 2 ? 'one other' : `${actors - 1} others`})`;
}

/** @param row as its recipient may see it */
export async function tellNew(tx: Context, row: NotificationRow): Promise<void> {
  await publish(tx, topicOf(row.recipient_id), notificationEvents.created, { notification: shown(row) });
}

/** Tells what is left of one that was told, as its recipient may see it. */
export async function tellAgain(tx: Context, row: NotificationRow): Promise<void> {
  const seen = await asSeen(tx, row);
  if (seen === undefined) await tellChange(tx, row.recipient_id, 'deleted', row.id);
  else await tellNew(tx, seen);
}

/** Tells that one was read or deleted, or all. */
export async function tellChange(
  tx: Context,
  memberId: string,
  what: 'read' | 'deleted',
  notificationId?: string,
): Promise<void> {
  const data = notificationId === undefined ? {} : { notificationId };
  await publish(tx, topicOf(memberId), notificationEvents[what], data);
}

/** Tells how many are unread, after all other events of a change. They are counted when somebody hears it. */
export async function tellCount(tx: Context, memberId: string): Promise<void> {
  const countOf = await countsSaid(tx, [memberId]);
  await publishAll(tx, topicOf(memberId), [countOf(memberId)]);
}

async function countsSaid(tx: Context, memberIds: readonly string[]) {
  const hearing = memberIds.filter((memberId) => tx.realtime.hears(topicOf(memberId)));
  const counts = await countUnreadOfEach(tx, hearing);
  return (memberId: string) => {
    const unreadCount = counts.get(memberId);
    const { count } = notificationEvents;
    return unreadCount === undefined ? saidLater(count) : said(count, { unreadCount });
  };
}

/** Tells several members a new one each, and then how many are unread. @param rows as their recipients may see them */
export async function tellNewCounted(tx: Context, rows: readonly NotificationRow[]): Promise<void> {
  const countOf = await countsSaid(
    tx,
    rows.map((row) => row.recipient_id),
  );
  const all = rows.map((row) => {
    const created = said(notificationEvents.created, { notification: shown(row) });
    return [topicOf(row.recipient_id), [created, countOf(row.recipient_id)]] as const;
  });
  await publishToEach(tx, new Map(all));
}
