import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ConversationFacts, MessageRequest, SocialConversation } from '../../contract/social/message.ts';
import { socialMessageEvents } from '../../contract/social/messages/events.ts';
import { publish } from '../../platform/realtime/publish.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { memberSummaries } from '../members/summaries.ts';
import { membersOfPair, roomOf, topicOfConversation, type Seat } from './conversation.ts';
import { momentOf } from './dto.ts';
import { shownTo } from './list.ts';
import { isSettled, recipientOf } from './requests.ts';
import { toSettings } from './settings.ts';
import { unreadIn } from './visible-range.ts';

interface InRoom {
  readonly room_id: string;
  readonly member_id: string;
  readonly role: string;
}

const inRooms = writtenList<InRoom>(
  1,
  (ids) => `
  select room_id, member_id, role from room_members where kind = $1 and room_id in ${ids} order by joined_at, member_id`,
);

/** Who is in each of some groups, in the order in which they came. */
async function membersOfGroups(
  { db }: Pick<Context, 'db'>,
  rows: readonly ConversationRow[],
): Promise<ReadonlyMap<string, readonly InRoom[]>> {
  const groups = rows.filter(({ pair }) => pair === null).map(({ id }) => id);
  if (groups.length === 0) return new Map();
  return groupBy((await db.executeQuery(inRooms(groups, roomOf('').kind))).rows, (row) => row.room_id);
}

function factsOf(row: ConversationRow, members: readonly InRoom[]): ConversationFacts {
  const ownerId = members.find(({ role }) => role === 'owner')?.member_id;
  return {
    _id: row.id,
    type: row.pair === null ? 'group' : 'direct',
    participantIds: row.pair === null ? members.map((one) => one.member_id) : [...membersOfPair(row)],
    ...(row.name !== null && { name: row.name }),
    ...(row.picture_id !== null && { avatarUrl: `/api/social/media/${row.picture_id}` }),
    ...(ownerId !== undefined && { ownerId }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(Math.max(row.active_at, row.changed_at)).toISOString(),
  };
}

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

const changed = writtenQuery<ConversationRow>('update conversations set changed_at = $1 where id = $2 returning *');

/** Tells those who are in a conversation of the social network what it is now, in the transaction that has changed its members or settings. */
export async function tellUpdated(tx: Context, id: string): Promise<void> {
  const row = onlyRow((await tx.db.executeQuery(changed(tx.clock.now(), id))).rows);
  const members = (await membersOfGroups(tx, [row])).get(id) ?? [];
  const conversation = factsOf(row, members);
  const data = { conversationId: id, seq: row.last_seq, conversation };
  await publish(tx, topicOfConversation(id), socialMessageEvents.conversationUpdated, data);
}
