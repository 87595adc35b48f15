import type { NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { NotificationActorRow, NotificationRow } from '../../platform/store/tables/notifications.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';

/** So long after the first of a group others join it. */
const GROUP_MS = 60 * 60 * 1000;

export function groupKeyOf({ type, targetId }: Pick<NewNotification, 'type' | 'targetId'>): string | undefined {
  return targetId === undefined ? undefined : `${type}:${targetId}`;
}

// With the plus signs SQLite takes the index of groups, and not those of all notifications by time and by what is read.
const unreadOf = writtenQuery<NotificationRow>(`
  select * from notifications
  where recipient_id = $1 and type = $2 and target_id = $3 and +is_read = 0 and +held = $4 and +created_at > $5
  order by +created_at desc limit 1`);

/** Makes an earlier one stand for this one too. One that waits and one that was delivered are no group: it would be delivered early. */
export async function joinGroup(
  tx: Context,
  wanted: NewNotification,
  { held, digest }: Pick<NotificationRow, 'held' | 'digest'>,
): Promise<NotificationRow | undefined> {
  const { recipientId, type, targetId } = wanted;
  if (targetId === undefined) return undefined;
  const now = tx.clock.now();
  const found = await tx.db.executeQuery(unreadOf(recipientId, type, targetId, held, now - GROUP_MS));
  const [earlier] = found.rows;
  if (earlier === undefined) return undefined;
  const { actor_count: actorCount, actors } = await withActor(tx, earlier, wanted, now);
  return await tx.db
    .updateTable('notifications')
    .set((e) => ({
      count: e('count', '+', 1),
      content: wanted.content,
      actor_id: wanted.actorId ?? null,
      actors,
      actor_count: actorCount,
      digest: Math.max(earlier.digest, digest),
      updated_at: now,
    }))
    .where('id', '=', earlier.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Actors = Pick<NotificationRow, 'actors' | 'actor_count'>;

/** Most notifications have one actor, who stands in their own row. Only of several there are rows. */
async function withActor(
  tx: Context,
  earlier: NotificationRow,
  { actorId, content }: NewNotification,
  now: number,
): Promise<Actors> {
  const { id, actor_id: last, actors, actor_count: count } = earlier;
  if (actorId === undefined) return { actors, actor_count: count };
  if (count === 0 || (count === 1 && last === actorId)) return { actors, actor_count: 1 };
  if (actors === null) {
    if (last === null) return { actors: null, actor_count: 1 };
    await addActor(tx, actorRow(id, last, { content: earlier.content, at: earlier.updated_at, times: earlier.count }));
  }
  const isNew = await addActor(tx, actorRow(id, actorId, { content, at: now, times: 1 }));
  const named = actors === null ? [last ?? ''] : (JSON.parse(actors) as string[]);
  const latest = [actorId, ...named.filter((one) => one !== actorId)].slice(0, notificationLimits.actors);
  return { actors: JSON.stringify(latest), actor_count: count + (isNew ? 1 : 0) };
}

function actorRow(
  notificationId: string,
  actorId: string,
  rest: Pick<NotificationActorRow, 'content' | 'times' | 'at'>,
): NotificationActorRow {
  return { notification_id: notificationId, actor_id: actorId, ...rest };
}

/** @returns whether the actor is a new one */
async function addActor({ db }: Context, row: NotificationActorRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notification_actors')
    .set((e) => ({ content: row.content, at: row.at, times: e('times', '+', row.times) }))
    .where('notification_id', '=', row.notification_id)
    .where('actor_id', '=', row.actor_id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return false;
  await insertRows(db, 'notification_actors', [row]);
  return true;
}

const forgetActor = writtenQuery<{ times: number }>(
  'delete from notification_actors where notification_id = $1 and actor_id = $2 returning times',
);
const latestActors = writtenQuery<NotificationActorRow>(
  'select * from notification_actors where notification_id = $1 order by at desc, actor_id limit $2',
);

/**
 * Takes an actor out of a notification that others caused too. It says then what it said of the last one who is left.
 * @returns the notification as it is now, or undefined if nobody is left
 */
export async function withoutActor(
  { db }: Context,
  row: NotificationRow,
  actorId: string,
): Promise<NotificationRow | undefined> {
  const [gone] = (await db.executeQuery(forgetActor(row.id, actorId))).rows;
  const { rows: left } = await db.executeQuery(latestActors(row.id, notificationLimits.actors));
  const [latest] = left;
  if (latest === undefined) return undefined;
  const isLast = row.actor_id === actorId;
  return await db
    .updateTable('notifications')
    .set({
      ...(isLast && { actor_id: latest.actor_id, content: latest.content }),
      actors: JSON.stringify(left.map((one) => one.actor_id)),
      actor_count: Math.max(1, row.actor_count - 1),
      count: Math.max(1, row.count - (gone?.times ?? 0)),
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
