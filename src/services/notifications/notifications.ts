import type { Actor } from '../../actor.ts';
import { transaction, type Context } from '../../context.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { countUnread, shown, tellChange, tellCount } from '../../notifications/telling.ts';
import { Problem } from '../../problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../store/page.ts';

interface One {
  readonly notificationId: string;
}

export async function list(
  ctx: Context,
  { memberId }: Actor,
  { unread, ...page }: PageRequest & { unread?: 'true' | 'false' | undefined },
): Promise<{ notifications: Notification[] } & Next> {
  let query = ctx.db.selectFrom('notifications').selectAll().where('recipient_id', '=', memberId).where('held', '=', 0);
  if (unread !== undefined) query = query.where('is_read', '=', unread === 'true' ? 0 : 1);
  const by = [
    desc<{ updated_at: number }>('updated_at', (row) => row.updated_at),
    desc<{ id: string }>('id', (row) => row.id),
  ];
  const { rows, next } = await readPage(
    ctx,
    query,
    { list: 'notifications.list', memberId, filter: { unread }, by },
    page,
  );
  return { notifications: rows.map(shown), ...next };
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
    const row = await tx.db
      .selectFrom('notifications')
      .selectAll()
      .where('id', '=', notificationId)
      .where('recipient_id', '=', memberId)
      .where('held', '=', 0)
      .executeTakeFirst();
    if (row === undefined) throw notFound();
    if (row.is_read === 1) return { notification: shown(row) };
    await tx.db.updateTable('notifications').set({ is_read: 1 }).where('id', '=', notificationId).execute();
    await tellChange(tx, memberId, 'read', notificationId);
    await tellCount(tx, memberId);
    return { notification: shown({ ...row, is_read: 1 }) };
  });
}

export async function markAllRead(ctx: Context, { memberId }: Actor): Promise<{ marked: number; unreadCount: number }> {
  return await transaction(ctx, async (tx) => {
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
    return { marked: marked.length, unreadCount: 0 };
  });
}

export async function remove(ctx: Context, { memberId }: Actor, { notificationId }: One): Promise<One> {
  return await transaction(ctx, async (tx) => {
    const { numDeletedRows } = await tx.db
      .deleteFrom('notifications')
      .where('id', '=', notificationId)
      .where('recipient_id', '=', memberId)
      .where('held', '=', 0)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw notFound();
    await tellChange(tx, memberId, 'deleted', notificationId);
    await tellCount(tx, memberId);
    return { notificationId };
  });
}

export async function removeAll(ctx: Context, { memberId }: Actor): Promise<{ deleted: number }> {
  return await transaction(ctx, async (tx) => {
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
    return { deleted: deleted.length };
  });
}

/** The same for one that doesn't exist, waits, or is somebody else's. */
function notFound(): Problem {
  return new Problem('missing', 'NOTIFICATION_NOT_FOUND', 'You have no such notification.');
}
