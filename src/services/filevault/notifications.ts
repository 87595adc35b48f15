import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Notification } from '../../contract/notifications/notification.ts';
import { shown, tellChange, tellCount } from '../../shared/notifications/telling.ts';
import { fieldProblem } from '../../base/problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../platform/store/page.ts';

type Listed = { notifications: Notification[]; unreadCount: number } & Next;

function unreadOf({ db }: Pick<Context, 'db'>, memberId: string) {
  return db
    .selectFrom('notifications')
    .where('recipient_id', '=', memberId)
    .where('category', '=', 'files')
    .where('held', '=', 0)
    .where('is_read', '=', 0);
}

async function countUnread(ctx: Pick<Context, 'db'>, memberId: string): Promise<number> {
  const { count } = await unreadOf(ctx, memberId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function listFileNotifications(
  ctx: Context,
  { memberId }: Actor,
  { unread, ...page }: PageRequest & { readonly unread?: 'true' | 'false' | undefined },
): Promise<Listed> {
  let query = ctx.db
    .selectFrom('notifications')
    .selectAll()
    .where('recipient_id', '=', memberId)
    .where('category', '=', 'files')
    .where('held', '=', 0);
  if (unread !== undefined) query = query.where('is_read', '=', unread === 'true' ? 0 : 1);
  const by = [
    desc<{ updated_at: number }>('updated_at', (row) => row.updated_at),
    desc<{ id: string }>('id', (row) => row.id),
  ];
  const listing = { list: 'filevault.list-notifications', memberId, filter: { unread }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  return { notifications: rows.map(shown), unreadCount: await countUnread(ctx, memberId), ...next };
}

export async function readFileNotifications(
  ctx: Context,
  { memberId }: Actor,
  { ids, all }: { readonly ids?: readonly string[] | undefined; readonly all?: true | undefined },
): Promise<{ marked: number; unreadCount: number }> {
  return await transaction(ctx, async (tx) => {
    if ((ids === undefined) === (all === undefined)) throw fieldProblem('ids', 'must be given, or `all`, and not both');
    let query = unreadOf(tx, memberId).select('id').orderBy('id');
    if (ids !== undefined) query = query.where('id', 'in', [...ids]);
    const rows = await query.execute();
    if (rows.length > 0)
      await tx.db
        .updateTable('notifications')
        .set({ is_read: 1 })
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .execute();
    for (const { id } of rows) await tellChange(tx, memberId, 'read', id);
    if (rows.length > 0) await tellCount(tx, memberId);
    return { marked: rows.length, unreadCount: await countUnread(tx, memberId) };
  });
}
