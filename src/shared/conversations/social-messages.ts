import type { ChatMessage } from '../../contract/chat/message.ts';
import type { SocialMessage } from '../../contract/social/message.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { writtenList } from '../../platform/store/written-query.ts';
import { toMessagesOf, type Opening, type Shown } from './dto.ts';
import { isReadableSql, readableMessages } from './readable.ts';
import { keepingValues } from './retention.ts';

/**
 * Messages as the social network shows them, in the order of the rows. The caller has checked that the reader may see them. It takes as many
 * statements for many as for one.
 * @param viewer the member who reads them; without one it is for all members, and names no message of other conversations
 */
export async function toSocialMessages(
  ctx: Opening,
  conversations: readonly Shown[],
  rows: readonly ConversationMessageRow[],
  viewer?: string,
): Promise<SocialMessage[]> {
  const messages = await toMessagesOf(ctx, conversations, rows, {
    history: false,
    ...(viewer !== undefined && { viewer }),
  });
  const forwarded = rows.flatMap(({ forwarded_from: id }) => id ?? []);
  const readable = viewer === undefined ? new Set() : await readableAmong(ctx, viewer, forwarded);
  return messages.map((message, at) => {
    const from = rows[at]?.forwarded_from ?? null;
    return Object.assign(inWords(message), { forwardedFromId: readable.has(from) ? from : null });
  });
}

function inWords({
  id: _id,
  senderName: senderUsername,
  hidden,
  reactions,
  ...message
}: ChatMessage): Omit<SocialMessage, 'forwardedFromId'> {
  const { conversationId, seq, senderId, content, clientId, replyToMessageId, createdAt, editedAt, deletedAt } =
    message;
  return {
    _id,
    conversationId,
    seq,
    senderId,
    senderUsername,
    content,
    clientId,
    replyToMessageId,
    createdAt,
    editedAt,
    deletedAt,
    isHidden: hidden === true,
    reactions: reactions.map(({ memberId: userId, emoji }) => ({ userId, emoji })),
    reactionCounts: message.reactionCounts,
    attachments: message.attachments.map(({ id: fileId, ...file }) => ({ _id: fileId, ...file })),
  };
}

const readableMessagesAmong = writtenList<{ id: string }>(3, (ids) =>
  `select m.id from ${readableMessages} where ${isReadableSql} and m.id in ${ids}`
    .replaceAll(':reader', '$1')
    .replaceAll(':now', '$2')
    .replaceAll(':since', '$3'),
);

/** Those of the given messages that a member may read, wherever they are. */
async function readableAmong(
  ctx: Opening,
  memberId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string | null>> {
  if (ids.length === 0) return new Set();
  const { now, since } = keepingValues(ctx);
  const { rows } = await ctx.db.executeQuery(readableMessagesAmong([...new Set(ids)], memberId, now, since));
  return new Set(rows.map((row) => row.id));
}
