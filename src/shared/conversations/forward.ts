import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { openRoomKeys } from '../group-keys/keys.ts';
import { roomOf, type Seat } from './conversation.ts';
import { saidIn } from './sealed.ts';
import { addMessage, noMessage } from './send.ts';

interface Source {
  readonly seat: Seat;
  readonly row: ConversationMessageRow;
}

/**
 * Says a message again in another conversation, with its files, in the transaction that has checked that the member may read the one and speak in
 * the other.
 * @throws Problem missing MESSAGE_NOT_FOUND; those of `addMessage`
 */
export async function forward(
  tx: Context,
  { seat, row }: Source,
  target: Seat,
  memberId: string,
): Promise<ConversationMessageRow> {
  using keys = await openRoomKeys(tx, roomOf(seat.id), [row.epoch]);
  const said = saidIn(keys, row, row);
  if (said === null) throw noMessage();
  const { content, attachments = [] } = said;
  return await addMessage(tx, target, memberId, { content, forwarded: { messageId: row.id, attachments } });
}
