import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { asSeen, countUnread, seenRows, withSeenActors } from '../../shared/notifications/seeing.ts';
import { shown, tellChange, tellCount } from '../../shared/notifications/telling.ts';
import { Problem } from '../../base/problem.ts';
import type { NotificationRow } from '../../platform/store/tables/notifications.ts';
import { desc, pageOf, type Next, type PageRequest } from '../../platform/store/page.ts';

interface One {
  readonly notificationId: string;
}

export async function list(
  ctx: Context,
  { memberId }: Actor,
  { unread, ...page }: PageRequest & { unread?: 'true' | 'false' | undefined },
): Promise<{ notifications: Notification[] } & Next> {
  const by = [
    desc<NotificationRow>('updated_at', (row) => row.updated_at),
    desc<NotificationRow>('id', (row) => row.id),
  ];
  const isRead = unread === undefined ? undefined : unread === 'false';
  const { rows, next } = await pageOf(
    ctx,
    { list: 'notifications.list', memberId, filter: { unread }, by },
    page,
    async ({ values: [at, id] }, most = notificationLimits.kept + 1) =>
      await seenRows(ctx, memberId, { isRead, after: at === undefined ? undefined : [at, id], most }),
  );
  // Nobody is left of what was hidden since it was read.
  const notifications = (await withSeenActors(ctx, rows)).map(shown);
  return { notifications, ...next };
}

/** One that is in the list, as the member may see it. @throws Problem missing NOTIFICATION_NOT_FOUND */
async function required(tx: Context, memberId: string, id: string): Promise<NotificationRow> {
  const row = await tx.db
    .selectFrom('notifications')
    .selectAll()
    .where('id', '=', id)
    .where('recipient_id', '=', memberId)
    .where('held', '=', 0)
    .executeTakeFirst();
  const seen = row === undefined ? undefined : await asSeen(tx, row);
  if (seen === undefined) throw notFound();
  return seen;
}

export async function unreadCount(ctx: Context, { memberId }: Actor): Promise<{ unreadCount: number }> {
  return { unreadCount: await countUnread(ctx, memberId) };
}

export async function markRead(
  ctx: Context,
  { memberId }: Actor,
  { notificationId }: One,
): Promise<{ notification: Notification }> {
  return await transaction(ctx, async (tx) => {
    const notification = shown(await required(tx, memberId, notificationId));
    if (notification.isRead) return { notification };
    await tx.db.updateTable('notifications').set({ is_read: 1 }).where('id', '=', notificationId).execute();
    await tellChange(tx, memberId, 'read', notificationId);
    await tellCount(tx, memberId);
    return { notification: { ...notification, isRead: true } };
  });
}

/** What is hidden is marked too, so that it does not come back as new. No event tells that there was some. */
export async function markAllRead(ctx: Context, { memberId }: Actor): Promise<{ marked: number; unreadCount: number }> {
  return await transaction(ctx, async (tx) => {
    const visible = await countUnread(tx, memberId);
    await tx.db
      .updateTable('notifications')
      .set({ is_read: 1 })
      .where('recipient_id', '=', memberId)
      .where('is_read', '=', 0)
      .where('held', '=', 0)
      .execute();
    if (visible > 0) {
      await tellChange(tx, memberId, 'read');
      await tellCount(tx, memberId);
    }
    return { marked: visible, unreadCount: 0 };
  });
}

export async function remove(ctx: Context, { memberId }: Actor, { notificationId }: One): Promise<One> {
  return await transaction(ctx, async (tx) => {
    await required(tx, memberId, notificationId);
    await tx.db.deleteFrom('notifications').where('id', '=', notificationId).execute();
    await tellChange(tx, memberId, 'deleted', notificationId);
    await tellCount(tx, memberId);
    return { notificationId };
  });
}

/** What is hidden goes too, so that it does not come back. No event tells that there was some. */
export async function removeAll(ctx: Context, { memberId }: Actor): Promise<{ deleted: number }> {
  return await transaction(ctx, async (tx) => {
    const visible = await seenRows(tx, memberId, { most: notificationLimits.kept });
    await tx.db.deleteFrom('notifications').where('recipient_id', '=', memberId).where('held', '=', 0).execute();
    if (visible.length > 0) {
      await tellChange(tx, memberId, 'deleted');
      await tellCount(tx, memberId);
    }
    return { deleted: visible.length };
  });
}

/** The same for one that doesn't exist, waits, is hidden, or is somebody else's. */
function notFound(): Problem {
  return new Problem('missing', 'NOTIFICATION_NOT_FOUND', 'You have no such notification.');
}
