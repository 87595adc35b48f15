import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { desc, pageOf, type PageRequest } from '../../platform/store/page.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import type { Seat } from './conversation.ts';
import { requireMessage } from './send.ts';
import { visibleRange } from './visible-range.ts';

const older = writtenQuery<ConversationMessageRow>(`
  select * from conversation_messages where conversation_id = $1 and seq > $2 and seq <= $3 order by seq desc limit $4`);
const newer = writtenQuery<ConversationMessageRow>(`
  select * from conversation_messages where conversation_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`);

/** Messages of which one page is read, each by a range of numbers. */
interface Source {
  /** what else than the conversation selects them */
  readonly filter: Readonly<Record<string, string>>;
  readonly older: (after: number, to: number, most: number) => ReturnType<typeof older>;
  readonly newer: (after: number, to: number, most: number) => ReturnType<typeof newer>;
}

function allOf({ id }: Seat): Source {
  return {
    filter: {},
    older: (...range) => older(id, ...range),
    newer: (...range) => newer(id, ...range),
  };
}

const olderAnswers = writtenQuery<ConversationMessageRow>(`
  select * from conversation_messages where thread_id = $1 and seq > $2 and seq <= $3 order by seq desc limit $4`);
const newerAnswers = writtenQuery<ConversationMessageRow>(`
  select * from conversation_messages where thread_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`);

/** The answers of a thread. The caller has checked that it is one of the conversation, and that the member may see its beginning. */
export function answersOf(threadId: string): Source {
  return {
    filter: { thread: threadId },
    older: (...range) => olderAnswers(threadId, ...range),
    newer: (...range) => newerAnswers(threadId, ...range),
  };
}

export interface HistoryRequest extends PageRequest {
  readonly limit: number;
  /** only messages after this number */
  readonly after?: number | undefined;
  /** a page about this message */
  readonly around?: string | undefined;
}

export interface HistoryPage {
  /** in the order of their numbers */
  readonly rows: readonly ConversationMessageRow[];
  /** leads to older ones */
  readonly cursor: string | null;
  readonly hasMore: boolean;
}

/**
 * One page of the messages that a member may see. It is one range of the key, however long the conversation is.
 * @param list the operation that returns it
 * @param source which of them
 * @throws Problem invalid INVALID_CURSOR; missing MESSAGE_NOT_FOUND
 */
export async function readHistory(
  ctx: Context,
  seat: Seat,
  { list, memberId }: { readonly list: string; readonly memberId: string },
  { after, around, limit, cursor }: HistoryRequest,
  source = allOf(seat),
): Promise<HistoryPage> {
  const range = visibleRange(seat);
  if (after !== undefined) {
    const from = Math.max(after, range.after);
    const { rows } = await ctx.db.executeQuery(source.newer(from, range.to, limit + 1));
    return { rows: rows.slice(0, limit), cursor: null, hasMore: rows.length > limit };
  }
  // A cursor leads on from the page about the message, to older ones.
  const middle = around === undefined || cursor !== undefined ? undefined : await requireMessage(ctx, seat, around);
  const below = middle === undefined ? limit : Math.ceil(limit / 2);
  const by = [desc<ConversationMessageRow>('seq', (row) => row.seq)];
  const { rows, next } = await pageOf(
    ctx,
    { list, memberId, filter: { conversation: seat.id, ...source.filter }, by },
    { limit: below, cursor },
    async ({ values: [seq] }, most = below + 1) => {
      const to = typeof seq === 'number' ? seq - 1 : (middle?.seq ?? range.to);
      return (await ctx.db.executeQuery(source.older(range.after, Math.min(to, range.to), most))).rows;
    },
  );
  const above =
    middle === undefined || limit === below
      ? []
      : (await ctx.db.executeQuery(source.newer(middle.seq, range.to, limit - below))).rows;
  return { rows: [...rows.toReversed(), ...above], cursor: next.cursor ?? null, hasMore: next.hasMore };
}
