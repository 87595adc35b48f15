import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type {
  ConversationEditRow,
  ConversationMessageRow,
  ConversationReactionRow,
  ConversationRow,
} from '../../platform/store/tables/conversations.ts';
import { writtenList } from '../../platform/store/written-query.ts';
import { roleIn } from '../groups/membership.ts';
import { isAtLeast } from '../groups/roles.ts';
import { openRoomKeys, type RoomKeys } from '../group-keys/keys.ts';
import { memberSummaries } from '../members/summaries.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import { otherOf, roomOf } from './conversation.ts';
import { contentOf } from './sealed.ts';

/** What opens messages. */
export type Opening = Pick<Context, 'db' | 'keys' | 'random'>;

type CountedReaction = ConversationReactionRow & { readonly count: number; readonly place: number };

const reactionsTo = writtenList<CountedReaction>(
  0,
  (ids) => `
  select message_id, emoji, member_id, id, count, place from (
    select message_id, emoji, member_id, id,
      count(*) over (partition by message_id, emoji) as count,
      row_number() over (partition by message_id order by id) as place,
      row_number() over (partition by message_id, emoji order by id) as first
    from conversation_reactions where message_id in ${ids}) as counted
  where place <= ${chatLimits.shownReactions} or first = 1 order by id`,
);
const pinsAmong = writtenList<{ message_id: string }>(
  1,
  (ids) => `select message_id from conversation_pins where conversation_id = $1 and message_id in ${ids}`,
);
const editsOf = writtenList<ConversationEditRow>(
  0,
  (ids) => `select * from conversation_edits where message_id in ${ids} order by message_id, revision`,
);

interface Wanted {
  /** whether earlier texts are wanted too */
  readonly history: boolean;
  /** the member who reads them: what a block hides has no content. Without one it is for all members, and the caller leaves some out */
  readonly viewer?: string;
}

/** Members below moderators do not see in a group what members say from whom a block parts them. Two members alone keep what they have. */
async function hiddenSenders(
  ctx: Opening,
  { id, pair }: Pick<ConversationRow, 'id' | 'pair'>,
  rows: readonly ConversationMessageRow[],
  viewer: string | undefined,
): Promise<ReadonlySet<string>> {
  if (viewer === undefined || pair !== null || rows.length === 0) return new Set();
  const senders = new Set(rows.map((row) => row.sender_id));
  const parted = await blockedEitherWay(ctx, viewer, senders);
  if (parted.size === 0) return parted;
  return isAtLeast(await roleIn(ctx, roomOf(id), viewer), 'moderator') ? new Set() : parted;
}

/**
 * Messages of one conversation as its members see them, in the order of the rows. The caller has checked that they may. It takes as many
 * statements for a page as for one.
 * @throws Problem internal STORE_DAMAGED
 */
export async function toMessages(
  ctx: Opening,
  conversation: Pick<ConversationRow, 'id' | 'type' | 'pair'>,
  rows: readonly ConversationMessageRow[],
  { history, viewer }: Wanted,
): Promise<ChatMessage[]> {
  const hidden = await hiddenSenders(ctx, conversation, rows, viewer);
  const there = rows.filter((row) => row.deleted_at === null && !hidden.has(row.sender_id));
  const ids = there.map(({ id }) => id);
  const told = history ? withHistory(rows) : new Set<ConversationMessageRow>();
  const edited = there.filter((row) => row.revision > 0 && told.has(row)).map(({ id }) => id);
  const edits = edited.length === 0 ? [] : (await ctx.db.executeQuery(editsOf(edited))).rows;
  const reactions = ids.length === 0 ? [] : (await ctx.db.executeQuery(reactionsTo(ids))).rows;
  const pins = ids.length === 0 ? [] : (await ctx.db.executeQuery(pinsAmong(ids, conversation.id))).rows;
  const pinned = new Set(pins.map((row) => row.message_id));
  const reactionsOf = groupBy(reactions, (row) => row.message_id);
  const editsBy = groupBy(edits, (row) => row.message_id);
  const names = await memberSummaries(ctx, new Set(rows.map((row) => row.sender_id)));
  using keys = await openRoomKeys(
    ctx,
    roomOf(conversation.id),
    [...there, ...edits].map(({ epoch }) => epoch),
  );
  return rows.map((row) => {
    const isHidden = hidden.has(row.sender_id);
    return {
      ...headOf(conversation, row),
      senderName: names.get(row.sender_id)?.username ?? '',
      ...(isHidden && { hidden: true as const }),
      ...textOf(keys, isHidden ? { ...row, sealed: null } : row),
      pinned: pinned.has(row.id),
      ...reactionsIn(reactionsOf.get(row.id) ?? []),
      ...(told.has(row) && { editHistory: (editsBy.get(row.id) ?? []).map((edit) => earlierText(keys, row, edit)) }),
    };
  });
}

/** Those whose earlier texts a page has room for. One message always has them. */
function withHistory(rows: readonly ConversationMessageRow[]): ReadonlySet<ConversationMessageRow> {
  let before = 0;
  return new Set(
    rows.filter(({ bytes, sealed }) => {
      const earlier = bytes - (sealed?.length ?? 0);
      const hasRoom = earlier === 0 || before < chatLimits.historyBytes;
      before += earlier;
      return hasRoom;
    }),
  );
}

type Head = Omit<
  ChatMessage,
  'senderName' | 'content' | 'encryptedContent' | 'pinned' | 'reactions' | 'reactionCounts' | 'editHistory'
>;

function headOf(conversation: Pick<ConversationRow, 'id' | 'type' | 'pair'>, row: ConversationMessageRow): Head {
  const { id, seq, sender_id: senderId, epoch, revision } = row;
  return {
    id,
    conversationId: conversation.id,
    ...(conversation.pair !== null && { recipientId: otherOf(conversation, senderId) }),
    ...(conversation.type === 'group' && { groupId: conversation.id }),
    seq,
    senderId,
    epoch,
    revision,
    clientId: row.client_id,
    replyToMessageId: row.reply_to_id,
    createdAt: new Date(row.created_at).toISOString(),
    editedAt: momentOf(row.edited_at),
    deletedAt: momentOf(row.deleted_at),
    ...(row.deleted_at !== null && { deleted: true as const }),
  };
}

function textOf(keys: RoomKeys, row: ConversationMessageRow): Pick<ChatMessage, 'content' | 'encryptedContent'> {
  return {
    content: contentOf(keys, row, row),
    encryptedContent: row.sealed === null ? null : Buffer.from(row.sealed).toString('base64'),
  };
}

function earlierText(keys: RoomKeys, row: ConversationMessageRow, edit: ConversationEditRow) {
  return { content: contentOf(keys, row, edit), editedAt: new Date(edit.edited_at).toISOString() };
}

function reactionsIn(rows: readonly CountedReaction[]): Pick<ChatMessage, 'reactions' | 'reactionCounts'> {
  const counts = new Map(rows.map(({ emoji, count }) => [emoji, count]));
  return {
    reactions: rows
      .filter(({ place }) => place <= chatLimits.shownReactions)
      .map(({ id, emoji, member_id: memberId }) => ({ reactionId: id, emoji, memberId })),
    reactionCounts: [...counts].map(([emoji, count]) => ({ emoji, count })),
  };
}

export function momentOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
