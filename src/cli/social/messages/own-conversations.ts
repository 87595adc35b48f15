import { collectPages } from '../../../client/pages.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import type { ReplyOf } from '../../../contract/operation.ts';
import type { MessageRequest, SocialConversation } from '../../../contract/social/message.ts';
import { social } from '../../../contract/social.ts';
import { nameOf } from '../../chat/conversation-table.ts';

/** Conversations of a page; the list takes no more. */
const PAGE = 100;

/** A conversation of the social network under the names of those of chat, for what shows both. */
export function asListed(conversation: SocialConversation) {
  const { type, title, participantIds, createdAt, lastMessageAt, lastMessagePreview, lastSeq, readSeq } = conversation;
  const { unreadCount, mentionCount, isPinned, isArchived, mutedUntil, request } = conversation;
  return {
    conversation,
    id: conversation['_id'],
    isSocial: true,
    waits: request === 'pending',
    type,
    title,
    memberCount: participantIds.length,
    createdAt,
    lastMessageAt,
    lastMessagePreview,
    lastSeq,
    readSeq,
    mentionCount,
    mutedUntil,
    unread: unreadCount,
    pinned: isPinned,
    archived: isArchived,
  };
}
export type ListedSocial = ReturnType<typeof asListed>;

/** The conversations of the caller, the newest activity first. @param archived those of the archive, or the others */
export async function* socialConversations(caller: Caller, archived: boolean): AsyncGenerator<ListedSocial, void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = {
      archived: archived ? 'true' : 'false',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    } as const;
    const reply: ReplyOf<typeof social.listConversations> = await perform(caller, social.listConversations, page);
    yield* reply.conversations.map(asListed);
    ({ cursor } = reply);
  }
}

/** All of them that are wanted, with those of the archive. */
export async function socialConversationsAmong(
  caller: Caller,
  isWanted: (one: ListedSocial) => boolean,
): Promise<ListedSocial[]> {
  const found: ListedSocial[] = [];
  for (const archived of [false, true])
    for await (const one of socialConversations(caller, archived)) if (isWanted(one)) found.push(one);
  return found;
}

/** What the conversations of the caller are called, by their ids. */
export async function namesOfSocialConversations(caller: Caller): Promise<Map<string, string>> {
  const all = await socialConversationsAmong(caller, () => true);
  return new Map(all.map((one) => [one.id, nameOf(one)]));
}

/** The message requests that wait for the caller, the newest first. */
export async function waitingRequests(caller: Caller): Promise<MessageRequest[]> {
  return (await collectPages(caller, social.listMessageRequests, {}, 'requests')).items;
}
