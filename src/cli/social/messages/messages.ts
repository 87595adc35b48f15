import { perform, type Caller } from '../../../client/perform.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import type { SocialMessage } from '../../../contract/social/message.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { beginningOf } from '../../chat/message-view.ts';
import type { PageReader } from '../../chat/read-messages.ts';
import { idFrom } from '../../kit/id-part.ts';
import type { Candidate } from '../../kit/pick.ts';
import { socialConversations, waitingRequests, type ListedSocial } from './own-conversations.ts';

/** A message of the social network under the names of those of chat, for what shows both. */
export function asShown(message: SocialMessage) {
  return {
    message,
    id: message['_id'],
    conversationId: message.conversationId,
    seq: message.seq,
    senderId: message.senderId,
    senderName: message.senderUsername,
    content: message.content,
    createdAt: message.createdAt,
    editedAt: message.editedAt,
    replyToMessageId: message.replyToMessageId,
    reactionCounts: message.reactionCounts,
    attachments: message.attachments.map(({ _id: id, ...file }) => ({ id, ...file })),
    pinned: false,
    forwarded: message.forwardedFromId !== null,
    ...(message.deletedAt !== null && { deleted: true as const }),
    ...(message.isHidden && { hidden: true as const }),
  };
}
export type ShownSocial = ReturnType<typeof asShown>;

/** Pages of a conversation. */
export function socialPagesOf(caller: Caller, { id }: Pick<ListedSocial, 'id'>): PageReader<ShownSocial> {
  return async (asked) => {
    const { messages, hasMore, cursor } = await perform(caller, social.listMessages, { id, ...asked });
    return { items: messages.map(asShown), hasMore, cursor };
  };
}

/** Ids that are made at once can be ahead of their time. */
const ID_LEAD_MS = 60_000;
/** Conversations in which a message is looked for by a part of its id. */
const SEARCHED = 20;

/**
 * The id of a message of a conversation, from all of it or the first eight or more digits of one of the newest 200.
 *
 * @throws Problem missing MESSAGE_NOT_FOUND, conflict AMBIGUOUS
 */
export async function socialMessageIn(caller: Caller, conversation: ListedSocial, text: string): Promise<string> {
  const message = `None of the newest ${chatLimits.mostOnPage} messages of this conversation has an id that begins with ${JSON.stringify(text)}.`;
  return await idFrom(
    text,
    async () => await newestOf(caller, conversation),
    () => new Problem('missing', 'MESSAGE_NOT_FOUND', message),
  );
}

/**
 * The id of a message, from all of it or its first eight or more digits. By these it is looked for in the conversations with the newest
 * activity, and in requests that wait.
 *
 * @throws Problem missing MESSAGE_NOT_FOUND, conflict AMBIGUOUS
 */
export async function socialMessageNamed(caller: Caller, text: string): Promise<string> {
  const message = `No message of your ${SEARCHED} latest conversations has an id that begins with ${JSON.stringify(text)}. Others are named by their whole ids, which --json has.`;
  return await idFrom(
    text,
    async () => {
      const found: Candidate[] = [];
      for (const id of await latestSince(caller, text.toLowerCase())) found.push(...(await newestOf(caller, { id })));
      return found;
    },
    () => new Problem('missing', 'MESSAGE_NOT_FOUND', message),
  );
}

async function newestOf(caller: Caller, conversation: Pick<ListedSocial, 'id'>): Promise<Candidate[]> {
  const { items } = await socialPagesOf(caller, conversation)({ limit: chatLimits.mostOnPage });
  return items.map((one) => ({ id: one.id, label: beginningOf(one) }));
}

/** The milliseconds of a time as the twelve digits with which the ids begin that are made then. */
function timeDigits(iso: string): string {
  return (Date.parse(iso) + ID_LEAD_MS).toString(16).padStart(12, '0');
}

/** Conversations in which something was said since an id with these first digits was made. */
async function latestSince(caller: Caller, digits: string): Promise<string[]> {
  const ids = (await waitingRequests(caller)).slice(0, SEARCHED).map(({ conversationId }) => conversationId);
  for (const archived of [false, true]) {
    let left = SEARCHED;
    for await (const { id, createdAt, lastMessageAt } of socialConversations(caller, archived)) {
      if (left === 0 || timeDigits(lastMessageAt ?? createdAt) < digits.slice(0, 12)) break;
      ids.push(id);
      left -= 1;
    }
  }
  return ids;
}
