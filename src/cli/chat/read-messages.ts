import { collectFrom } from '../../client/pages.ts';
import { perform, type Caller } from '../../client/perform.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { Shown } from '../kit/list-command.ts';
import { operationsOf } from './operations.ts';

export interface MessagePage<M = ChatMessage> {
  /** in the order of their numbers */
  readonly items: readonly M[];
  readonly hasMore: boolean;
  /** leads to older ones */
  readonly cursor?: string;
}

interface Asked {
  readonly limit: number;
  readonly cursor?: string;
  readonly after?: number;
  readonly around?: string;
}

/** Reads a page of one conversation, of chat or of the social network. */
export type PageReader<M> = (
  asked: Asked,
) => Promise<{ readonly items: readonly M[]; readonly hasMore: boolean; readonly cursor: string | null }>;

/** Pages of a conversation of chat. */
export function pagesOf(
  caller: Caller,
  { id: conversationId, type }: Pick<Conversation, 'id' | 'type'>,
): PageReader<ChatMessage> {
  return async (asked) => await perform(caller, operationsOf[type].messages, { conversationId, ...asked });
}

interface Part {
  /** only what came after this number, from the first of it */
  readonly after?: number | undefined;
  /** the id of the message about which it is */
  readonly around?: string | undefined;
}

/** The part of a conversation that somebody wants to see: without `after` and `around`, its newest messages. */
export async function readPart<M extends { readonly seq: number }>(
  read: PageReader<M>,
  { after, around }: Part,
  shown: Shown,
): Promise<MessagePage<M>> {
  if (around !== undefined) return await readAround(read, around, shown.most);
  return await (after === undefined ? readNewest(read, shown) : readAfter(read, after, shown.most));
}

/** The newest messages of a conversation, or those before an earlier page. */
async function readNewest<M>(read: PageReader<M>, shown: Shown): Promise<MessagePage<M>> {
  const newestFirst: (readonly M[])[] = [];
  const found = await collectFrom(read, ({ items }) => items, {
    ...shown,
    each: ({ items }) => void newestFirst.push(items),
  });
  return { ...found, items: newestFirst.toReversed().flat() };
}

/** The messages about one. */
async function readAround<M>(read: PageReader<M>, around: string, most: number): Promise<MessagePage<M>> {
  const { items, hasMore, cursor } = await read({ around, limit: Math.min(most, chatLimits.mostOnPage) });
  return { items, hasMore, ...(cursor !== null && { cursor }) };
}

/** The messages after a number, the oldest first. */
export async function readAfter<M extends { readonly seq: number }>(
  read: PageReader<M>,
  seq: number,
  most = Number.POSITIVE_INFINITY,
): Promise<MessagePage<M>> {
  const items: M[] = [];
  let hasMore = true;
  while (hasMore && items.length < most) {
    const limit = Math.min(chatLimits.mostOnPage, most - items.length);
    const page = await read({ after: items.at(-1)?.seq ?? seq, limit });
    items.push(...page.items);
    hasMore = page.hasMore && page.items.length > 0;
  }
  return { items, hasMore };
}
