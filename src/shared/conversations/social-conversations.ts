import type { Context } from '../../service/context.ts';
import type { MessageRequest, SocialConversation } from '../../contract/social/message.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { memberSummaries } from '../members/summaries.ts';
import type { Seat } from './conversation.ts';
import { momentOf } from './dto.ts';
import { shownTo } from './list.ts';
import { isSettled, recipientOf } from './requests.ts';
import { factsOf, membersOfGroups } from './social-facts.ts';
import { toSettings } from './settings.ts';
import { unreadIn } from './visible-range.ts';

/** Conversations of the social network as one of their members sees them. It takes as many statements for many as for one. */
export async function toSocialConversations(
  ctx: Context,
  memberId: string,
  rows: readonly Seat[],
): Promise<SocialConversation[]> {
  const shown = await shownTo(ctx, memberId, rows);
  const members = await membersOfGroups(ctx, rows);
  const now = ctx.clock.now();
  return rows.map((row, at) => {
    const { pinned, archived, mutedUntil } = toSettings(row, now);
    const { title = '', mentionCount = 0, lastMessagePreview = null } = shown[at] ?? {};
    return {
      ...factsOf(row, members.get(row.id) ?? []),
      title,
      lastMessageAt: row.last_seq === 0 ? null : momentOf(row.active_at),
      lastMessagePreview,
      lastSeq: row.last_seq,
      readSeq: row.read_seq,
      unreadCount: unreadIn(row),
      mentionCount,
      isPinned: pinned,
      isArchived: archived,
      mutedUntil,
      ...(row.request !== null && { request: requestAsSeenBy(row, memberId) }),
    };
  });
}

/** Who sent a request never learns that it was declined. */
function requestAsSeenBy(row: ConversationRow, memberId: string): MessageRequest['status'] {
  return !isSettled(row) && row.created_by === memberId ? 'pending' : (row.request as MessageRequest['status']);
}

/** Message requests as one of the two sees them. */
export async function toRequests(ctx: Context, memberId: string, rows: readonly Seat[]): Promise<MessageRequest[]> {
  const shown = await shownTo(ctx, memberId, rows);
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.created_by),
  );
  return rows.map((row, at) => ({
    _id: row.id,
    conversationId: row.id,
    senderId: row.created_by,
    senderUsername: names.get(row.created_by)?.username ?? '',
    recipientId: recipientOf(row),
    messagePreview: shown[at]?.lastMessagePreview ?? null,
    status: requestAsSeenBy(row, memberId),
    createdAt: new Date(row.created_at).toISOString(),
  }));
}
