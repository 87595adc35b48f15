import type { Context } from '../../../service/context.ts';
import type { Draft } from '../../../contract/chat/drafts.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { ConversationDraftRow } from '../../../platform/store/tables/conversation-drafts.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { openRoomKeys } from '../../group-keys/keys.ts';
import { freeStorage, takeStorage } from '../../members/storage.ts';
import { isClientMode, roomOf, type Seat } from '../conversation.ts';
import type { Opening } from '../dto.ts';
import { openJson, sealJson } from '../node-sealed.ts';
import { requireMessage } from '../send.ts';
import { tellDraft } from './events.ts';
import { openUnsent, sealUnsent, type Unsent, type UnsentPlace } from './sealing.ts';

/** What a client keeps of a draft that it encrypted. */
interface Encrypted {
  readonly sealed: string;
  readonly replyToMessageId?: string | undefined;
}

interface Given {
  readonly content?: string | undefined;
  /** only in mode `client` */
  readonly sealed?: string | undefined;
  readonly replyToMessageId?: string | undefined;
}

type Sealed = Pick<ConversationDraftRow, 'epoch' | 'sealed'>;

const draftOf = writtenQuery<ConversationDraftRow>(
  'select * from conversation_drafts where conversation_id = $1 and member_id = $2',
);
const bytesOfDraft = writtenQuery<{ bytes: number }>(
  'select bytes from conversation_drafts where conversation_id = $1 and member_id = $2',
);
const removed = writtenQuery('delete from conversation_drafts where conversation_id = $1 and member_id = $2');

const replacing = `on conflict (conversation_id, member_id) do update set
  epoch = excluded.epoch, sealed = excluded.sealed, bytes = excluded.bytes, updated_at = excluded.updated_at`;

const placeOf = (memberId: string): UnsentPlace => ({ purpose: 'draft', of: [memberId] });
const purposeOf = (id: string, memberId: string) => `conclave/chat/draft/v1\0${id}\0${memberId}`;

/** @returns the draft of a member, who is in the conversation. @throws Problem internal STORE_DAMAGED */
export async function readDraft(ctx: Opening, seat: Seat, memberId: string): Promise<Draft | null> {
  const [row] = (await ctx.db.executeQuery(draftOf(seat.id, memberId))).rows;
  if (row === undefined) return null;
  const { epoch, updated_at: updatedAt } = row;
  if (epoch === null) return toDraft(seat, openEncrypted(ctx, row), updatedAt);
  using keys = await openRoomKeys(ctx, roomOf(seat.id), [epoch]);
  const said = openUnsent(keys, placeOf(memberId), { epoch, sealed: row.sealed });
  return said === undefined ? null : toDraft(seat, said, updatedAt);
}

/**
 * Keeps a draft instead of the one before, in the transaction that has checked that the member is in the conversation.
 * @throws Problem invalid VALIDATION_ERROR, CLIENT_ENCRYPTED; missing MESSAGE_NOT_FOUND; tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function saveDraft(tx: Context, seat: Seat, memberId: string, given: Given): Promise<Draft> {
  const said = saidIn(seat, given);
  if (given.replyToMessageId !== undefined) await requireMessage(tx, seat, given.replyToMessageId);
  const text =
    'content' in said ? await sealUnsent(tx, seat, placeOf(memberId), said) : encrypt(tx, seat, memberId, said);
  const [before] = (await tx.db.executeQuery(bytesOfDraft(seat.id, memberId))).rows;
  await takeStorage(tx, memberId, text.sealed.length - (before?.bytes ?? 0));
  return toDraft(seat, said, await storeDraft(tx, seat, memberId, text));
}

/**
 * Makes a draft of something else that the member wrote, unless there is one.
 * @returns the bytes that it has; undefined if there is one. The caller counts them
 */
export async function draftInstead(
  tx: Context,
  seat: Seat,
  memberId: string,
  said: Unsent,
): Promise<number | undefined> {
  if ((await tx.db.executeQuery(bytesOfDraft(seat.id, memberId))).rows.length > 0) return undefined;
  const text = await sealUnsent(tx, seat, placeOf(memberId), said);
  await storeDraft(tx, seat, memberId, text);
  return text.sealed.length;
}

export async function deleteDraft(tx: Context, seat: Seat, memberId: string): Promise<void> {
  const [before] = (await tx.db.executeQuery(bytesOfDraft(seat.id, memberId))).rows;
  if (before === undefined) return;
  await freeStorage(tx, memberId, before.bytes);
  await tx.db.executeQuery(removed(seat.id, memberId));
  await tellDraft(tx, seat.id, memberId, null);
}

async function storeDraft(tx: Context, seat: Seat, memberId: string, text: Sealed): Promise<number> {
  const now = tx.clock.now();
  const { epoch, sealed } = text;
  const row = { conversation_id: seat.id, member_id: memberId, epoch, sealed, bytes: sealed.length, updated_at: now };
  await insertRows(tx.db, 'conversation_drafts', [row], replacing);
  await tellDraft(tx, seat.id, memberId, now);
  return now;
}

function saidIn(seat: Seat, { content, sealed, replyToMessageId }: Given): Unsent | Encrypted {
  if (!isClientMode(seat)) {
    if (sealed !== undefined) throw fieldProblem('sealed', 'is only for conversations in mode client');
    if (content === undefined) throw fieldProblem('content', 'is required');
    return { content, replyToMessageId };
  }
  if (content !== undefined) {
    const message =
      'Only members can read this conversation. Encrypt the draft to yourself, and send `sealed` instead of `content`.';
    throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
  }
  if (sealed === undefined) throw fieldProblem('sealed', 'is required in mode client');
  return { sealed, replyToMessageId };
}

function encrypt(tx: Context, seat: Seat, memberId: string, said: Encrypted): Sealed {
  return { epoch: null, sealed: sealJson(tx, purposeOf(seat.id, memberId), said) };
}

function openEncrypted(ctx: Opening, row: ConversationDraftRow): Encrypted {
  return openJson(ctx, purposeOf(row.conversation_id, row.member_id), row.sealed) as Encrypted;
}

function toDraft({ id }: Pick<Seat, 'id'>, said: Unsent | Encrypted, updatedAt: number): Draft {
  return {
    conversationId: id,
    content: 'content' in said ? said.content : null,
    ...('sealed' in said && { sealed: said.sealed }),
    replyToMessageId: said.replyToMessageId ?? null,
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
