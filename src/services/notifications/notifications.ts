import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { transaction, type Context } from '../../context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { countUnread, seenRows, seenTold, withSeenActors } from '../../notifications/seeing.ts';
import { shown, tellChange, tellCount } from '../../notifications/telling.ts';
import { Problem } from '../../problem.ts';
import type { NotificationRow } from '../../store/tables/notifications.ts';
import { desc, pageOf, type Next, type PageRequest } from '../../store/page.ts';

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
  const notifications: Notification[] = [];
  for (const row of rows) notifications.push(...(await shownAsSeen(ctx, row)));
  return { notifications, ...next };
}

/** In the list, and for the eyes of the member at this moment: nothing says anything of others. */
function visibleOf(ctx: Context, memberId: string) {
  return ctx.db
    .selectFrom('notifications as n')
    .selectAll()
    .where('recipient_id', '=', memberId)
    .where('held', '=', 0)
    .where(sql<boolean>`(${sql.raw(seenTold(ctx, 'n'))})`);
}

/** @returns nothing if it was hidden since it was read */
async function shownAsSeen(ctx: Context, row: NotificationRow): Promise<Notification[]> {
  const seen = await withSeenActors(ctx, row);
  return seen === undefined ? [] : [shown(seen)];
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
    const row = await visibleOf(tx, memberId).where('id', '=', notificationId).executeTakeFirst();
    const [notification] = row === undefined ? [] : await shownAsSeen(tx, row);
    if (notification === undefined) throw notFound();
    if (notification.isRead) return { notification };
    await tx.db.updateTable('notifications').set({ is_read: 1 }).where('id', '=', notificationId).execute();
    await tellChange(tx, memberId, 'read', notificationId);
    await tellCount(tx, memberId);
    return { notification: { ...notification, isRead: true } };
  });
}

/** What is hidden is marked too, so that it does not come back as new. */
export async function markAllRead(ctx: Context, { memberId }: Actor): Promise<{ marked: number; unreadCount: number }> {
  return await transaction(ctx, async (tx) => {
    const visible = await countUnread(tx, memberId);
    const marked = await tx.db
      .updateTable('notifications')
      .set({ is_read: 1 })
      .where('recipient_id', '=', memberId)
      .where('is_read', '=', 0)
      .where('held', '=', 0)
      .returning('id')
      .execute();
    if (marked.length > 0) {
      await tellChange(tx, memberId, 'read');
      await tellCount(tx, memberId);
    }
    return { marked: visible, unreadCount: 0 };
  });
}

export async function remove(ctx: Context, { memberId }: Actor, { notificationId }: One): Promise<One> {
  return await transaction(ctx, async (tx) => {
    const row = await visibleOf(tx, memberId).where('id', '=', notificationId).executeTakeFirst();
    if (row === undefined) throw notFound();
    await tx.db.deleteFrom('notifications').where('id', '=', notificationId).execute();
    await tellChange(tx, memberId, 'deleted', notificationId);
    await tellCount(tx, memberId);
    return { notificationId };
  });
}

/** What is hidden goes too, so that it does not come back. */
export async function removeAll(ctx: Context, { memberId }: Actor): Promise<{ deleted: number }> {
  return await transaction(ctx, async (tx) => {
    const visible = await visibleOf(tx, memberId).select('id').execute();
    const deleted = await tx.db
      .deleteFrom('notifications')
      .where('recipient_id', '=', memberId)
      .where('held', '=', 0)
      .returning('id')
      .execute();
    if (deleted.length > 0) {
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
