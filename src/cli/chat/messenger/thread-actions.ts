import { perform } from '../../../client/perform.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { nameOf } from '../conversation-table.ts';
import { threadNamed } from '../find-conversation.ts';
import { operationsOf } from '../operations.ts';
import { threadsIn, type ListedThread } from '../threads.ts';
import { beginningOf, senderOf } from '../message-view.ts';
import { table } from '../../kit/table.ts';
import type { Screen } from '../../kit/screen.ts';
import { idColumn } from '../../mail/mail-columns.ts';
import type { Desk } from './desk.ts';
import { show } from './panel.ts';
import { threadTalkId, type Command } from './state.ts';
import { withFollowing, withThreadTalk } from './threads.ts';

/** As many as somebody looks through. */
const LISTED = 50;

async function messageMeant({ client }: Desk, place: Conversation, { message, words }: Command): Promise<string> {
  return message?.id ?? (await threadNamed(client, place, words));
}

/** Goes into the thread of a message. @throws Problem missing MESSAGE_NOT_FOUND */
export async function openThread(desk: Desk, place: Conversation, command: Command): Promise<string> {
  const { id: conversationId, type, mode } = place;
  const messageId = await messageMeant(desk, place, command);
  const { thread } = await perform(desk.client, operationsOf[type].thread, { conversationId, messageId, limit: 1 });
  desk.change((state) => withThreadTalk(state, conversationId, thread));
  await desk.open(threadTalkId(conversationId, thread.threadId));
  return mode === 'client' ? 'The node learns which message is answered here, and nothing of what is said.' : '';
}

/** Chooses whether answers in the thread of a message are told. @throws Problem missing MESSAGE_NOT_FOUND */
export async function followThread(
  desk: Desk,
  place: Conversation,
  command: Command,
  following: boolean,
): Promise<string> {
  const input = { conversationId: place.id, messageId: await messageMeant(desk, place, command), following };
  const { threadId } = await perform(desk.client, operationsOf[place.type].followThread, input);
  desk.change((state) => withFollowing(state, threadTalkId(place.id, threadId), following));
  return following ? 'You follow the thread.' : 'You do not follow the thread.';
}

/** Shows the threads of a conversation, those with unread answers first. */
export async function listThreads(desk: Desk, place: Conversation): Promise<string> {
  const { items, hasMore } = await threadsIn(desk.side, place, { unread: false, following: false, most: LISTED });
  const more = hasMore ? '\nThere are more: conclave chat threads' : '';
  return show(
    desk,
    `Threads of ${nameOf(place)}. To open one: /thread ID`,
    (screen) => (items.length === 0 ? '' : threadTable(screen, items) + more),
    'There are no threads here. /thread answers the marked message in one.',
  );
}

/** What fits beside a list of conversations. */
function threadTable(screen: Screen, rows: readonly ListedThread[]): string {
  const id = idColumn(rows.map(({ threadId }) => ({ id: threadId })));
  return table(screen, rows, [
    { title: 'NEW', of: ({ unread }) => String(unread), whole: true },
    { title: 'ALL', of: ({ replyCount }) => String(replyCount), whole: true },
    { ...id, of: ({ threadId }, shown) => id.of({ id: threadId }, shown) },
    { title: 'ANSWERS TO', of: ({ root }) => `${senderOf(root)}: ${beginningOf(root)}`, prose: true, main: true },
  ]);
}
