import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { ConversationAttachmentRow } from '../../../platform/store/tables/conversation-attachments.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { openJson, sealJson } from '../node-sealed.ts';
import type { SealedAttachment } from './attachment.ts';

/** A file that waits to be attached. */
export interface WaitingRow extends ConversationAttachmentRow {
  readonly expires_at: number;
  readonly sealed: Uint8Array;
}

export type Described = Pick<SealedAttachment, 'filename' | 'mimeType' | 'key'>;

const purpose = (id: string) => `conclave/chat/attachment/v1\0${id}`;

/** Name, type and key of a file as they wait for a message, under the key of the node. */
export function sealDescribed(ctx: Pick<Context, 'keys' | 'random'>, id: string, as: Described): Uint8Array {
  return sealJson(ctx, purpose(id), as);
}

/** @throws Problem internal STORE_DAMAGED */
export function openDescribed(ctx: Pick<Context, 'keys'>, { id, sealed, size }: WaitingRow): SealedAttachment {
  return { id, size, ...(openJson(ctx, purpose(id), sealed, damaged) as Described) };
}

function damaged(cause: unknown): Problem {
  const words = 'An attachment in the store is damaged. Restore the store from a backup.';
  return new Problem('internal', 'STORE_DAMAGED', words, { cause });
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
