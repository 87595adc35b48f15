import type { Client } from '../../client/client.ts';
import type { Caller } from '../../client/perform.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { conversationTopic, inboxTopic } from '../../contract/chat/events.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { topicName } from '../../contract/event.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { watchTopics, type Watching } from '../kit/topic-watch.ts';
import { nameOf } from './conversation-table.ts';
import { contentOf, senderOf } from './message-view.ts';
import { ownConversations } from './own-conversations.ts';
import { readAfter } from './read-messages.ts';

/** A message with the conversation that it is in, by its name for commands. */
export interface News {
  readonly message: ChatMessage;
  readonly conversation: string;
}
type NewMessages = () => Promise<News[]>;

/** Finds messages that came since the last time. The first call after this one tells those of the time in between. */
export async function openNewMessages(caller: Caller): Promise<NewMessages> {
  const known = new Map<string, number>();
  const knows = (all: readonly Conversation[]) => {
    for (const { id, lastSeq } of all) known.set(id, Math.max(lastSeq, known.get(id) ?? 0));
  };
  knows(await changedSince(caller, known));
  return async () => {
    const changed = await changedSince(caller, known);
    const found: News[] = [];
    for (const one of changed) found.push(...(await newIn(caller, one, known.get(one.id) ?? firstOf(one))));
    // Kept at the end: what fails in between is looked at again.
    knows(changed);
    for (const { message } of found) known.set(message.conversationId, message.seq);
    return found.toSorted((one, other) => (one.message.id < other.message.id ? -1 : 1));
  };
}

/** Where the messages begin that are new in a conversation which was not known. A channel may have others, from before its reader came. */
function firstOf({ type, readSeq }: Conversation): number {
  return type === 'channel' ? readSeq : 0;
}

/** As `openNewMessages`, in one conversation. */
export function newMessagesIn(caller: Caller, conversation: Conversation): NewMessages {
  let known = conversation.lastSeq;
  return async () => {
    const found = await newIn(caller, conversation, known);
    known = found.at(-1)?.message.seq ?? known;
    return found;
  };
}

async function newIn(caller: Caller, conversation: Conversation, after: number): Promise<News[]> {
  const { items } = await readAfter(caller, conversation, after);
  return items.map((message) => ({ message, conversation: nameOf(conversation) }));
}

/** Conversations with messages after the known ones. The newest activity is first, so behind one that has none is no other, unless it has no message at all. */
async function changedSince(caller: Caller, known: ReadonlyMap<string, number>): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for (const archived of [false, true])
    for await (const one of ownConversations(caller, archived)) {
      if (one.lastSeq > (known.get(one.id) ?? 0)) found.push(one);
      else if (one.lastSeq > 0) break;
    }
  return found;
}

/** Looks whenever something is said to the caller. @param only the conversation that is watched, instead of all */
export async function watchMessages(client: Client, only: string | undefined, watching: Watching): Promise<void> {
  const one = only === undefined ? [] : [topicName(conversationTopic, only)];
  await watchTopics(client, (accountId) => [topicName(inboxTopic, accountId), ...one], watching);
}

/** A message in one line: id, conversation, sender, text. */
export function messageLine({ message, conversation }: News): string {
  const text = contentOf(message).replaceAll(/\s*\r?\n\s*/g, ' ');
  return [message.id, conversation, senderOf(message), text].map(escapeForTerminal).join('\t');
}
