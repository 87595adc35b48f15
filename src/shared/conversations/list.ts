import type { Context } from '../../service/context.ts';
import type { ChannelVisibility, Conversation, ContextType } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { groupBy } from '../../base/group-by.ts';
import { desc, readPage, type Page, type PageRequest } from '../../platform/store/page.ts';
import type { ConversationMessageRow, ConversationPlaceRow } from '../../platform/store/tables/conversations.ts';
import { openKeysOfRooms } from '../group-keys/keys.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import { memberSummaries } from '../members/summaries.ts';
import { showingReceipts } from '../members/privacy.ts';
import { membersOfPair, otherOf, pairOf, roomOf, type Seat } from './conversation.ts';
import { momentOf, type Opening } from './dto.ts';
import { mentionCounts } from './mentions.ts';
import { blocksHide } from './readable.ts';
import { contentOf } from './sealed.ts';
import { keptMs, keptRow } from './retention.ts';
import { toSettings } from './settings.ts';
import { listedSeatsOf } from './own-seats.ts';
import type { ConversationType } from './types.ts';
import { isVisible, unreadIn } from './visible-range.ts';

interface Listed<Type extends ConversationType = ConversationType> {
  readonly list: string;
  readonly memberId: string;
  readonly types: readonly Type[];
  /** default: only those that are not, unless one is wanted by its other member */
  readonly archived?: boolean | undefined;
  /** only the conversation with this member */
  readonly otherId?: string | undefined;
}

/** The conversations of a member, the newest activity first, a page at a time. Each takes as many statements, however many there are. */
export async function listConversations(
  ctx: Context,
  listed: Listed<ContextType>,
  page: PageRequest,
): Promise<{ items: Conversation[]; cursor: string | null; hasMore: boolean }> {
  const { rows, next } = await pageOfSeats(ctx, listed, page);
  const items = await toConversations(ctx, listed.memberId, rows);
  return { items, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

/**
 * The same as it is stored. What a member deleted from their view is there again with the next message, and what somebody asked them for with
 * their consent.
 */
export async function pageOfSeats(
  ctx: Context,
  { list, memberId, types, archived, otherId }: Listed,
  page: PageRequest,
): Promise<Page<Seat>> {
  let query = listedSeatsOf(ctx, memberId).where('c.type', 'in', types);
  if (archived !== undefined || otherId === undefined)
    query = query.where('p.archived', '=', archived === true ? 1 : 0);
  if (otherId !== undefined)
    query = query.where(
      'c.pair',
      'in',
      types.map((type) => pairOf(type, memberId, otherId)),
    );
  const by = [desc<Seat>('c.active_at', (row) => row.active_at), desc<Seat>('c.id', (row) => row.id)];
  return await readPage(
    ctx,
    query,
    { list, memberId, filter: { types: types.join(' '), archived, otherId }, by },
    page,
  );
}

/** Conversations as one of their members sees them. It takes as many statements for many as for one. */
export async function toConversations(ctx: Context, memberId: string, rows: readonly Seat[]): Promise<Conversation[]> {
  const shown = await shownTo(ctx, memberId, rows);
  const receipts = await receiptsIn(ctx, memberId, rows);
  const now = ctx.clock.now();
  return rows.map((row, at) =>
    toConversation(
      { ...row, keptMs: keptMs(ctx, row) },
      { ...(shown[at] as Shown), receipts: receipts.get(row.id) ?? [] },
      now,
    ),
  );
}

type Shown = Pick<Conversation, 'title' | 'mentionCount' | 'lastMessagePreview'>;

/** What a member sees of each of their conversations beside what is in its row, in the order of the rows. */
export async function shownTo(ctx: Context, memberId: string, rows: readonly Seat[]): Promise<Shown[]> {
  const previews = await previewsOf(ctx, memberId, rows);
  const groups = rows.filter(({ pair }) => pair === null).map(({ id }) => id);
  const mentions = await mentionCounts(ctx, memberId, groups);
  const names = await memberSummaries(
    ctx,
    rows.flatMap((row) => (row.pair === null ? [] : [otherOf(row, memberId)])),
  );
  return rows.map((row) => ({
    title: row.pair === null ? (row.name ?? '') : (names.get(otherOf(row, memberId))?.username ?? ''),
    mentionCount: mentions.get(row.id) ?? 0,
    lastMessagePreview: previews.get(row.id) ?? null,
  }));
}

function toConversation(
  row: Seat & { readonly keptMs: number | null },
  shown: Shown & Pick<Conversation, 'receipts'>,
  now: number,
): Conversation {
  return {
    id: row.id,
    type: row.type as ContextType,
    mode: row.mode as Conversation['mode'],
    ...(row.pair === null
      ? {
          name: row.name ?? '',
          creatorId: row.created_by,
          memberCount: row.member_count,
          role: row.role,
          slowModeSeconds: row.slow_seconds,
        }
      : { participants: [...membersOfPair(row)] }),
    ...(row.visibility !== null && { topic: row.topic ?? '', visibility: row.visibility as ChannelVisibility }),
    retentionMs: row.keptMs,
    createdAt: new Date(row.created_at).toISOString(),
    lastMessageAt: row.last_seq === 0 ? null : momentOf(row.active_at),
    lastSeq: row.last_seq,
    readSeq: row.read_seq,
    unread: unreadIn(row),
    ...shown,
    ...toSettings(row, now),
  };
}

/** The beginnings of the last messages, by conversation. They are opened when they are shown, so that they never say what is deleted. */
async function previewsOf(ctx: Opening, memberId: string, seats: readonly Seat[]): Promise<Map<string, string>> {
  const wanted = seats.filter((seat) => seat.last_seq > 0 && isVisible(seat, seat.last_seq));
  if (wanted.length === 0) return new Map();
  const rows: ConversationMessageRow[] = await ctx.db
    .selectFrom('conversation_messages')
    .selectAll()
    .where((e) =>
      e(
        e.refTuple('conversation_id', 'seq'),
        'in',
        wanted.map((seat) => e.tuple(seat.id, seat.last_seq)),
      ),
    )
    .where('deleted_at', 'is', null)
    .execute();
  const senders = await blockedEitherWay(
    ctx,
    memberId,
    rows.map((row) => row.sender_id),
  );
  const seatOf = new Map(seats.map((seat) => [seat.id, seat]));
  const isHidden = (row: ConversationMessageRow): boolean => {
    const seat = seatOf.get(row.conversation_id);
    if (seat === undefined || keptRow(ctx, seat, row).deleted_at !== null) return true;
    return blocksHide(seat) && senders.has(row.sender_id);
  };
  const shown = rows.filter((row) => !isHidden(row));
  const opened = shown.map(({ conversation_id: id, epoch }) => ({ id, epoch }));
  using keys = await openKeysOfRooms(ctx, roomOf('').kind, opened);
  return new Map(
    shown.flatMap((row) => {
      const content = contentOf(keys.of(row.conversation_id), row, row);
      return content === null ? [] : [[row.conversation_id, beginning(content)] as const];
    }),
  );
}

/** A line of at most so many characters. */
function beginning(text: string): string {
  // Both halves of a character, or none.
  const some = text.slice(0, 4 * chatLimits.preview).replace(/[\ud800-\udbff]$/, '');
  const characters = Array.from(some.replaceAll(/\s+/g, ' ').trim());
  const isWhole = some.length === text.length && characters.length <= chatLimits.preview;
  return `${characters.slice(0, chatLimits.preview).join('')}${isWhole ? '' : '…'}`;
}

type Receipts = Conversation['receipts'];

/** How far the others have read, by conversation: between members who show that to each other, and whom no block parts. */
async function receiptsIn(
  ctx: Pick<Context, 'db' | 'clock'>,
  memberId: string,
  seats: readonly Seat[],
): Promise<Map<string, Receipts>> {
  // By name among few. Where many read, senders see how many have: `read-counts.ts`.
  const few = seats.filter((seat) => seat.member_count <= chatLimits.notifiesOfAll).map(({ id }) => id);
  if (few.length === 0) return new Map();
  const rows: ConversationPlaceRow[] = await ctx.db
    .selectFrom('conversation_places')
    .selectAll()
    .where('conversation_id', 'in', few)
    .where('member_id', '!=', memberId)
    .where('left_seq', 'is', null)
    .execute();
  const others = new Set(rows.map((row) => row.member_id));
  const showing = await showingReceipts(ctx, [memberId, ...others]);
  if (!showing.has(memberId)) return new Map();
  const parted = await blockedEitherWay(ctx, memberId, others);
  const shown = rows.filter((row) => showing.has(row.member_id) && !parted.has(row.member_id));
  return new Map(
    [...groupBy(shown, (row) => row.conversation_id)].map(([id, places]) => [
      id,
      places.map((place) => ({ memberId: place.member_id, seq: place.read_seq, readAt: momentOf(place.read_at) })),
    ]),
  );
}
