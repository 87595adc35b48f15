import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { DataOf, Event } from '../../contract/event.ts';
import { socialMessageEvents } from '../../contract/social/messages/events.ts';
import { publish, publishAll, publishToMany, said, saidById, type Withheld } from '../../platform/realtime/publish.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { AsHeard } from '../../service/ports/realtime.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { toMessages, type Opening } from './dto.ts';
import { notHearing } from './not-hearing.ts';
import { keptRow } from './retention.ts';
import { inSocial } from './social-events.ts';
import { toSocialMessages } from './social-messages.ts';
import { isSocial } from './types.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { roomOf, topicOfConversation, topicOfInbox, type Seat } from './conversation.ts';

/** What every event of a conversation says first. */
export function aboutConversation({ id, type }: Pick<ConversationRow, 'id' | 'type'>) {
  return { contextType: type as ContextType, contextId: id, conversationId: id };
}

type ChatEvents = typeof chatEvents;
type EventName = keyof ChatEvents;
/** What one of them says beside what all say. */
type Facts<Name extends EventName> = Omit<DataOf<ChatEvents[Name]>, keyof ReturnType<typeof aboutConversation>>;

/**
 * Tells those who are in a conversation that something happened: in the words of chat or of the social network, which has none for some of it.
 */
export async function tell<const Name extends EventName>(
  tx: Context,
  conversation: Pick<ConversationRow, 'id' | 'type'>,
  name: Name,
  facts: Facts<Name>,
  withheld: Withheld = {},
): Promise<void> {
  const topic = topicOfConversation(conversation.id);
  const data = { ...aboutConversation(conversation), ...facts } as DataOf<ChatEvents[Name]>;
  const told: readonly [event: Event, data: object] | undefined = isSocial(conversation)
    ? await inSocial(tx, name, data)
    : [chatEvents[name], data];
  if (told === undefined) return;
  const [event] = told;
  if (!aboutMessages.has(event.name)) return await publish(tx, topic, ...told, withheld);
  // Who sees the message is looked up when somebody hears it.
  await publishAll(tx, topic, [{ ...said(...told), ...withheld, unopened: true }]);
}

/** The events that show a message. Its text is read when somebody hears it. */
const shown = {
  sent: { chat: chatEvents.messageSent, social: socialMessageEvents.messageNew },
  edited: { chat: chatEvents.messageEdited, social: socialMessageEvents.messageEdited },
} as const;
const namesOf = (...events: readonly (typeof shown)[keyof typeof shown][]): ReadonlySet<string> =>
  new Set(events.flatMap(({ chat, social }) => [chat.name, social.name]));
const messageEvents = namesOf(...Object.values(shown));
const editEvents = namesOf(shown.edited);
/** Those that only say what happened to a message. */
const reactionEvents: ReadonlySet<string> = new Set([
  chatEvents.reactionAdded.name,
  chatEvents.reactionRemoved.name,
  socialMessageEvents.messageReaction.name,
]);
const aboutMessages: ReadonlySet<string> = new Set([
  ...reactionEvents,
  chatEvents.messageDeleted.name,
  socialMessageEvents.messageDeleted.name,
  chatEvents.messagePinned.name,
  chatEvents.messageUnpinned.name,
]);

export async function publishMessage(
  tx: Context,
  conversation: Pick<ConversationRow, 'id' | 'type'>,
  what: keyof typeof shown,
  { id: messageId }: Pick<ConversationMessageRow, 'id'>,
): Promise<void> {
  const event = shown[what][isSocial(conversation) ? 'social' : 'chat'];
  await publishAll(tx, topicOfConversation(conversation.id), [saidById(event, { messageId })]);
}

// With the conversation among the conditions, SQLite looks at all of its messages instead of the few ids.
const messagesById = writtenList<ConversationMessageRow>(
  0,
  (ids) => `select * from conversation_messages where id in ${ids}`,
);
const conversationById = writtenQuery<ConversationRow>('select * from conversations where id = $1');

/**
 * What events of a conversation say at this moment: of a deleted message no text, and of an edited one its newest; to nobody who does not see
 * the message then, and the same for what is about a message, such as reactions.
 */
export function conversationAsHeard(ctx: Opening): AsHeard {
  return async (topic, events) => {
    const idOf = new Map(
      events.flatMap((event) =>
        messageEvents.has(event.name) || aboutMessages.has(event.name)
          ? [[event, (JSON.parse(event.data) as { readonly messageId: string }).messageId] as const]
          : [],
      ),
    );
    const withoutMessages = () => events.map((event) => (idOf.has(event) ? undefined : { data: event.data }));
    if (idOf.size === 0) return withoutMessages();
    const id = topic.slice(topic.indexOf(':') + 1);
    const [conversation] = (await ctx.db.executeQuery(conversationById(id))).rows;
    if (conversation === undefined) return withoutMessages();
    const { rows } = await ctx.db.executeQuery(messagesById([...new Set(idOf.values())]));
    const there = rows.filter((row) => row.conversation_id === id);
    if (there.length === 0) return withoutMessages();
    const idsOf = (names: ReadonlySet<string>) =>
      new Set(events.flatMap((event) => (names.has(event.name) ? (idOf.get(event) ?? []) : [])));
    const told = idsOf(messageEvents);
    const readable = there.filter((row) => told.has(row.id) && keptRow(ctx, conversation, row).deleted_at === null);
    const texts = readable.length === 0 ? new Map<string, string>() : await textsOf(ctx, conversation, readable);
    const changed = new Set([...idsOf(aboutMessages), ...idsOf(editEvents)]);
    const deaf = await notHearing(ctx, conversation, there, changed);
    return events.map((event) => {
      const messageId = idOf.get(event);
      if (messageId === undefined) return { data: event.data };
      const data = messageEvents.has(event.name) ? texts.get(messageId) : event.data;
      const { parted, outside } = deaf.get(messageId) ?? {};
      if (data === undefined || parted === undefined || outside === undefined) return undefined;
      // Who does not see what somebody says has the place of it, and hears what becomes of that.
      const hearsPlace = aboutMessages.has(event.name) && !reactionEvents.has(event.name);
      return { data, withheldFrom: hearsPlace ? outside : [...parted, ...outside] };
    });
  };
}

/** What events that show messages say, by the id of the message. */
async function textsOf(
  ctx: Opening,
  conversation: ConversationRow,
  rows: readonly ConversationMessageRow[],
): Promise<Map<string, string>> {
  if (isSocial(conversation)) {
    const messages = await toSocialMessages(ctx, [conversation], rows);
    const of = (message: (typeof messages)[number]) => ({ conversationId: conversation.id, seq: message.seq, message });
    return new Map(messages.map((message) => [message['_id'], JSON.stringify(of(message))]));
  }
  const messages = await toMessages(ctx, conversation, rows, { history: false });
  const about = aboutConversation(conversation);
  return new Map(messages.map((message) => [message.id, JSON.stringify({ ...about, seq: message.seq, message })]));
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

const toldNow = writtenQuery('update conversations set told_at = $1 where id = $2');

/** Tells of what was said since it was told before. */
export function activityHandler(ctx: Context): JobHandler {
  return async (payload) =>
    await transaction(ctx, async (tx) => {
      const [conversation] = (await tx.db.executeQuery(conversationById((payload as { readonly id: string }).id))).rows;
      if (conversation !== undefined) await publishActivity(tx, conversation.id, conversation.last_seq);
    });
}

async function publishActivity(tx: Context, conversationId: string, lastSeq: number): Promise<void> {
  await tx.db.executeQuery(toldNow(tx.clock.now(), conversationId));
  const inboxes = (await memberIdsOf(tx, conversationId)).map(topicOfInbox);
  publishToMany(tx, inboxes, chatEvents.activity, { conversationId, lastSeq });
}
