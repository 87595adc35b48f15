import { collectPages } from '../../client/pages.ts';
import type { OpenedMessage } from '../../client/chat/open-messages.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatThread } from '../../contract/chat/threads.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { idColumn } from '../mail/mail-columns.ts';
import { nameOf } from './conversation-table.ts';
import { beginningOf, senderOf } from './message-view.ts';
import { operationsOf } from './operations.ts';
import { ownConversations } from './own-conversations.ts';
import { isDoubt } from './sealed/changing.ts';
import type { OwnSide } from './sealed/own-side.ts';

/** A thread with the conversation that it is in. */
export type ListedThread = Omit<ChatThread, 'root'> & {
  readonly root: OpenedMessage;
  /** by its name for commands */
  readonly conversation: string;
};

interface Wanted {
  readonly unread: boolean;
  readonly following: boolean;
  /** at most so many */
  readonly most: number;
}

/** The threads of one conversation, those with unread answers first, and otherwise the newest activity. */
export async function threadsIn(side: OwnSide, conversation: Conversation, wanted: Wanted) {
  const { items, hasMore } = await collect(side, conversation, wanted);
  return { items: named(conversation, items, await side.read(conversation, rootsOf(items))), hasMore };
}

/** The same of all conversations of the caller, or of those with the newest activity. Where only members can read, they are opened if the key is at hand. */
export async function allThreads(side: OwnSide, wanted: Wanted) {
  const found: ListedThread[] = [];
  let hasMore = false;
  let left = wanted.most === Number.POSITIVE_INFINITY ? wanted.most : chatLimits.searchedTogether;
  for await (const one of ownConversations(side.client, false)) {
    // A thread has two messages at least.
    if (one.lastSeq < 2) continue;
    if (left === 0) {
      hasMore = true;
      break;
    }
    left -= 1;
    const { items, ...more } = await collect(side, one, wanted);
    hasMore ||= more.hasMore;
    found.push(...named(one, items, items.length === 0 ? [] : await openedIfPossible(side, one, items)));
  }
  const all = inOrder(found);
  return { items: all.slice(0, wanted.most), hasMore: hasMore || all.length > wanted.most };
}

/** Those of one conversation. Where all is read, no thread has anything that is not. */
async function collect({ client }: OwnSide, { id, type, unread }: Conversation, wanted: Wanted) {
  const { most, following } = wanted;
  const filter = { conversationId: id, ...(following && { following: 'true' as const }) };
  const list = operationsOf[type].threads;
  const first =
    unread === 0
      ? { items: [], hasMore: false }
      : await collectPages(client, list, { ...filter, unread: 'true' as const }, 'items', { most });
  if (wanted.unread) return first;
  const others = await collectPages(client, list, filter, 'items', { most });
  const known = new Set(first.items.map(({ threadId }) => threadId));
  const items = inOrder([...first.items, ...others.items.filter(({ threadId }) => !known.has(threadId))]);
  return { items: items.slice(0, most), hasMore: others.hasMore || items.length > most };
}

function inOrder<T extends Pick<ChatThread, 'unread' | 'lastReplyAt'>>(threads: readonly T[]): T[] {
  const placeOf = ({ unread, lastReplyAt }: T) => `${unread > 0 ? 1 : 0} ${lastReplyAt ?? ''}`;
  return threads.toSorted((one, other) => {
    const [place, after] = [placeOf(one), placeOf(other)];
    return place === after ? 0 : place > after ? -1 : 1;
  });
}

const rootsOf = (items: readonly ChatThread[]) => items.map(({ root }) => root);

async function openedIfPossible(
  side: OwnSide,
  conversation: Conversation,
  items: readonly ChatThread[],
): Promise<OpenedMessage[]> {
  try {
    if (!(await side.isSealed(conversation)) || (await side.selfIfGiven()) !== undefined)
      return await side.read(conversation, rootsOf(items));
  } catch (error) {
    // What does not fit in one conversation must not hide the others.
    if (!isDoubt(error)) throw error;
    side.warn(`${nameOf(conversation)}: ${error.message}`);
  }
  const { unproven } = await import('../../client/chat/open-messages.ts');
  return rootsOf(items).map(unproven);
}

function named(
  conversation: Conversation,
  items: readonly ChatThread[],
  roots: readonly OpenedMessage[],
): ListedThread[] {
  const name = nameOf(conversation);
  return items.map((thread, at) =>
    Object.assign({ ...thread, conversation: name }, { root: roots[at] ?? thread.root }),
  );
}

/** @param where whether they are of several conversations */
export function threadsTable(screen: Screen, rows: readonly ListedThread[], where: boolean): string {
  const id = idColumn(rows.map(({ threadId }) => ({ id: threadId })));
  return table(screen, rows, [
    ...(where ? [{ title: 'IN', of: ({ conversation }: ListedThread) => conversation }] : []),
    { title: 'FROM', of: ({ root }) => senderOf(root) },
    { title: 'UNREAD', of: ({ unread }) => String(unread), whole: true },
    { title: 'ANSWERS', of: ({ replyCount }) => String(replyCount), whole: true },
    { title: 'LAST', of: ({ lastReplyAt }, shown) => moment(shown, lastReplyAt ?? undefined), whole: true },
    { title: 'FOLLOWED', of: ({ following }) => yesNo(following), whole: true },
    { title: 'MESSAGE', of: ({ root }) => beginningOf(root), prose: true, main: true },
    { ...id, of: ({ threadId }, shown) => id.of({ id: threadId }, shown) },
  ]);
}
