import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { publish } from '../../platform/realtime/publish.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { freeStorageOf } from '../members/storage.ts';
import { releaseAttachments } from './attachments/references.ts';
import { topicOfInbox } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { unindexSome } from './indexing.ts';
import { eraseSomeUnsent } from './unsent/ending.ts';

/** The kind of the jobs that erase the messages of deleted conversations. */
export const erasingKind = 'chat-erasing';

/** Messages, or members, of one transaction. Other writers wait for it. */
const TOGETHER = 200;

type Deleted = Pick<ConversationRow, 'id' | 'type' | 'name'>;

/** What such a job has to know. */
export interface Erasing {
  readonly id: string;
  /** of a large one, whose members are told by the job; their places stay until then */
  readonly untold?: Omit<Deleted, 'id'> | undefined;
}

/** Tells members of a conversation that it is gone. */
export async function tellDeleted(tx: Context, conversation: Deleted, memberIds: readonly string[]): Promise<void> {
  const about = aboutConversation(conversation);
  for (const memberId of memberIds.toSorted()) {
    await publish(tx, topicOfInbox(memberId), chatEvents.removed, about);
    if (conversation.type === 'channel')
      await publish(tx, topicOfInbox(memberId), chatEvents.channelDeleted, { ...about, name: conversation.name ?? '' });
  }
}

const somePlaces = writtenQuery<{ member_id: string; left_seq: number | null }>(
  'select member_id, left_seq from conversation_places where conversation_id = $1 order by member_id limit $2',
);
const removePlaces = writtenQuery('delete from conversation_places where conversation_id = $1 and member_id <= $2');

/** @returns whether some may be left */
async function tellSome(tx: Context, conversation: Deleted): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(somePlaces(conversation.id, TOGETHER));
  const last = rows.at(-1);
  if (last === undefined) return false;
  const there = rows.filter((row) => row.left_seq === null).map((row) => row.member_id);
  await tellDeleted(tx, conversation, there);
  await tx.db.executeQuery(removePlaces(conversation.id, last.member_id));
  return rows.length === TOGETHER;
}

/** Erases what is left of a deleted conversation, some messages at a time. Nobody can read them any more: their keys went with it. */
export function erasingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { id, untold } = payload as Erasing;
    const telling = async (tx: Context): Promise<boolean> =>
      untold !== undefined && (await tellSome(tx, { id, ...untold }));
    for (const erase of [telling, eraseSome, eraseSomeUnsent, unindexSome])
      while (!signal.aborted) if (!(await transaction(ctx, async (tx) => await erase(tx, id)))) break;
  };
}

/** @returns whether some may be left */
async function eraseSome(tx: Context, conversationId: string): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('conversation_messages')
    .select(['id', 'seq', 'sender_id', 'bytes'])
    .where('conversation_id', '=', conversationId)
    .orderBy('seq')
    .limit(TOGETHER)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) return false;
  const ids = rows.map(({ id }) => id);
  for (const table of ['conversation_edits', 'conversation_reactions'] as const)
    await tx.db.deleteFrom(table).where('message_id', 'in', ids).execute();
  await tx.db.deleteFrom('conversation_thread_places').where('thread_id', 'in', ids).execute();
  const released = await releaseAttachments(tx, ids);
  await tx.db
    .deleteFrom('conversation_messages')
    .where('conversation_id', '=', conversationId)
    .where('seq', '<=', last.seq)
    .execute();
  await freeStorageOf(tx, [...rows.map(({ sender_id: memberId, bytes }) => ({ memberId, bytes })), ...released]);
  return rows.length === TOGETHER;
}
