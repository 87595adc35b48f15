import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { ContextType, Conversation } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import type { Shown } from '../kit/list-command.ts';

const lists = { direct: chat.listConversations, group: chat.listGroups };

/** The conversations of the caller that are of one type, the newest activity first. @param archived those of the archive, or the others */
export async function* conversationsOf(
  caller: Caller,
  type: ContextType,
  archived: boolean,
): AsyncGenerator<Conversation> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = { archived: archived ? 'true' : 'false', limit: chatLimits.mostOnPage, cursor } as const;
    const reply: ReplyOf<typeof chat.listGroups> = await perform(caller, lists[type], page);
    yield* reply.items;
    ({ cursor } = reply);
  }
}

/** As `conversationsOf`, for all types together. */
export async function* ownConversations(caller: Caller, archived: boolean): AsyncGenerator<Conversation> {
  const [direct, groups] = [conversationsOf(caller, 'direct', archived), conversationsOf(caller, 'group', archived)];
  let [one, other] = [await direct.next(), await groups.next()];
  while (one.done !== true || other.done !== true) {
    if (other.done === true || (one.done !== true && placeOf(one.value) > placeOf(other.value))) {
      yield one.value as Conversation;
      one = await direct.next();
    } else {
      yield other.value;
      other = await groups.next();
    }
  }
}

/** Where a conversation stands in the lists, which begin with the greatest. */
function placeOf({ id, createdAt, lastMessageAt }: Conversation): string {
  return `${lastMessageAt ?? createdAt}_${id}`;
}

export interface ConversationPage {
  readonly items: Conversation[];
  readonly hasMore: boolean;
  readonly cursor?: string;
}

/** A part of them. @throws Problem invalid USAGE for something that is no cursor */
export async function pageOfConversations(
  caller: Caller,
  archived: boolean,
  { most, from }: Shown,
): Promise<ConversationPage> {
  if (from !== undefined && !/^[\dTZ:.-]{24}_[0-9a-f]{32}$/.test(from))
    throw new Problem('invalid', 'USAGE', '--cursor must be the cursor of an earlier page.');
  const items: Conversation[] = [];
  // The lists of the node are read from their beginnings: only so do both continue behind the same time.
  for await (const one of ownConversations(caller, archived)) {
    if (from !== undefined && placeOf(one) >= from) continue;
    const last = items.at(-1);
    if (last !== undefined && items.length >= most) return { items, hasMore: true, cursor: placeOf(last) };
    items.push(one);
  }
  return { items, hasMore: false };
}
