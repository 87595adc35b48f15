import type { Actor } from '../../service/actor.ts';
import type { Bot } from '../../service/bot.ts';
import type { Context } from '../../service/context.ts';
import type { Envelope } from '../../contract/chat/client-mode.ts';
import { Problem } from '../../base/problem.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import type { RoomHookRow } from '../../platform/store/tables/rooms.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { takeStorage } from '../members/storage.ts';
import type { SealedAttachment } from './attachments/attachment.ts';
import { referTo, takeUploads } from './attachments/attaching.ts';
import { referAgain } from './attachments/references.ts';
import { isClientMode, seatIfThere, type Seat } from './conversation.ts';
import { publishMessage, tellActivity } from './events.ts';
import { tellMentioned } from './inbox.ts';
import { storeMentions } from './mentions.ts';
import { planNotices } from './notices.ts';
import { markRead } from './read.ts';
import { keptRow } from './retention.ts';
import { admitMessage, isSettled } from './requests.ts';
import { saidWith } from './speaking.ts';
import { takeTurn } from './take-turn.ts';
import { countAnswer, threadOfAnswer } from './threads/answers.ts';
import { isVisible, unreadIn } from './visible-range.ts';

export interface NewMessage {
  /** missing in mode `client` */
  readonly content?: string | undefined;
  /** only in mode `client` */
  readonly envelope?: Envelope | undefined;
  /** ids of uploads */
  readonly attachments?: readonly string[] | undefined;
  readonly replyToMessageId?: string | undefined;
  readonly clientId?: string | undefined;
  /** the webhook by which a program says it, in the name of the sender, who has not read what is above */
  readonly hook?: Pick<RoomHookRow, 'id' | 'name'>;
  /** the bot token with which a program says it, as the sender, who has not read what is above */
  readonly bot?: Pick<Bot, 'id' | 'name'> | undefined;
  /** bytes that the storage of its sender has counted for it already */
  readonly reserved?: number | undefined;
  /** the message that it repeats, with its files. The caller has read it in the same transaction */
  readonly forwarded?: { readonly messageId: string; readonly attachments: readonly SealedAttachment[] };
}

const byClientId = writtenQuery<ConversationMessageRow>(
  'select * from conversation_messages where conversation_id = $1 and sender_id = $2 and client_id = $3',
);
const messageBy = writtenQuery<ConversationMessageRow>(
  'select * from conversation_messages where id = $1 and conversation_id = $2',
);
const nextSeq = writtenQuery<{ last_seq: number }>(
  'update conversations set last_seq = last_seq + 1, active_at = $1 where id = $2 returning last_seq',
);
const sent = writtenQuery(`
  update conversation_places set read_seq = $1, read_at = $2, busy_until = $3, spoke_at = $4, archived = 0
  where conversation_id = $5 and member_id = $6`);
const spoken = writtenQuery(
  'update conversation_places set busy_until = $1, spoke_at = $2 where conversation_id = $3 and member_id = $4',
);

/**
 * Adds a message to a conversation, in the transaction that has checked that its sender may speak there. It has the next number. With the
 * `clientId` of an earlier message of the sender, nothing happens and the earlier one is returned.
 * @throws Problem invalid VALIDATION_ERROR, CLIENT_ENCRYPTED, INVALID_SIGNATURE; conflict EPOCH_CHANGED, EPOCH_CLOSED; missing MESSAGE_NOT_FOUND; forbidden REQUEST_PENDING; tooMany RATE_LIMITED; tooLarge
 *   STORAGE_QUOTA_EXCEEDED; those of `mentionedIn` and `takeUploads`
 */
export async function addMessage(
  tx: Context,
  given: Seat,
  senderId: string,
  message: NewMessage,
): Promise<ConversationMessageRow> {
  const { attachments = [], replyToMessageId, clientId, reserved = 0, forwarded, hook, bot } = message;
  const isProgram = hook !== undefined || bot !== undefined;
  if (clientId !== undefined) {
    const earlier = await earlierMessage(tx, given, senderId, clientId);
    if (earlier !== undefined) return earlier;
  }
  const said = saidWith(given, message);
  const seat = await admitMessage(tx, given, senderId);
  const answered = replyToMessageId === undefined ? undefined : await requireMessage(tx, seat, replyToMessageId);
  const mentioned = await said.mentioned(tx, seat, senderId);
  const now = tx.clock.now();
  // A webhook has turns of its own.
  const busyUntil = hook === undefined ? takeTurn(tx, seat) : seat.busy_until;
  const place = { id: recordId(now, tx.random), sender_id: senderId };
  const files = forwarded?.attachments ?? (await takeUploads(tx, senderId, attachments, isClientMode(seat)));
  const { text, index } = await said.sealed(
    tx,
    seat,
    { ...place, client_id: clientId ?? null },
    { files, webhook: hook?.name, via: bot?.name },
  );
  // Whoever writes has read what is above.
  if (!isProgram && unreadIn(seat) > 0) await markRead(tx, seat, senderId);
  const { last_seq: seq } = onlyRow((await tx.db.executeQuery(nextSeq(now, seat.id))).rows);
  const row: ConversationMessageRow = {
    conversation_id: seat.id,
    seq,
    ...place,
    client_id: clientId ?? null,
    reply_to_id: answered?.id ?? null,
    thread_id: threadOfAnswer(seat, answered),
    reply_count: 0,
    last_reply_seq: null,
    forwarded_from: forwarded?.messageId ?? null,
    hook_id: hook?.id ?? bot?.id ?? null,
    ...text,
    bytes: text.sealed.length,
    created_at: now,
    edited_at: null,
    deleted_at: null,
  };
  await insertRows(tx.db, 'conversation_messages', [row]);
  if (answered !== undefined && row.thread_id !== null) await countAnswer(tx, row, answered, mentioned.memberIds);
  if (forwarded === undefined) await referTo(tx, row, files);
  else await referAgain(tx, { fromMessageId: forwarded.messageId, toMessageId: row.id, memberId: senderId });
  await index?.(row);
  await storeMentions(tx, row, mentioned, 'new');
  await tellMentioned(tx, seat, row, mentioned);
  await takeStorage(tx, senderId, row.bytes - reserved);
  // Their own message is read, and takes the conversation out of the archive.
  if (!isProgram) await tx.db.executeQuery(sent(seq, now, busyUntil, now, seat.id, senderId));
  if (bot !== undefined) await tx.db.executeQuery(spoken(busyUntil, now, seat.id, senderId));
  await publishMessage(tx, seat, 'sent', row);
  // Whoever was asked is notified of the request.
  if (isSettled(seat)) {
    await tellActivity(tx, seat, seq);
    await planNotices(tx, seat);
  }
  return row;
}

/** The message that a member has sent under an id of their own. */
export async function earlierMessage(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Seat, 'id'>,
  senderId: string,
  clientId: string,
): Promise<ConversationMessageRow | undefined> {
  return (await db.executeQuery(byClientId(id, senderId, clientId))).rows[0];
}

/**
 * A message that a member may see, also a deleted one.
 * @throws Problem missing MESSAGE_NOT_FOUND, also for one of another conversation
 */
export async function requireMessage(
  tx: Pick<Context, 'db' | 'clock' | 'config'>,
  seat: Seat,
  id: string,
): Promise<ConversationMessageRow> {
  const [row] = (await tx.db.executeQuery(messageBy(id, seat.id))).rows;
  if (row === undefined || !isVisible(seat, row.seq)) throw noMessage();
  return keptRow(tx, seat, row);
}

const placeOf = writtenQuery<{ conversation_id: string }>(
  'select conversation_id from conversation_messages where id = $1',
);

/**
 * A message by its id alone, with the seat of a member in its conversation.
 * @param types of conversations that are looked at
 * @throws Problem missing MESSAGE_NOT_FOUND, also for one of a conversation that the member is not in
 */
export async function requireMessageOf(
  tx: Pick<Context, 'db' | 'clock' | 'config'>,
  actor: Pick<Actor, 'memberId'>,
  types: readonly string[],
  id: string,
): Promise<{ readonly seat: Seat; readonly row: ConversationMessageRow }> {
  const [place] = (await tx.db.executeQuery(placeOf(id))).rows;
  // Also for none, so that the number of statements tells nothing.
  const seat = await seatIfThere(tx, actor, types, place?.conversation_id ?? '');
  if (seat === undefined) throw noMessage();
  return { seat, row: await requireMessage(tx, seat, id) };
}

/** The same; a deleted one is missing. */
export async function requireUndeleted(
  tx: Pick<Context, 'db' | 'clock' | 'config'>,
  seat: Seat,
  id: string,
): Promise<ConversationMessageRow> {
  const row = await requireMessage(tx, seat, id);
  if (row.deleted_at !== null) throw noMessage();
  return row;
}

export function noMessage(): Problem {
  return new Problem('missing', 'MESSAGE_NOT_FOUND', 'There is no such message in this conversation.');
}
