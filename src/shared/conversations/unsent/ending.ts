import type { Context } from '../../../service/context.ts';
import { groupBy } from '../../../base/group-by.ts';
import type { ConversationScheduledRow } from '../../../platform/store/tables/conversation-drafts.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { freeStorageOf } from '../../members/storage.ts';
import { notify } from '../../notifications/notify.ts';
import { tellScheduled } from './events.ts';

/** Rows that one transaction erases. Each may notify a member. */
const TOGETHER = 50;

/**
 * What members had written in a conversation and not sent ends with their right to it, in the transaction that takes the right: the drafts are
 * gone, and what was to be sent later has failed, without its text.
 */
export async function endUnsent(tx: Context, conversationId: string, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  const drafts = await tx.db
    .selectFrom('conversation_drafts')
    .select(['member_id', 'bytes'])
    .where('conversation_id', '=', conversationId)
    .where('member_id', 'in', memberIds)
    .execute();
  const scheduled = await tx.db
    .selectFrom('conversation_scheduled')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('member_id', 'in', memberIds)
    .execute();
  const waiting = scheduled.filter(({ failed }) => failed === null);
  await tellEnded(tx, waiting, 'failed', 'FORBIDDEN');
  await free(tx, [...drafts, ...scheduled]);
  if (drafts.length > 0)
    await tx.db
      .deleteFrom('conversation_drafts')
      .where('conversation_id', '=', conversationId)
      .where('member_id', 'in', memberIds)
      .execute();
  if (scheduled.length === 0) return;
  const erased = tx.db
    .updateTable('conversation_scheduled')
    .where('conversation_id', '=', conversationId)
    .where('member_id', 'in', memberIds);
  await erased.set({ sealed: null, bytes: 0 }).execute();
  if (waiting.length > 0) await erased.set({ failed: 'FORBIDDEN' }).where('failed', 'is', null).execute();
}

const someDrafts = writtenQuery<{ member_id: string; bytes: number }>(`
  select member_id, bytes from conversation_drafts where conversation_id = $1 order by member_id limit ${TOGETHER}`);
const removeDrafts = writtenQuery('delete from conversation_drafts where conversation_id = $1 and member_id <= $2');
const someScheduled = writtenQuery<ConversationScheduledRow>(`
  select * from conversation_scheduled where conversation_id = $1 order by member_id, id limit ${TOGETHER}`);

/** Erases some of what was not sent in a deleted conversation. @returns whether some may be left */
export async function eraseSomeUnsent(tx: Context, conversationId: string): Promise<boolean> {
  const drafts = (await tx.db.executeQuery(someDrafts(conversationId))).rows;
  const scheduled = (await tx.db.executeQuery(someScheduled(conversationId))).rows;
  await tellEnded(
    tx,
    scheduled.filter(({ failed }) => failed === null),
    'removed',
    'CONVERSATION_NOT_FOUND',
  );
  await free(tx, [...drafts, ...scheduled]);
  const last = drafts.at(-1);
  if (last !== undefined) await tx.db.executeQuery(removeDrafts(conversationId, last.member_id));
  const ids = scheduled.map(({ id }) => id);
  if (ids.length > 0) await tx.db.deleteFrom('conversation_scheduled').where('id', 'in', ids).execute();
  return drafts.length === TOGETHER || scheduled.length === TOGETHER;
}

/** Erases all that a member had in a conversation, with what failed. */
export async function eraseUnsentOf(tx: Context, conversationId: string, memberId: string): Promise<void> {
  await endUnsent(tx, conversationId, [memberId]);
  await tx.db
    .deleteFrom('conversation_scheduled')
    .where('conversation_id', '=', conversationId)
    .where('member_id', '=', memberId)
    .execute();
}

type Waiting = Pick<ConversationScheduledRow, 'id' | 'member_id' | 'conversation_id' | 'send_at'>;

async function tellEnded(
  tx: Context,
  rows: readonly Waiting[],
  status: 'failed' | 'removed',
  reason: string,
): Promise<void> {
  const ofMembers = groupBy(rows, (row) => row.member_id);
  for (const memberId of [...ofMembers.keys()].toSorted()) {
    const own = ofMembers.get(memberId) ?? [];
    const [first] = own;
    const content =
      own.length === 1
        ? 'A message that you had scheduled is not sent: you are not in its conversation any more.'
        : `${own.length} messages that you had scheduled are not sent: you are not in their conversation any more.`;
    await notify(tx, { recipientId: memberId, type: 'system_alert', targetId: first?.conversation_id, content });
    await tellScheduled(tx, memberId, own, { status, reason });
  }
}

async function free(
  tx: Context,
  rows: readonly { readonly member_id: string; readonly bytes: number }[],
): Promise<void> {
  await freeStorageOf(
    tx,
    rows.map(({ member_id: memberId, bytes }) => ({ memberId, bytes })),
  );
}
