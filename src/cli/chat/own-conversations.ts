import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import { contextTypes, type ContextType, type Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import type { Shown } from '../kit/list-command.ts';
import { socialConversations, type ListedSocial } from '../social/messages/own-conversations.ts';
import { nameOf } from './conversation-table.ts';

const lists = { direct: chat.listConversations, group: chat.listGroups, channel: chat.joinedChannels };

/** The conversations of the caller that are of one type, the newest activity first. @param archived those of the archive, or the others */
async function* conversationsOf(
  caller: Caller,
  type: ContextType,
  archived: boolean,
): AsyncGenerator<Conversation, void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = { archived: archived ? 'true' : 'false', limit: chatLimits.mostOnPage, cursor } as const;
    const reply: ReplyOf<typeof chat.listGroups> = await perform(caller, lists[type], page);
    yield* reply.items;
    ({ cursor } = reply);
  }
}

/** The conversations of the caller that are of one type and wanted, with those of the archive. */
export async function conversationsAmong(
  caller: Caller,
  type: ContextType,
  isWanted: (one: Conversation) => boolean,
): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for (const archived of [false, true])
    for await (const one of conversationsOf(caller, type, archived)) if (isWanted(one)) found.push(one);
  return found;
}

/** As `conversationsOf`, for all types together. */
export function ownConversations(caller: Caller, archived: boolean): AsyncGenerator<Conversation> {
  return inOrder(contextTypes.map((type) => conversationsOf(caller, type, archived)));
}

/** Lists as one, the newest activity first, as each of them is. */
async function* inOrder<T extends Placed>(ordered: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T> {
  let heads = (await Promise.all(ordered.map(headOf))).flat();
  while (heads.length > 0) {
    const [first, ...others] = heads.toSorted(({ one }, { one: other }) => (placeOf(one) > placeOf(other) ? -1 : 1));
    if (first === undefined) return;
    yield first.one;
    heads = [...others, ...(await headOf(first.rest))];
  }
}

/** The next one of a list, with what follows it; nothing at its end. */
async function headOf<T>(rest: AsyncGenerator<T, void>) {
  const next = await rest.next();
  return next.done === true ? [] : [{ one: next.value, rest }];
}

/** Where a conversation stands in the lists, which begin with the greatest. */
function placeOf({ id, createdAt, lastMessageAt }: Placed): string {
  return `${lastMessageAt ?? createdAt}_${id}`;
}

type Placed = Pick<Conversation, 'id' | 'createdAt' | 'lastMessageAt'>;

interface ConversationPage {
  readonly items: (Conversation | ListedSocial)[];
  readonly hasMore: boolean;
  readonly cursor?: string;
}

/** A part of them, with those of the social network. @throws Problem invalid USAGE for something that is no cursor */
export async function pageOfConversations(
  caller: Caller,
  archived: boolean,
  { most, from }: Shown,
): Promise<ConversationPage> {
  if (from !== undefined && !/^[\dTZ:.-]{24}_[0-9a-f]{32}$/.test(from))
    throw new Problem('invalid', 'USAGE', '--cursor must be the cursor of an earlier page.');
  const items: ConversationPage['items'] = [];
  const all = [ownConversations(caller, archived), socialConversations(caller, archived)];
  // The lists of the node are read from their beginnings: only so do all continue behind the same time.
  for await (const one of inOrder<Conversation | ListedSocial>(all)) {
    if (from !== undefined && placeOf(one) >= from) continue;
    const last = items.at(-1);
    if (last !== undefined && items.length >= most) return { items, hasMore: true, cursor: placeOf(last) };
    items.push(one);
  }
  return { items, hasMore: false };
}

/** What the conversations of the caller are called, by their ids. */
export async function namesOfConversations(caller: Caller): Promise<Map<string, string>> {
  const all = await Promise.all(contextTypes.map(async (type) => await conversationsAmong(caller, type, () => true)));
  return new Map(all.flat().map((one) => [one.id, nameOf(one)]));
}
