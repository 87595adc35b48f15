import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { showingReceipts } from '../members/privacy.ts';
import { topicOfInbox } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { partedFrom } from './parted.ts';
import { readBoardOf, type Gathered } from './read-board.ts';
import { readersOf } from './read-counts.ts';

/** Conversations of one step; others follow in the next. */
const TOLD_AT_ONCE = 20;

interface Read {
  readonly type: string;
  readonly id: string;
  readonly seq: number;
  readonly sender_id: string;
}

// Of senders who are still there and see them.
const newestRead = writtenQuery<Read>(`
  select c.type, m.id, m.seq, m.sender_id
  from conversations c
  join rooms r on r.kind = 'conversation' and r.id = c.id and r.member_count > $1
  join conversation_messages m on m.conversation_id = c.id and m.sealed is not null
  join conversation_places p on p.conversation_id = c.id and p.member_id = m.sender_id and p.left_seq is null and p.joined_seq < m.seq
  where c.id = $2 and m.seq between $3 and $4
  order by m.seq desc limit $5`);

/** Tells senders how many have read their messages by now, where many are and what was read has gathered for a while. */
export async function tellReadCounts(ctx: Context): Promise<void> {
  const board = readBoardOf(ctx);
  const now = ctx.clock.now();
  const due = [...board].filter(([, { at }]) => at <= now).slice(0, TOLD_AT_ONCE);
  for (const [id, { readers }] of due) {
    // First, so that what is read meanwhile is told the next time. After a failure nothing is told, as after an interruption.
    board.delete(id);
    await tellSenders(ctx, id, readers);
  }
}

async function tellSenders(ctx: Context, id: string, readers: Gathered['readers']): Promise<void> {
  const from = Math.min(...[...readers.values()].map((range) => range.from));
  const to = Math.max(...[...readers.values()].map((range) => range.to));
  const { notifiesOfAll, readCountsTold } = chatLimits;
  const { rows } = await ctx.db.executeQuery(newestRead(notifiesOfAll, id, from, to, readCountsTold));
  if (rows.length === 0) return;
  const bySender = groupBy(rows, (row) => row.sender_id);
  const showing = await showingReceipts(ctx, [...readers.keys()]);
  for (const senderId of await showingReceipts(ctx, [...bySender.keys()])) {
    const own = bySender.get(senderId) ?? [];
    // Nothing is told of messages that nobody read of whom the sender may know.
    const parted = new Set([senderId, ...(await partedFrom(ctx, { id }, senderId))]);
    const others = [...readers].filter(([memberId]) => showing.has(memberId) && !parted.has(memberId));
    const changed = own.filter(({ seq }) => others.some(([, range]) => range.from <= seq && seq <= range.to));
    const [first] = changed;
    if (first === undefined) continue;
    const countOf = await readersOf(ctx, { id }, senderId, changed);
    await publish(ctx, topicOfInbox(senderId), chatEvents.readCounts, {
      ...aboutConversation({ id, type: first.type }),
      messages: changed.toReversed().map((one) => ({ messageId: one.id, seq: one.seq, readBy: countOf(one) })),
    });
  }
}
