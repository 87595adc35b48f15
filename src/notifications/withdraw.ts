import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import { eraseEvents } from '../store/event-rows.ts';
import { withoutActor } from './groups.ts';
import { noteWithdrawn } from './once.ts';
import type { NotificationRow } from '../store/tables/notifications.ts';
import { namedQuery, writtenQuery } from '../store/written-query.ts';
import { tellAgain, tellChange, tellCount, topicOf } from './telling.ts';

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
      /** what one member was told of another one, of all types or of some */
      readonly actorId: string;
      readonly recipientId: string;
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
  if (what.actorId !== undefined) return await withdrawActor(tx, what);
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

const forget = writtenQuery('delete from notifications where id = $1');

type OfActor = Extract<Withdrawn, { readonly actorId: string }>;

type Causing = ReturnType<typeof namedQuery<NotificationRow>>;
const causing = new Map<string, Causing>();

/** What one member caused. Its text comes again and again: whoever takes back a like waits for it. Types are words of the contract. */
function causedBy({ targetId, recipientId }: OfActor, types: readonly NotificationType[] | undefined): Causing {
  const conditions = [
    '(actor_id = :actor or exists (select 1 from notification_actors a where a.notification_id = n.id and a.actor_id = :actor))',
    ...(targetId === undefined ? [] : ['target_id = :target']),
    ...(recipientId === undefined ? [] : ['recipient_id = :recipient']),
    ...(types === undefined ? [] : [`type in ('${types.join("', '")}')`]),
  ];
  const text = `select * from notifications n where ${conditions.join(' and ')} order by recipient_id, id`;
  const query = causing.get(text) ?? namedQuery<NotificationRow>(text);
  causing.set(text, query);
  return query;
}

async function withdrawActor(tx: Context, what: OfActor): Promise<void> {
  const { targetId, actorId, recipientId } = what;
  const query = causedBy(what, what.type === undefined ? what.types : [what.type]);
  const { rows } = await tx.db.executeQuery(query({ actor: actorId, target: targetId, recipient: recipientId }));
  for (const row of rows) {
    const { id, recipient_id: memberId, held } = row;
    if (row.target_id !== null)
      await noteWithdrawn(tx, { recipientId: memberId, type: row.type, targetId: row.target_id, actorId });
    const left = await withoutActor(tx, row, actorId);
    if (left === undefined) await tx.db.executeQuery(forget(id));
    if (held !== 0) continue;
    await eraseEvents(tx.db, topicOf(memberId));
    await (left === undefined ? tellChange(tx, memberId, 'deleted', id) : tellAgain(tx, left));
    await tellCount(tx, memberId);
  }
}
