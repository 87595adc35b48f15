import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { Problem } from '../../../base/problem.ts';
import type { ConversationAttachmentRow } from '../../../platform/store/tables/conversation-attachments.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { SealedAttachment } from './attachment.ts';

/** A file that waits to be attached. */
export interface WaitingRow extends ConversationAttachmentRow {
  readonly expires_at: number;
  readonly sealed: Uint8Array;
}

export type Described = Pick<SealedAttachment, 'filename' | 'mimeType' | 'key'>;

const purpose = (id: string) => utf8(`conclave/chat/attachment/v1\0${id}`);

/** Name, type and key of a file as they wait for a message, under the key of the node. */
export function sealDescribed(
  { keys, random }: Pick<Context, 'keys' | 'random'>,
  id: string,
  as: Described,
): Uint8Array {
  return sealWithKey(keys.wrap, utf8(JSON.stringify(as)), purpose(id), random);
}

/** @throws Problem internal STORE_DAMAGED */
export function openDescribed({ keys }: Pick<Context, 'keys'>, { id, sealed, size }: WaitingRow): SealedAttachment {
  try {
    const opened = JSON.parse(fromUtf8(openWithKey(keys.wrap, sealed, purpose(id)))) as Described;
    return { id, size, ...opened };
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    const words = 'An attachment in the store is damaged. Restore the store from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', words, { cause });
  }
}

const ownWaiting = writtenQuery<WaitingRow>(`
  select * from conversation_attachments
  where id = $1 and owner_id = $2 and expires_at > $3 and sealed is not null`);

/** An own upload that waits, and whose time is not over; the clock decides, whenever expired ones are deleted. */
export async function findWaiting(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  memberId: string,
  id: string,
): Promise<WaitingRow | undefined> {
  return (await db.executeQuery(ownWaiting(id, memberId, clock.now()))).rows[0];
}

/** @throws Problem missing ATTACHMENT_NOT_FOUND */
export function noAttachment(): Problem {
  return new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'There is no such attachment.');
}
