import { transaction, type Context } from '../../service/context.ts';
import type { ConversationMode, Envelope, SentEpoch } from '../../contract/chat/client-mode.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { concat, fromHex } from '../../crypto/bytes.ts';
import { messageStatement } from '../../crypto/room-signatures.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { holdOpenEpoch } from '../group-keys/keys.ts';
import { requireSigned, storeSentEpoch } from '../group-keys/member-epochs.ts';
import { rotating, type ChangedMembers, type Rotation } from '../group-keys/rotate.ts';
import { roomOf, type Seat } from './conversation.ts';
import { erasingKind } from './erasing.ts';
import { mostKeyAge } from './retention.ts';
import type { SealedText } from './sealed.ts';

/** Conversations that only their members can read: what the node checks of the keys and messages that it cannot open. */

/** What a member sends to begin a conversation. */
export interface BeginningFields {
  readonly mode: ConversationMode;
  readonly conversationId?: string | undefined;
  readonly epoch?: SentEpoch | undefined;
}

/** A conversation that begins with a key of a member. */
export interface ClientBeginning {
  readonly id: string;
  readonly epoch: SentEpoch;
}

/** @returns undefined in mode `server`. @throws Problem invalid VALIDATION_ERROR */
export function beginningIn({ mode, conversationId, epoch }: BeginningFields): ClientBeginning | undefined {
  if (mode === 'server') {
    if (conversationId !== undefined) throw fieldProblem('conversationId', 'is only for mode client');
    refuseEpoch(epoch);
    return undefined;
  }
  if (conversationId === undefined) throw fieldProblem('conversationId', 'is required in mode client');
  return { id: conversationId, epoch: requireEpoch(epoch) };
}

/** @throws Problem invalid VALIDATION_ERROR */
export function requireEpoch(epoch: SentEpoch | undefined): SentEpoch {
  if (epoch === undefined) throw fieldProblem('epoch', 'is required in mode client');
  return epoch;
}

/** @throws Problem invalid VALIDATION_ERROR */
export function refuseEpoch(epoch: SentEpoch | undefined): void {
  if (epoch !== undefined) throw fieldProblem('epoch', 'is only for mode client');
}

type RotateNow = (now: ChangedMembers) => Promise<Rotation>;

/**
 * Begins a conversation with its first key in one transaction: with a key that the node makes before, or with that of the member.
 * @param work calls its second argument once, after the members are in the room
 * @throws Problem conflict CONVERSATION_ID_TAKEN; those of `storeSentEpoch` and `work`
 */
export async function beginningWithKey<T>(
  ctx: Context,
  given: { readonly id: string; readonly authorId: string; readonly members: readonly string[] },
  client: ClientBeginning | undefined,
  work: (tx: Context, rotateNow: RotateNow) => Promise<T>,
): Promise<T> {
  const { id, authorId, members } = given;
  const room = roomOf(id);
  if (client === undefined) return await rotating(ctx, room, async () => ({ members, historyVisible: false }), work);
  return await transaction(
    ctx,
    async (tx) =>
      await work(tx, async ({ members: now, reason }) => {
        return await storeSentEpoch(tx, room, { authorId, sent: client.epoch, members: now, reason });
      }),
  );
}

const conversationWith = writtenQuery<{ found: number }>(`
  select 1 as found from conversations where id = $1
  union all select 1 as found from rooms where kind = $2 and id = $1
  union all select 1 as found from jobs where id = $3`);

/** An id that a member drew must not be that of anything. @throws Problem conflict CONVERSATION_ID_TAKEN */
export async function requireFreeId(tx: Context, { id }: ClientBeginning): Promise<void> {
  const { rows } = await tx.db.executeQuery(conversationWith(id, roomOf(id).kind, `${erasingKind}/${id}`));
  if (rows.length > 0)
    throw new Problem('conflict', 'CONVERSATION_ID_TAKEN', 'This id is taken. Draw another one, and seal for that.');
}

/** A text as it is stored that only members can read. */
export interface ClientText extends SealedText {
  readonly signature: Uint8Array;
}

const clientIdForm = /^[0-9a-f]{32}$/;

/**
 * Takes a message that a member sealed, and keeps its key the newest one until the transaction ends.
 * @param revision that it must have
 * @throws Problem invalid VALIDATION_ERROR, INVALID_SIGNATURE; conflict EPOCH_CHANGED, EPOCH_CLOSED, REVISION_CHANGED
 */
export async function takeEnvelope(
  tx: Context,
  seat: Pick<Seat, 'id' | 'type' | 'retention_ms'>,
  { senderId, clientId }: { readonly senderId: string; readonly clientId: string | null | undefined },
  { epoch, revision, nonce, ciphertext, signature: signed }: Envelope,
  wanted: number,
): Promise<ClientText> {
  if (clientId == null || !clientIdForm.test(clientId))
    throw fieldProblem('clientId', 'must be 32 hex digits in mode client: the message is sealed for it');
  if (revision !== wanted && wanted === 0) throw fieldProblem('envelope.revision', 'must be 0 for a new message');
  const room = roomOf(seat.id);
  await holdOpenEpoch(tx, room, epoch, mostKeyAge(tx, seat));
  if (revision !== wanted)
    throw new Problem(
      'conflict',
      'REVISION_CHANGED',
      `The message was edited meanwhile. Read it, and seal revision ${wanted}.`,
    );
  const sealed = sealedOf(nonce, ciphertext);
  const signature = fromHex(signed);
  const statement = messageStatement(room, { epoch, senderId, messageId: clientId, revision }, sealed);
  await requireSigned(tx, senderId, statement, signature);
  return { epoch, revision, sealed, signature };
}

const FORM = 0x01;
const TAG = 16;

/** The parts of an envelope in the form of `sealWithKey`. */
function sealedOf(nonce: string, ciphertext: string): Uint8Array {
  const bytes = Buffer.from(ciphertext, 'base64');
  const end = bytes.length - TAG;
  return concat(Uint8Array.of(FORM), Buffer.from(nonce, 'base64'), bytes.subarray(end), bytes.subarray(0, end));
}

/** @throws Problem invalid CLIENT_ENCRYPTED */
export function refuseText(): never {
  const message =
    'Only members can read this conversation. Their clients encrypt what they send: send `envelope` instead of `content`.';
  throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
}
