import type { Context } from '../../../service/context.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import type { SealedAttachment } from './attachment.ts';
import { findWaiting, openDescribed } from './upload-rows.ts';

const field = 'attachments';

// The statement that takes an upload also compares: of two messages that want it at the same time, one gets it.
const take = writtenQuery<{ id: string }>(`
  update conversation_attachments set expires_at = null, sealed = null, owner_id = '', message_count = 1
  where id = $1 and owner_id = $2 and expires_at > $3 and sealed is not null
  returning id`);

/**
 * Takes uploads for a new message, in the transaction that writes it. Their names and keys stay in the message alone.
 * @param ids own ones that wait, in the order in which they are shown
 * @param areSealed whether members sealed them, where only these can read the conversation
 * @returns what is sealed with the text
 * @throws Problem invalid TOO_MANY_ATTACHMENTS, ATTACHMENTS_TOO_LARGE, INVALID_ATTACHMENT (the same for what others have and what nobody has)
 */
export async function takeUploads(
  tx: Context,
  memberId: string,
  ids: readonly string[],
  areSealed: boolean,
): Promise<SealedAttachment[]> {
  if (ids.length > chatLimits.attachments)
    throw fieldProblem(field, `must be at most ${chatLimits.attachments}`, { code: 'TOO_MANY_ATTACHMENTS' });
  const taken = new Map<string, SealedAttachment>();
  // In one order, because two messages that each have what the other one wants next would wait for each other.
  for (const id of [...ids].toSorted()) {
    const row = await findWaiting(tx, memberId, id);
    const isTaken = row !== undefined && (await tx.db.executeQuery(take(id, memberId, tx.clock.now()))).rows.length > 0;
    if (!isTaken) {
      const sentence = `${field}: There is no such upload of yours that can be attached. Upload it again.`;
      throw fieldProblem(field, 'must be own uploads that wait', { code: 'INVALID_ATTACHMENT', sentence });
    }
    taken.set(id, openDescribed(tx, row));
  }
  // The size of a file is that of what is in it, in both modes.
  const added = areSealed ? chatLimits.sealedOverhead : 0;
  const bytes = [...taken.values()].reduce((sum, { size }) => sum + size - added, 0);
  if (bytes > chatLimits.attachmentBytes) {
    const most = `must be at most ${chatLimits.attachmentBytes / 1024 ** 2} MiB together`;
    throw fieldProblem(field, most, { code: 'ATTACHMENTS_TOO_LARGE' });
  }
  return ids.flatMap((id) => taken.get(id) ?? []);
}

/** Makes the message refer to what `takeUploads` took for it. Their bytes were counted when they arrived. */
export async function referTo(
  tx: Context,
  message: { readonly id: string; readonly sender_id: string },
  attachments: readonly SealedAttachment[],
): Promise<void> {
  const rows = attachments.map(({ id, size }) => ({
    message_id: message.id,
    attachment_id: id,
    member_id: message.sender_id,
    bytes: size,
  }));
  await insertRows(tx.db, 'conversation_message_attachments', rows);
}
