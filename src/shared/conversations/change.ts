import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { insertRows } from '../../platform/store/written-query.ts';
import { freeStorage, freeStorageOf, takeStorage } from '../members/storage.ts';
import { recordDeed } from '../groups/log.ts';
import { roleIn } from '../groups/membership.ts';
import { permits } from '../groups/permissions.ts';
import { outranks } from '../groups/roles.ts';
import { releaseAttachments } from './attachments/references.ts';
import { roomOf, type Seat } from './conversation.ts';
import { publishMessage, tell } from './events.ts';
import { tellMentioned } from './inbox.ts';
import { unindexMessage } from './indexing.ts';
import { storeMentions } from './mentions.ts';
import { removePin } from './pins.ts';
import type { NewMessage } from './send.ts';
import { saidWith } from './speaking.ts';
import { rulesOf } from './types.ts';

/**
 * Gives a message a new text, in the transaction that has checked that the member may speak. The earlier text is kept.
 * @throws Problem forbidden FORBIDDEN for a message of somebody else; invalid MESSAGE_EDIT_OVER; tooLarge STORAGE_QUOTA_EXCEEDED; in mode `client`
 *   those of `takeEnvelope`
 */
export async function editMessage(
  tx: Context,
  seat: Seat,
  memberId: string,
  row: ConversationMessageRow,
  message: Pick<NewMessage, 'content' | 'envelope'>,
): Promise<ConversationMessageRow> {
  if (row.sender_id !== memberId)
    throw new Problem('forbidden', 'FORBIDDEN', 'Only the sender of a message can change it.');
  if (row.sealed === null) throw new Error('a message without a text is deleted');
  const now = tx.clock.now();
  const { editMs = Infinity } = rulesOf(seat);
  if (now - row.created_at > editMs)
    throw new Problem('invalid', 'MESSAGE_EDIT_OVER', `A message can be edited for ${editMs / 60_000} minutes.`);
  const said = saidWith(seat, message);
  const mentioned = await said.mentioned(tx, seat, memberId);
  const { sealed, signature } = row;
  const { text, index } = await said.edited(tx, seat, { ...row, sealed });
  const earlier = { message_id: row.id, revision: row.revision, epoch: row.epoch, sealed, signature, edited_at: now };
  await insertRows(tx.db, 'conversation_edits', [earlier]);
  const dropped = await dropOldEdits(tx, row.id, text.revision);
  await takeStorage(tx, memberId, text.sealed.length);
  await freeStorage(tx, memberId, dropped);
  const changed = { ...text, edited_at: now, bytes: row.bytes + text.sealed.length - dropped };
  await tx.db.updateTable('conversation_messages').set(changed).where('id', '=', row.id).execute();
  await index?.(row);
  await tellMentioned(tx, seat, row, mentioned, await storeMentions(tx, row, mentioned, 'changed'));
  await publishMessage(tx, seat, 'edited', row);
  return { ...row, ...changed };
}

/** @returns how many bytes are gone */
async function dropOldEdits(tx: Context, messageId: string, revision: number): Promise<number> {
  const gone = await tx.db
    .deleteFrom('conversation_edits')
    .where('message_id', '=', messageId)
    .where('revision', '<', revision - chatLimits.edits)
    .returning('sealed')
    .execute();
  return gone.reduce((bytes, { sealed }) => bytes + sealed.length, 0);
}

/**
 * Erases what a message says, for everybody. Its place stays.
 * @throws Problem forbidden FORBIDDEN for a message of somebody else, unless the member is a moderator of the conversation and above its sender
 */
export async function deleteMessage(
  tx: Context,
  seat: Seat,
  memberId: string,
  row: ConversationMessageRow,
): Promise<void> {
  const { id, sender_id: senderId } = row;
  if (senderId !== memberId) {
    const isModerator = seat.pair === null && rulesOf(seat).moderated && permits(seat.role, 'DELETE_ANY_MESSAGE');
    if (!isModerator || !outranks(seat.role, await roleIn(tx, roomOf(seat.id), senderId)))
      throw new Problem(
        'forbidden',
        'FORBIDDEN',
        'Only the sender of a message, or a moderator above them, can delete it.',
      );
    await recordDeed(tx, roomOf(seat.id), { by: memberId, action: 'delete_message', subjectId: senderId, itemId: id });
  }
  await eraseMessage(tx, seat, row);
  await tell(tx, seat, 'messageDeleted', { seq: row.seq, messageId: id, deletedBy: memberId });
}

/** Erases what a message says with all that belongs to it. Its place stays. The caller has checked the right to that. */
export async function eraseMessage(
  tx: Context,
  conversation: Pick<Seat, 'id'>,
  row: ConversationMessageRow,
): Promise<void> {
  const { id, sender_id: senderId } = row;
  await storeMentions(tx, row, { everybody: false, memberIds: [] }, 'changed');
  for (const table of ['conversation_edits', 'conversation_reactions'] as const)
    await tx.db.deleteFrom(table).where('message_id', '=', id).execute();
  const released = await releaseAttachments(tx, [id]);
  await removePin(tx, conversation, row);
  await unindexMessage(tx, conversation.id, id);
  await tx.db
    .updateTable('conversation_messages')
    .set({ sealed: null, signature: null, files: null, bytes: 0, deleted_at: tx.clock.now() })
    .where('id', '=', id)
    .execute();
  await freeStorageOf(tx, [{ memberId: senderId, bytes: row.bytes }, ...released]);
}
