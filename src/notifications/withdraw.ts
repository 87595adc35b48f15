import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import { eraseEvents } from '../store/event-rows.ts';
import { withoutActor } from './groups.ts';
import { noteWithdrawn } from './once.ts';
import { tellChange, tellCount, tellNew, topicOf } from './telling.ts';

/** Something can concern many members. Between so many of them other work of the process gets a turn. */
const MEMBERS_AT_ONCE = 16;

/** Which notifications are over. */
export type Withdrawn =
  | {
      readonly targetId: string;
      readonly type?: NotificationType;
      /** all members unless one is named */
      readonly recipientId?: string;
      readonly actorId?: undefined;
    }
  | {
      /** what one member did is taken back; what others did to the same target stays */
      readonly actorId: string;
      readonly type: NotificationType;
      readonly targetId: string;
      readonly recipientId?: string;
    }
  | {
      /** all that one member was told of another one */
      readonly actorId: string;
      readonly recipientId: string;
      /** of these types alone */
      readonly types?: readonly NotificationType[];
      readonly type?: undefined;
      readonly targetId?: undefined;
    }
  | {
      readonly recipientId: string;
      readonly type: NotificationType;
      readonly targetId?: undefined;
      readonly actorId?: undefined;
    };

/**
 * Deletes notifications of what is over, or no longer for their recipient, in the transaction that ends it. What was told of them is
 * erased too, so that nobody who was away hears of it.
 */
export async function withdraw(tx: Context, what: Withdrawn): Promise<void> {
  if (what.actorId !== undefined)
    return await withdrawActor(tx, what, what.type === undefined ? what.types : undefined);
  const { targetId, type, recipientId } = what;
  let gone = tx.db.deleteFrom('notifications');
  if (targetId !== undefined) gone = gone.where('target_id', '=', targetId);
  if (type !== undefined) gone = gone.where('type', '=', type);
  if (recipientId !== undefined) gone = gone.where('recipient_id', '=', recipientId);
  const rows = await gone.returning(['id', 'recipient_id', 'held']).execute();
  const told = new Map<string, string[]>();
  for (const { id, recipient_id: memberId, held } of rows)
    if (held === 0) told.set(memberId, [...(told.get(memberId) ?? []), id]);
  let done = 0;
  for (const [memberId, ids] of [...told].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await eraseEvents(tx.db, topicOf(memberId));
    for (const id of ids.toSorted()) await tellChange(tx, memberId, 'deleted', id);
    await tellCount(tx, memberId);
    done += 1;
    if (done % MEMBERS_AT_ONCE === 0) await nextTurn();
  }
}

type OfActor = Extract<Withdrawn, { readonly actorId: string }>;

async function withdrawActor(
  tx: Context,
  { targetId, type, actorId, recipientId }: OfActor,
  types: readonly NotificationType[] | undefined,
): Promise<void> {
  let caused = tx.db
    .selectFrom('notifications')
    .selectAll()
    .where((e) =>
      e.or([
        e('actor_id', '=', actorId),
        e.exists(
          e
            .selectFrom('notification_actors as a')
            .select('a.actor_id')
            .whereRef('a.notification_id', '=', 'notifications.id')
            .where('a.actor_id', '=', actorId),
        ),
      ]),
    );
  if (targetId !== undefined) caused = caused.where('target_id', '=', targetId);
  if (type !== undefined) caused = caused.where('type', '=', type);
  if (types !== undefined) caused = caused.where('type', 'in', types);
  if (recipientId !== undefined) caused = caused.where('recipient_id', '=', recipientId);
  const rows = await caused.orderBy('recipient_id').orderBy('id').execute();
  for (const row of rows) {
    const { id, recipient_id: memberId, held } = row;
    if (row.target_id !== null)
      await noteWithdrawn(tx, { recipientId: memberId, type: row.type, targetId: row.target_id, actorId });
    const left = await withoutActor(tx, row, actorId);
    if (left === undefined) await tx.db.deleteFrom('notifications').where('id', '=', id).execute();
    if (held !== 0) continue;
    await eraseEvents(tx.db, topicOf(memberId));
    await (left === undefined ? tellChange(tx, memberId, 'deleted', id) : tellNew(tx, left));
    await tellCount(tx, memberId);
  }
}
