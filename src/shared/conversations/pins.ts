import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import type { Seat } from './conversation.ts';
import { tell } from './events.ts';
import { keptRow } from './retention.ts';
import { visibleRange } from './visible-range.ts';

const pinsIn = writtenQuery<{ count: number; here: number }>(`
  select count(*) as count, count(case when message_id = $1 then 1 end) as here
  from conversation_pins where conversation_id = $2`);
const pinnedMessages = writtenQuery<ConversationMessageRow>(`
  select m.* from conversation_pins p join conversation_messages m on m.id = p.message_id
  where p.conversation_id = $1 and m.seq > $2 and m.seq <= $3 order by p.pinned_at desc, m.seq desc`);

type Message = Pick<ConversationMessageRow, 'id'>;

/** To pin a pinned message changes nothing. @throws Problem conflict PINS_FULL */
export async function pinMessage(tx: Context, seat: Seat, memberId: string, message: Message): Promise<void> {
  const { count, here } = onlyRow((await tx.db.executeQuery(pinsIn(message.id, seat.id))).rows);
  if (here > 0) return;
  if (count >= chatLimits.pins)
    throw new Problem(
      'conflict',
      'PINS_FULL',
      `A conversation has at most ${chatLimits.pins} pinned messages. Unpin one.`,
    );
  const row = { conversation_id: seat.id, message_id: message.id, pinned_by: memberId, pinned_at: tx.clock.now() };
  await insertRows(tx.db, 'conversation_pins', [row]);
  await tell(tx, seat, 'messagePinned', { messageId: message.id, memberId });
}

export async function unpinMessage(tx: Context, seat: Seat, memberId: string, message: Message): Promise<void> {
  if (await removePin(tx, seat, message)) await tell(tx, seat, 'messageUnpinned', { messageId: message.id, memberId });
}

/** @returns whether it was pinned */
export async function removePin(
  { db }: Pick<Context, 'db'>,
  seat: Pick<Seat, 'id'>,
  { id }: Message,
): Promise<boolean> {
  const gone = await db
    .deleteFrom('conversation_pins')
    .where('conversation_id', '=', seat.id)
    .where('message_id', '=', id)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/** The pinned messages that a member may see, the last one pinned first. */
export async function listPinned(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  seat: Seat,
): Promise<ConversationMessageRow[]> {
  const { after, to } = visibleRange(seat);
  const { rows } = await ctx.db.executeQuery(pinnedMessages(seat.id, after, to));
  return rows.filter((row) => keptRow(ctx, seat, row).deleted_at === null);
}
