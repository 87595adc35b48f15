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
import type { RoomRole } from '../../platform/store/tables/rooms.ts';
import { writtenList } from '../../platform/store/written-query.ts';
import { openKeysOfRooms, openRoomKeys, type KeysOfRooms, type RoomKeys } from '../group-keys/keys.ts';
import { memberSummaries } from '../members/summaries.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import { toAttachment } from './attachments/attachment.ts';
import { openFiles } from './attachments/client-files.ts';
import { otherOf, roomOf } from './conversation.ts';
import { blocksHide } from './readable.ts';
import { keptRow } from './retention.ts';
import { contentOf, saidIn } from './sealed.ts';

/** What opens messages. */
export type Opening = Pick<Context, 'db' | 'keys' | 'random' | 'clock' | 'config'>;

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
  0,
  (ids) => `
  select p.message_id from conversation_messages m
  join conversation_pins p on p.conversation_id = m.conversation_id and p.message_id = m.id where m.id in ${ids}`,
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

/** What is known of a conversation whose messages are shown; the role of who reads them, if somebody does. */
export type Shown = Pick<ConversationRow, 'id' | 'type' | 'pair' | 'retention_ms'> & { readonly role?: RoomRole };

/** Members below moderators do not see in a group what members say from whom a block parts them. Two members alone keep what they have. */
async function hiddenRows(
  ctx: Opening,
  conversations: ReadonlyMap<string, Shown>,
  rows: readonly ConversationMessageRow[],
  viewer: string | undefined,
): Promise<ReadonlySet<ConversationMessageRow>> {
  if (viewer === undefined) return new Set();
  const mayHide = rows.filter(({ conversation_id: id }) => blocksHide(conversationIn(conversations, id)));
  if (mayHide.length === 0) return new Set();
  const parted = await blockedEitherWay(ctx, viewer, new Set(mayHide.map((row) => row.sender_id)));
  return new Set(mayHide.filter((row) => parted.has(row.sender_id)));
}

function conversationIn(conversations: ReadonlyMap<string, Shown>, id: string): Shown {
  const found = conversations.get(id);
  if (found === undefined) throw new Error('a message is of another conversation');
  return found;
}

/**
 * Messages of one conversation as its members see them, in the order of the rows. The caller has checked that they may. It takes as many
 * statements for a page as for one.
 * @throws Problem internal STORE_DAMAGED
 */
export async function toMessages(
  ctx: Opening,
  conversation: Shown,
  rows: readonly ConversationMessageRow[],
  wanted: Wanted,
): Promise<ChatMessage[]> {
  const open = async (texts: readonly KeyWanted[]): Promise<KeysOfRooms> => {
    const keys = await openRoomKeys(
      ctx,
      roomOf(conversation.id),
      texts.map(({ epoch }) => epoch),
    );
    return { of: () => keys, [Symbol.dispose]: () => keys[Symbol.dispose]() };
  };
  const kept = rows.map((row) => keptRow(ctx, conversation, row));
  return await shown(ctx, new Map([[conversation.id, conversation]]), kept, wanted, open);
}

/** The same for messages of several conversations. It takes as many statements for many as for one. */
export async function toMessagesOf(
  ctx: Opening,
  conversations: readonly Shown[],
  rows: readonly ConversationMessageRow[],
  wanted: Wanted,
): Promise<ChatMessage[]> {
  const open = async (texts: readonly KeyWanted[]) => await openKeysOfRooms(ctx, roomOf('').kind, texts);
  const byId = new Map(conversations.map((one) => [one.id, one]));
  const kept = rows.map((row) => keptRow(ctx, conversationIn(byId, row.conversation_id), row));
  return await shown(ctx, byId, kept, wanted, open);
}

interface KeyWanted {
  readonly id: string;
  readonly epoch: number;
}

async function shown(
  ctx: Opening,
  conversations: ReadonlyMap<string, Shown>,
  rows: readonly ConversationMessageRow[],
  { history, viewer }: Wanted,
  open: (texts: readonly KeyWanted[]) => Promise<KeysOfRooms>,
): Promise<ChatMessage[]> {
  const hidden = await hiddenRows(ctx, conversations, rows, viewer);
  const there = rows.filter((row) => row.deleted_at === null && !hidden.has(row));
  const isThere = new Set(there);
  const ids = there.map(({ id }) => id);
  const told = history ? withHistory(rows) : new Set<ConversationMessageRow>();
  const edited = there.filter((row) => row.revision > 0 && told.has(row)).map(({ id }) => id);
  const edits = edited.length === 0 ? [] : (await ctx.db.executeQuery(editsOf(edited))).rows;
  const reactions = ids.length === 0 ? [] : (await ctx.db.executeQuery(reactionsTo(ids))).rows;
  const pins = ids.length === 0 ? [] : (await ctx.db.executeQuery(pinsAmong(ids))).rows;
  const pinned = new Set(pins.map((row) => row.message_id));
  const reactionsBy = groupBy(reactions, (row) => row.message_id);
  const editsBy = groupBy(edits, (row) => row.message_id);
  const names = await memberSummaries(ctx, new Set(rows.map((row) => row.sender_id)));
  const texts = there.flatMap((row) =>
    [row, ...(editsBy.get(row.id) ?? [])].map(({ epoch }) => ({ id: row.conversation_id, epoch })),
  );
  using keysOf = await open(texts);
  return rows.map((row) => {
    const isHidden = hidden.has(row);
    const keys = isThere.has(row) ? keysOf.of(row.conversation_id) : undefined;
    return {
      ...headOf(conversationIn(conversations, row.conversation_id), row),
      senderName: names.get(row.sender_id)?.username ?? '',
      ...(isHidden && { hidden: true as const }),
      ...textOf(ctx, keys, row),
      pinned: pinned.has(row.id),
      ...reactionsIn(reactionsBy.get(row.id) ?? []),
      ...(told.has(row) && {
        editHistory: keys === undefined ? [] : (editsBy.get(row.id) ?? []).map((edit) => earlierText(keys, row, edit)),
      }),
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
  | 'senderName'
  | 'content'
  | 'webhook'
  | 'via'
  | 'encryptedContent'
  | 'signature'
  | 'attachments'
  | 'pinned'
  | 'reactions'
  | 'reactionCounts'
  | 'editHistory'
>;

function headOf(conversation: Shown, row: ConversationMessageRow): Head {
  const { id, seq, sender_id: senderId, epoch, revision } = row;
  return {
    id,
    conversationId: conversation.id,
    ...(conversation.pair !== null && { recipientId: otherOf(conversation, senderId) }),
    ...(conversation.type === 'group' && { groupId: conversation.id }),
    ...(conversation.type === 'channel' && { channelId: conversation.id }),
    seq,
    senderId,
    epoch,
    revision,
    clientId: row.client_id,
    replyToMessageId: row.reply_to_id,
    ...(row.thread_id !== null && { threadId: row.thread_id }),
    ...(row.reply_count > 0 && { replyCount: row.reply_count }),
    createdAt: new Date(row.created_at).toISOString(),
    editedAt: momentOf(row.edited_at),
    deletedAt: momentOf(row.deleted_at),
    ...(row.deleted_at !== null && { deleted: true as const }),
  };
}

/** The reactions to one message. */
export async function reactionsOf(
  { db }: Pick<Context, 'db'>,
  messageId: string,
): Promise<Pick<ChatMessage, 'reactions' | 'reactionCounts'>> {
  return reactionsIn((await db.executeQuery(reactionsTo([messageId]))).rows);
}

/** @param keys undefined for one that is not shown */
function textOf(
  ctx: Opening,
  keys: RoomKeys | undefined,
  row: ConversationMessageRow,
): Pick<ChatMessage, 'content' | 'webhook' | 'via' | 'encryptedContent' | 'signature' | 'attachments'> {
  if (keys === undefined || row.sealed === null) return { content: null, encryptedContent: null, attachments: [] };
  if (row.signature !== null)
    return {
      content: null,
      ...signedText({ ...row, sealed: row.sealed }, row.signature),
      attachments: openFiles(ctx, row).map(toAttachment),
    };
  const said = saidIn(keys, row, row);
  return {
    content: said?.content ?? null,
    ...(said?.webhook !== undefined && { webhook: said.webhook }),
    ...(said?.via !== undefined && { via: said.via }),
    encryptedContent: Buffer.from(row.sealed).toString('base64'),
    attachments: said?.attachments?.map(toAttachment) ?? [],
  };
}

/** What only members can open, with what says whose it is. */
function signedText({ sealed }: { readonly sealed: Uint8Array }, signature: Uint8Array) {
  return {
    encryptedContent: Buffer.from(sealed).toString('base64'),
    signature: Buffer.from(signature).toString('hex'),
  };
}

function earlierText(keys: RoomKeys, row: ConversationMessageRow, edit: ConversationEditRow) {
  const { epoch, revision, signature } = edit;
  const editedAt = new Date(edit.edited_at).toISOString();
  if (signature === null) return { content: contentOf(keys, row, edit), epoch, editedAt };
  return { content: null, ...signedText(edit, signature), epoch, revision, editedAt };
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
