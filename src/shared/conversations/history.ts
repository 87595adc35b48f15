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
 * @throws Problem invalid INVALID_CURSOR; missing MESSAGE_NOT_FOUND
 */
export async function readHistory(
  ctx: Context,
  seat: Seat,
  { list, memberId }: { readonly list: string; readonly memberId: string },
  { after, around, limit, cursor }: HistoryRequest,
): Promise<HistoryPage> {
  const range = visibleRange(seat);
  if (after !== undefined) {
    const from = Math.max(after, range.after);
    const { rows } = await ctx.db.executeQuery(newer(seat.id, from, range.to, limit + 1));
    return { rows: rows.slice(0, limit), cursor: null, hasMore: rows.length > limit };
  }
  // A cursor leads on from the page about the message, to older ones.
  const middle = around === undefined || cursor !== undefined ? undefined : await requireMessage(ctx, seat, around);
  const below = middle === undefined ? limit : Math.ceil(limit / 2);
  const by = [desc<ConversationMessageRow>('seq', (row) => row.seq)];
  const { rows, next } = await pageOf(
    ctx,
    { list, memberId, filter: { conversation: seat.id }, by },
    { limit: below, cursor },
    async ({ values: [seq] }, most = below + 1) => {
      const to = typeof seq === 'number' ? seq - 1 : (middle?.seq ?? range.to);
      return (await ctx.db.executeQuery(older(seat.id, range.after, Math.min(to, range.to), most))).rows;
    },
  );
  const above =
    middle === undefined || limit === below
      ? []
      : (await ctx.db.executeQuery(newer(seat.id, middle.seq, range.to, limit - below))).rows;
  return { rows: [...rows.toReversed(), ...above], cursor: next.cursor ?? null, hasMore: next.hasMore };
}
