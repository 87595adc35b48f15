import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import { eraseEvents } from '../store/event-rows.ts';
import { tellChange, tellCount, topicOf } from './telling.ts';

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
      readonly recipientId: string;
      readonly type: NotificationType;
      readonly targetId?: undefined;
      readonly actorId?: undefined;
    }
  /** what one member was told of another one, of all types or of some */
  | {
      readonly recipientId: string;
      readonly actorId: string;
      readonly types?: readonly NotificationType[];
      readonly type?: undefined;
      readonly targetId?: undefined;
    };

/**
 * Deletes notifications of what is over, or no longer for their recipient, in the transaction that ends it. What was told of them is
 * erased too, so that nobody who was away hears of it.
 */
export async function withdraw(tx: Context, over: Withdrawn): Promise<void> {
  const { targetId, type, recipientId, actorId } = over;
  let gone = tx.db.deleteFrom('notifications');
  if (targetId !== undefined) gone = gone.where('target_id', '=', targetId);
  if (type !== undefined) gone = gone.where('type', '=', type);
  if (recipientId !== undefined) gone = gone.where('recipient_id', '=', recipientId);
  if (actorId !== undefined) gone = gone.where('actor_id', '=', actorId);
  if (over.actorId !== undefined && over.types !== undefined) gone = gone.where('type', 'in', over.types);
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
