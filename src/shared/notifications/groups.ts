import type { About } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { NotificationActorRow, NotificationRow } from '../../platform/store/tables/notifications.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';

/** So long after the first of a group others join it. */
const GROUP_MS = 60 * 60 * 1000;

export function groupKeyOf({ type, targetId }: Pick<About, 'type' | 'targetId'>): string | undefined {
  return targetId === undefined ? undefined : `${type}:${targetId}`;
}

// With the plus signs SQLite takes the index of groups, and not those of all notifications by time and by what is read.
const unreadOf = writtenList<NotificationRow>(
  3,
  (members) => `
  select * from notifications
  where type = $1 and target_id = $2 and +is_read = 0 and +created_at > $3 and recipient_id in ${members}
  order by +created_at`,
);

/** What joins a group, if its recipient has one. */
interface Joining extends Pick<NotificationRow, 'held' | 'digest'> {
  readonly recipientId: string;
}

/**
 * Makes earlier ones stand for this one too. One that waits and one that was delivered are no group: it would be delivered early.
 * @returns by recipients, how the rows are to be written
 */
export async function joinGroups(
  tx: Context,
  about: About & { readonly content: string },
  joining: readonly Joining[],
): Promise<ReadonlyMap<string, NotificationRow>> {
  const { type, targetId, actorId, content } = about;
  if (targetId === undefined || joining.length === 0) return new Map();
  const now = tx.clock.now();
  const members = joining.map(({ recipientId }) => recipientId);
  const { rows } = await tx.db.executeQuery(unreadOf(members, type, targetId, now - GROUP_MS));
  const unread = groupBy(rows, (row) => row.recipient_id);
  const found = joining.flatMap(({ recipientId, held, digest }) => {
    const earlier = unread.get(recipientId)?.findLast((row) => row.held === held);
    return earlier === undefined ? [] : [{ earlier, digest }];
  });
  const actors = await withActor(
    tx,
    found.map(({ earlier }) => earlier),
    { actorId, content },
    now,
  );
  return new Map(
    found.map(({ earlier, digest }): [string, NotificationRow] => [
      earlier.recipient_id,
      {
        ...earlier,
        ...actors.get(earlier.id),
        count: earlier.count + 1,
        content,
        actor_id: actorId ?? null,
        digest: Math.max(earlier.digest, digest),
        updated_at: now,
      },
    ]),
  );
}

type Actors = Pick<NotificationRow, 'actors' | 'actor_count'>;

/**
 * Most notifications have one actor, who stands in their own row. Only of several there are rows.
 * @returns by notifications
 */
async function withActor(
  tx: Context,
  all: readonly NotificationRow[],
  { actorId, content }: { readonly actorId: string | undefined; readonly content: string },
  now: number,
): Promise<ReadonlyMap<string, Actors>> {
  const found = new Map<string, Actors>();
  const mixed: NotificationRow[] = [];
  for (const row of all) {
    const { id, actor_id: last, actors, actor_count: count } = row;
    if (actorId === undefined) found.set(id, { actors, actor_count: count });
    else if (count === 0 || (count === 1 && last === actorId)) found.set(id, { actors, actor_count: 1 });
    else if (actors === null && last === null) found.set(id, { actors: null, actor_count: 1 });
    else mixed.push(row);
  }
  if (actorId === undefined || mixed.length === 0) return found;
  const rows = mixed.flatMap(({ id, actors, actor_id: last, content: said, updated_at: at, count: times }) => [
    ...(actors === null && last !== null ? [actorRow(id, last, { content: said, at, times })] : []),
    actorRow(id, actorId, { content, at: now, times: 1 }),
  ]);
  const isNew = await addActors(tx, rows, actorId);
  for (const { id, actor_id: last, actors, actor_count: count } of mixed) {
    const named = actors === null ? [last ?? ''] : (JSON.parse(actors) as string[]);
    const latest = [actorId, ...named.filter((one) => one !== actorId)].slice(0, notificationLimits.actors);
    found.set(id, { actors: JSON.stringify(latest), actor_count: count + (isNew.has(id) ? 1 : 0) });
  }
  return found;
}

function actorRow(
  notificationId: string,
  actorId: string,
  rest: Pick<NotificationActorRow, 'content' | 'times' | 'at'>,
): NotificationActorRow {
  return { notification_id: notificationId, actor_id: actorId, ...rest };
}

/** @returns ids of the notifications of which this actor is a new one */
async function addActors(
  { db }: Context,
  rows: readonly NotificationActorRow[],
  actorId: string,
): Promise<ReadonlySet<string>> {
  const added = await db
    .insertInto('notification_actors')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['notification_id', 'actor_id']).doUpdateSet((e) => ({
        content: e.ref('excluded.content'),
        at: e.ref('excluded.at'),
        times: e('notification_actors.times', '+', e.ref('excluded.times')),
      })),
    )
    .returning(['notification_id', 'actor_id', 'times'])
    .execute();
  // Whoever was there already has more than this one time.
  return new Set(added.flatMap((row) => (row.actor_id === actorId && row.times === 1 ? [row.notification_id] : [])));
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
