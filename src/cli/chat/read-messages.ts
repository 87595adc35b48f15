import { collectPages } from '../../client/pages.ts';
import { perform, type Caller } from '../../client/perform.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { Shown } from '../kit/list-command.ts';
import { operationsOf } from './operations.ts';

export interface MessagePage {
  /** in the order of their numbers */
  readonly items: readonly ChatMessage[];
  readonly hasMore: boolean;
  /** leads to older ones */
  readonly cursor?: string;
}

type In = Pick<Conversation, 'id' | 'type'>;

/** The newest messages of a conversation, or those before an earlier page. */
export async function readNewest(caller: Caller, { id: conversationId, type }: In, shown: Shown): Promise<MessagePage> {
  const newestFirst: ChatMessage[][] = [];
  const each = ({ items }: { readonly items: ChatMessage[] }) => void newestFirst.push(items);
  const read = await collectPages(caller, operationsOf[type].messages, { conversationId }, 'items', { ...shown, each });
  return { ...read, items: newestFirst.toReversed().flat() };
}

/** The messages about one. */
export async function readAround(
  caller: Caller,
  { id: conversationId, type }: In,
  around: string,
  most: number,
): Promise<MessagePage> {
  const limit = Math.min(most, chatLimits.mostOnPage);
  const page = await perform(caller, operationsOf[type].messages, { conversationId, around, limit });
  const { items, hasMore, cursor } = page;
  return { items, hasMore, ...(cursor !== null && { cursor }) };
}

/** The messages after a number, the oldest first. */
export async function readAfter(
  caller: Caller,
  { id: conversationId, type }: In,
  seq: number,
  most = Number.POSITIVE_INFINITY,
): Promise<MessagePage> {
  const items: ChatMessage[] = [];
  let hasMore = true;
  while (hasMore && items.length < most) {
    const limit = Math.min(chatLimits.mostOnPage, most - items.length);
    const after = items.at(-1)?.seq ?? seq;
    const page = await perform(caller, operationsOf[type].messages, { conversationId, after, limit });
    items.push(...page.items);
    hasMore = page.hasMore && page.items.length > 0;
  }
  return { items, hasMore };
}
