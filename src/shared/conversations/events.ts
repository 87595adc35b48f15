import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { Event } from '../../contract/event.ts';
import { publishAll, publishToMany, saidById } from '../../platform/realtime/publish.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { AsHeard } from '../../service/ports/realtime.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { toMessages, type Opening } from './dto.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { roomOf, topicOfConversation, topicOfInbox, type Seat } from './conversation.ts';

/** What every event of a conversation says first. */
export function aboutConversation({ id, type }: Pick<ConversationRow, 'id' | 'type'>) {
  return { contextType: type as ContextType, contextId: id, conversationId: id };
}

/** The events that show a message. Its text is read when somebody hears it. */
type MessageEvent = typeof chatEvents.messageSent | typeof chatEvents.messageEdited;
const messageEvents: ReadonlySet<string> = new Set([chatEvents.messageSent.name, chatEvents.messageEdited.name]);

export async function publishMessage(
  tx: Context,
  { id: conversationId }: Pick<ConversationRow, 'id'>,
  event: MessageEvent,
  { id: messageId }: Pick<ConversationMessageRow, 'id'>,
  withheldFrom: readonly string[],
): Promise<void> {
  const said = saidById(event satisfies Event, { messageId }, { withheldFrom });
  await publishAll(tx, topicOfConversation(conversationId), [said]);
}

const messagesById = writtenList<ConversationMessageRow>(
  1,
  (ids) => `select * from conversation_messages where conversation_id = $1 and id in ${ids}`,
);
const conversationById = writtenQuery<ConversationRow>('select * from conversations where id = $1');

/** What events of a conversation say at this moment: of a deleted message nothing, and of an edited one its newest text. */
export function conversationAsHeard(ctx: Opening): AsHeard {
  return async (topic, events) => {
    const idOf = new Map(
      events.flatMap((event) =>
        messageEvents.has(event.name)
          ? [[event, (JSON.parse(event.data) as { readonly messageId: string }).messageId] as const]
          : [],
      ),
    );
    if (idOf.size === 0) return events.map(({ data }) => data);
    const id = topic.slice(topic.indexOf(':') + 1);
    const [conversation] = (await ctx.db.executeQuery(conversationById(id))).rows;
    const rows =
      conversation === undefined ? [] : (await ctx.db.executeQuery(messagesById([...new Set(idOf.values())], id))).rows;
    const there = rows.filter(({ deleted_at: deletedAt }) => deletedAt === null);
    const messages = conversation === undefined ? [] : await toMessages(ctx, conversation, there, { history: false });
    const texts = new Map(
      messages.map((message) => [
        message.id,
        JSON.stringify({ ...aboutConversation(conversation as ConversationRow), seq: message.seq, message }),
      ]),
    );
    return events.map((event) => {
      const messageId = idOf.get(event);
      return messageId === undefined ? event.data : texts.get(messageId);
    });
  };
}

const membersOf = writtenQuery<{ member_id: string }>(
  'select member_id from room_members where kind = $1 and room_id = $2 order by member_id',
);

/** Ids of the members, in their order. */
export async function memberIdsOf({ db }: Pick<Context, 'db'>, conversationId: string): Promise<string[]> {
  const { kind, id } = roomOf(conversationId);
  return (await db.executeQuery(membersOf(kind, id))).rows.map((row) => row.member_id);
}

/** The kind of the jobs that tell of activity that came too soon after what was told before. */
const activityKind = 'chat-activity';

/**
 * Tells members that something was said, wherever they are. It is told at most once in a while: of what comes too soon, a job tells at the end
 * of that time.
 */
export async function tellActivity(tx: Context, seat: Pick<Seat, 'id' | 'told_at'>, lastSeq: number): Promise<void> {
  const now = tx.clock.now();
  const due = seat.told_at + chatLimits.activityMs;
  if (now >= due) {
    await publishActivity(tx, seat.id, lastSeq);
    return;
  }
  await planJob(tx.db, {
    id: `${activityKind}/${seat.id}`,
    kind: activityKind,
    payload: { id: seat.id },
    runAt: due,
    now,
  });
}

const tell = writtenQuery('update conversations set told_at = $1 where id = $2');

/** Tells of what was said since it was told before. */
export function activityHandler(ctx: Context): JobHandler {
  return async (payload) =>
    await transaction(ctx, async (tx) => {
      const [conversation] = (await tx.db.executeQuery(conversationById((payload as { readonly id: string }).id))).rows;
      if (conversation !== undefined) await publishActivity(tx, conversation.id, conversation.last_seq);
    });
}

async function publishActivity(tx: Context, conversationId: string, lastSeq: number): Promise<void> {
  await tx.db.executeQuery(tell(tx.clock.now(), conversationId));
  const inboxes = (await memberIdsOf(tx, conversationId)).map(topicOfInbox);
  publishToMany(tx, inboxes, chatEvents.activity, { conversationId, lastSeq });
}
