import type { Context } from '../../service/context.ts';
import type { chatEvents } from '../../contract/chat/events.ts';
import type { DataOf, Event } from '../../contract/event.ts';
import { socialMessageEvents as events } from '../../contract/social/messages/events.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { reactionsOf } from './dto.ts';

type ChatEvents = typeof chatEvents;
type Said = readonly [event: Event, data: object];

const seqOf = writtenQuery<{ seq: number }>('select seq from conversation_messages where id = $1');

async function reactions(
  tx: Context,
  { conversationId, messageId }: DataOf<ChatEvents['reactionAdded']>,
): Promise<Said> {
  const { seq } = onlyRow((await tx.db.executeQuery(seqOf(messageId))).rows);
  const { reactions: shown, reactionCounts } = await reactionsOf(tx, messageId);
  const inWords = shown.map(({ memberId: userId, emoji }) => ({ userId, emoji }));
  return [events.messageReaction, { conversationId, seq, messageId, reactions: inWords, reactionCounts }];
}

/** How the social network tells what chat tells. It has no words for the rest: whoever changes members or settings tells of the conversation. */
const words: { [Name in keyof ChatEvents]?: (tx: Context, data: DataOf<ChatEvents[Name]>) => Promise<Said> } = {
  messageDeleted: async (_, { conversationId, seq, messageId }) => [
    events.messageDeleted,
    { conversationId, seq, messageId },
  ],
  reactionAdded: reactions,
  reactionRemoved: reactions,
  typingStart: async (_, { conversationId, memberId: userId, expiresAt }) => [
    events.conversationTyping,
    { conversationId, userId, expiresAt },
  ],
  typingStop: async (_, { conversationId, memberId: userId }) => [
    events.conversationTyping,
    { conversationId, userId, expiresAt: null },
  ],
  messageRead: async (_, { conversationId, seq, memberId: userId, readAt: lastReadAt }) => [
    events.conversationRead,
    { conversationId, seq, userId, lastReadAt },
  ],
};

/** @returns undefined for what the social network does not tell in these words */
export async function inSocial<const Name extends keyof ChatEvents>(
  tx: Context,
  name: Name,
  data: DataOf<ChatEvents[Name]>,
): Promise<Said | undefined> {
  return await words[name]?.(tx, data);
}
