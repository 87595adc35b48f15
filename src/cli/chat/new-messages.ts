import type { Client } from '../../client/client.ts';
import type { Caller } from '../../client/perform.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { conversationTopic } from '../../contract/chat/events.ts';
import { inboxTopic } from '../../contract/chat/inbox/events.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { topicName } from '../../contract/event.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { watchTopics, type Watching } from '../kit/topic-watch.ts';
import { newsIn, openNews, type FindNews, type News } from './conversation-news.ts';
import { contentOf, senderOf } from './message-view.ts';
import { ownConversations } from './own-conversations.ts';
import { pagesOf, type PageReader } from './read-messages.ts';

type Pages = (caller: Caller, conversation: Conversation) => PageReader<ChatMessage>;

/** `openNews` in conversations of chat. @param pages reads them, and opens what only members can read */
export async function openNewMessages(caller: Caller, pages: Pages = pagesOf): Promise<FindNews<ChatMessage>> {
  return await openNews(caller, { conversations: ownConversations, pages });
}

/** As `openNewMessages`, in one conversation. */
export function newMessagesIn(
  caller: Caller,
  conversation: Conversation,
  pages: Pages = pagesOf,
): FindNews<ChatMessage> {
  return newsIn(pages(caller, conversation), conversation);
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
