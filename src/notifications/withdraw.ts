import type { Context } from '../context.ts';
import type { NotificationType } from '../contract/notifications/notification.ts';
import { eraseEvents } from '../store/event-rows.ts';
import { tellChange, tellCount, topicOf } from './telling.ts';

/** Which notifications are over. */
export interface Withdrawn {
  readonly targetId: string;
  readonly type?: NotificationType;
  /** all members unless one is named */
  readonly recipientId?: string;
}

/**
 * Deletes notifications of what is over, or no longer for their recipient, in the transaction that ends it. What was told of them is
 * erased too, so that nobody who was away hears of it.
 */
export async function withdraw(tx: Context, { targetId, type, recipientId }: Withdrawn): Promise<void> {
  let gone = tx.db.deleteFrom('notifications').where('target_id', '=', targetId);
  if (type !== undefined) gone = gone.where('type', '=', type);
  if (recipientId !== undefined) gone = gone.where('recipient_id', '=', recipientId);
  const rows = await gone.returning(['id', 'recipient_id', 'held']).execute();
  const told = new Map<string, string[]>();
  for (const { id, recipient_id: memberId, held } of rows)
    if (held === 0) told.set(memberId, [...(told.get(memberId) ?? []), id]);
  for (const [memberId, ids] of [...told].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await eraseEvents(tx.db, topicOf(memberId));
    for (const id of ids.toSorted()) await tellChange(tx, memberId, 'deleted', id);
    await tellCount(tx, memberId);
  }
}
