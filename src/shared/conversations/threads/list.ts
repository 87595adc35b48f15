import type { Context } from '../../../service/context.ts';
import type { ChatThread } from '../../../contract/chat/threads.ts';
import { desc, pageOf, type PageRequest } from '../../../platform/store/page.ts';
import type {
  ConversationMessageRow,
  ConversationThreadPlaceRow,
} from '../../../platform/store/tables/conversations.ts';
import { onlyRow, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Seat } from '../conversation.ts';
import { toMessages } from '../dto.ts';
import { notParted } from '../mentions.ts';
import { noMessage, requireMessage } from '../send.ts';
import { visibleRange } from '../visible-range.ts';

type OwnPlace = { readonly [K in 'thread_read_seq' | 'following']: ConversationThreadPlaceRow['following'] };

/** The message that began a thread, with what a member has in it. */
export interface ThreadRow extends ConversationMessageRow, OwnPlace {
  /** when the last answer was sent; null: there is none */
  readonly last_reply_at: number | null;
  /** answers that the member has not read */
  readonly unread: number;
}

/** How far the member has read a thread: `t` has what they read of it alone, and the parameter what they read of the conversation. */
const readUpTo = (seq: string) =>
  `case when coalesce(t.thread_read_seq, 0) > ${seq} then t.thread_read_seq else ${seq} end`;
// Answers are counted for what is answered, after the page is cut.
const counting = (threads: string, seq: string) => `
  select t.*,
    (select l.created_at from conversation_messages l
      where l.conversation_id = t.conversation_id and l.seq = t.last_reply_seq) as last_reply_at,
    (select count(*) from conversation_messages a where a.thread_id = t.id and a.seq > ${readUpTo(seq)}) as unread
  from (${threads}) as t order by t.last_reply_seq desc`;
const columns = 'm.*, p.read_seq as thread_read_seq, p.following';
const ownPlace = 'left join conversation_thread_places p on p.thread_id = m.id and p.member_id = $2';
const unreadOnly = 'and m.last_reply_seq > coalesce(p.read_seq, 0)';

/** Those with activity between two numbers, by the newest. */
const amongAll = (which: string) =>
  writtenQuery<ThreadRow>(
    counting(
      `
    select ${columns} from conversation_messages m ${ownPlace}
    where m.conversation_id = $3 and m.last_reply_seq > $4 and m.last_reply_seq <= $5 and m.seq > $6 ${which}
    order by m.last_reply_seq desc limit $7`,
      '$1',
    ),
  );
/** The same among those that the member follows: SQLite goes through these first, as a cross join says. */
const amongFollowed = (which: string) =>
  writtenQuery<ThreadRow>(
    counting(
      `
    select ${columns} from conversation_thread_places p cross join conversation_messages m
    where m.id = p.thread_id and p.member_id = $2 and p.conversation_id = $3 and p.following = 1
      and m.last_reply_seq > $4 and m.last_reply_seq <= $5 and m.seq > $6 ${which}
    order by m.last_reply_seq desc limit $7`,
      '$1',
    ),
  );
const lists = {
  all: { all: amongAll(''), unread: amongAll(unreadOnly) },
  followed: { all: amongFollowed(''), unread: amongFollowed(unreadOnly) },
};
const threadBy = writtenQuery<ThreadRow>(
  counting(`select ${columns} from conversation_messages m ${ownPlace} where m.id = $3`, '$1'),
);

interface ThreadsRequest extends PageRequest {
  readonly limit: number;
  readonly following?: boolean | undefined;
  readonly unread?: boolean | undefined;
}

/** Up to where a member has read a conversation, or what was said before they could see it. */
export function readIn(seat: Seat): number {
  return Math.max(seat.read_seq, visibleRange(seat).after);
}

/**
 * The threads of a conversation whose beginnings a member may see, the newest activity first. Those of which everything was erased because its time
 * was over are left out.
 * @param list the operation that returns it
 * @throws Problem invalid INVALID_CURSOR
 */
export async function listThreads(
  ctx: Context,
  seat: Seat,
  { list, memberId }: { readonly list: string; readonly memberId: string },
  { following = false, unread = false, limit, cursor }: ThreadsRequest,
): Promise<{ items: ChatThread[]; cursor: string | null; hasMore: boolean }> {
  const { after, to } = visibleRange(seat);
  const read = readIn(seat);
  const query = lists[following ? 'followed' : 'all'][unread ? 'unread' : 'all'];
  const from = Math.max(seat.erased_seq, unread ? read : after);
  const { rows, next } = await pageOf(
    ctx,
    {
      list,
      memberId,
      filter: { conversation: seat.id, following, unread },
      by: [desc<ThreadRow>('last_reply_seq', (row) => row.last_reply_seq)],
    },
    { limit, cursor },
    async ({ values: [seq] }, most = limit + 1) => {
      const upTo = typeof seq === 'number' ? Math.min(seq - 1, to) : to;
      return (await ctx.db.executeQuery(query(read, memberId, seat.id, from, upTo, after, most))).rows;
    },
  );
  return { items: await toThreads(ctx, seat, memberId, rows), cursor: next.cursor ?? null, hasMore: next.hasMore };
}

/**
 * The thread that a message began, or that it answers in. A message without an answer is one too.
 * @throws Problem missing MESSAGE_NOT_FOUND, also where the member may not see its beginning
 */
export async function requireThread(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  seat: Seat,
  memberId: string,
  messageId: string,
): Promise<ThreadRow> {
  const { id, thread_id: threadId } = await requireMessage(ctx, seat, messageId);
  const row = await threadOf(ctx, seat, memberId, threadId ?? id);
  if (row.seq <= visibleRange(seat).after) throw noMessage();
  return row;
}

/** The thread with a beginning as it is now. The caller has checked that the member may see it. */
export async function threadOf(
  { db }: Pick<Context, 'db'>,
  seat: Seat,
  memberId: string,
  id: string,
): Promise<ThreadRow> {
  return onlyRow((await db.executeQuery(threadBy(readIn(seat), memberId, id))).rows);
}

const mentionsIn = writtenList<{ thread_id: string; count: number }>(
  3,
  (ids) => `
  select s.thread_id, count(distinct n.seq) as count
  from conversation_mentions n
  join conversation_messages s on s.conversation_id = n.conversation_id and s.seq = n.seq
  left join conversation_thread_places p on p.thread_id = s.thread_id and p.member_id = $1
  where n.conversation_id = $2 and n.member_id in ('', $1) and n.seq > $3 and n.seq > coalesce(p.read_seq, 0)
    and s.sender_id <> $1 and s.thread_id in ${ids}
    and ${notParted('s.sender_id', '$1')}
  group by s.thread_id`,
);

/** How many unread answers of threads name a member. Threads without one are missing. */
export async function mentionsInThreads(
  { db }: Pick<Context, 'db'>,
  seat: Seat,
  memberId: string,
  rows: readonly ThreadRow[],
): Promise<Map<string, number>> {
  const ids = rows.filter((row) => row.unread > 0).map((row) => row.id);
  if (seat.pair !== null || ids.length === 0) return new Map();
  const { rows: found } = await db.executeQuery(mentionsIn(ids, memberId, seat.id, readIn(seat)));
  return new Map(found.map((row) => [row.thread_id, row.count]));
}

/** Threads as a member sees them. It takes as many statements for many as for one. */
export async function toThreads(
  ctx: Context,
  seat: Seat,
  memberId: string,
  rows: readonly ThreadRow[],
): Promise<ChatThread[]> {
  const roots = await toMessages(ctx, seat, rows, { history: false, viewer: memberId });
  const mentions = await mentionsInThreads(ctx, seat, memberId, rows);
  return roots.map((root, at) => {
    const row = rows[at] as ThreadRow;
    const { unread, mentionCount, following } = ownIn(row, mentions);
    return {
      threadId: row.id,
      root,
      replyCount: row.reply_count,
      lastSeq: row.last_reply_seq,
      lastReplyAt: row.last_reply_at === null ? null : new Date(row.last_reply_at).toISOString(),
      unread,
      mentionCount,
      following,
    };
  });
}

/** What a member has in a thread. */
export function ownIn(
  row: ThreadRow,
  mentions: ReadonlyMap<string, number>,
): Pick<ChatThread, 'unread' | 'mentionCount' | 'following'> {
  return { unread: row.unread, mentionCount: mentions.get(row.id) ?? 0, following: row.following === 1 };
}
