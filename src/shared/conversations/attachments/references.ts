import type { Context } from '../../../service/context.ts';
import type { MessageAttachmentRow } from '../../../platform/store/tables/conversation-attachments.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { takeStorage } from '../../members/storage.ts';
import { dropAttachments } from './dropping.ts';
import { noAttachment } from './upload-rows.ts';

const referencesOf = writtenList<MessageAttachmentRow>(
  0,
  (ids) => `delete from conversation_message_attachments where message_id in ${ids} returning *`,
);
const countDown = writtenQuery<{ message_count: number }>(
  'update conversation_attachments set message_count = message_count - 1 where id = $1 returning message_count',
);

/** Bytes that count for a member no more. */
export interface Released {
  readonly memberId: string;
  readonly bytes: number;
}

/**
 * Removes what messages refer to, in the transaction that deletes them. What no other message refers to is deleted.
 * @returns the bytes, which the caller gives back together with those of the messages
 */
export async function releaseAttachments(tx: Context, messageIds: readonly string[]): Promise<Released[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await tx.db.executeQuery(referencesOf(messageIds));
  const unused: string[] = [];
  // In one order, because two deletions that each have what the other one wants next would wait for each other.
  for (const id of rows.map((row) => row.attachment_id).toSorted()) {
    const [left] = (await tx.db.executeQuery(countDown(id))).rows;
    if (left?.message_count === 0) unused.push(id);
  }
  await dropAttachments(tx, unused);
  return rows.map(({ member_id: memberId, bytes }) => ({ memberId, bytes }));
}

const ofMessage = writtenQuery<MessageAttachmentRow>(
  'select * from conversation_message_attachments where message_id = $1 order by attachment_id',
);
const countUp = writtenQuery<{ id: string }>(
  'update conversation_attachments set message_count = message_count + 1 where id = $1 and message_count > 0 returning id',
);

interface Again {
  readonly fromMessageId: string;
  readonly toMessageId: string;
  /** whose quota has their bytes: who forwards them */
  readonly memberId: string;
}

/**
 * Makes a message refer to the files of another one too; no content is copied. It must run in the transaction that has read the other message and
 * seals in the new one what that says of them (`attachments` of `Said`).
 * @throws Problem missing ATTACHMENT_NOT_FOUND if a file is gone; tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function referAgain(tx: Context, { fromMessageId, toMessageId, memberId }: Again): Promise<void> {
  const { rows } = await tx.db.executeQuery(ofMessage(fromMessageId));
  for (const { attachment_id: id } of rows)
    if ((await tx.db.executeQuery(countUp(id))).rows.length === 0) throw noAttachment();
  await insertRows(
    tx.db,
    'conversation_message_attachments',
    rows.map((row) => ({ ...row, message_id: toMessageId, member_id: memberId })),
  );
  await takeStorage(
    tx,
    memberId,
    rows.reduce((sum, { bytes }) => sum + bytes, 0),
  );
}
