import type { Context } from '../../../service/context.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';

/** Ids that one message may connect. */
const MOST_IDS = 100;

/**
 * The thread of a message, by its ids: its own, if it isn't another message's, and those that it refers to, in the transaction that adds it.
 * Ids that nobody has seen count as well, so the order of arrival doesn't matter: what comes late joins threads that had nothing in common
 * before. The older thread stays.
 */
export async function joinThread(tx: Context, memberId: string, named: readonly string[]): Promise<string> {
  const ids = [...new Set(named)].slice(0, MOST_IDS);
  const [first] = ids;
  if (first === undefined) return recordId(tx.clock.now(), tx.random);
  if (ids.length === 1) return await threadOfOne(tx, memberId, first);
  const known = await tx.db
    .selectFrom('mail_thread_ids')
    .select(['message_id', 'thread_id'])
    .where('member_id', '=', memberId)
    .where('message_id', 'in', ids)
    .execute();
  const threads = [...new Set(known.map(({ thread_id: id }) => id))].toSorted();
  const threadId = threads[0] ?? recordId(tx.clock.now(), tx.random);
  const others = threads.slice(1);
  if (others.length > 0) {
    for (const table of ['mail_thread_ids', 'mail_items'] as const)
      await tx.db
        .updateTable(table)
        .set({ thread_id: threadId })
        .where('member_id', '=', memberId)
        .where('thread_id', 'in', others)
        .execute();
  }
  const before = new Set(known.map(({ message_id: id }) => id));
  const fresh = ids.filter((id) => !before.has(id));
  if (fresh.length > 0)
    await tx.db
      .insertInto('mail_thread_ids')
      .values(fresh.map((id) => ({ member_id: memberId, message_id: id, thread_id: threadId })))
      .onConflict((conflict) => conflict.columns(['member_id', 'message_id']).doUpdateSet({ thread_id: threadId }))
      .execute();
  return threadId;
}

const begin = writtenQuery<{ thread_id: string }>(`
  insert into mail_thread_ids (member_id, message_id, thread_id) values ($1, $2, $3)
  on conflict (member_id, message_id) do update set thread_id = mail_thread_ids.thread_id returning thread_id`);

/** Most messages refer to none, and one statement is enough. */
async function threadOfOne(tx: Context, memberId: string, messageId: string): Promise<string> {
  const { rows } = await tx.db.executeQuery(begin(memberId, messageId, recordId(tx.clock.now(), tx.random)));
  return onlyRow(rows).thread_id;
}

/** Forgets the ids of a thread that has no messages any more. */
export async function leaveThread(tx: Context, memberId: string, threadId: string): Promise<void> {
  const left = await tx.db
    .selectFrom('mail_items')
    .select('id')
    .where('member_id', '=', memberId)
    .where('thread_id', '=', threadId)
    .limit(1)
    .executeTakeFirst();
  if (left !== undefined) return;
  await tx.db
    .deleteFrom('mail_thread_ids')
    .where('member_id', '=', memberId)
    .where('thread_id', '=', threadId)
    .execute();
}
