import type { Context } from '../../../service/context.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import type { ScheduledMessage } from '../../../contract/chat/scheduled.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import { asc, readPage, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { ConversationScheduledRow } from '../../../platform/store/tables/conversation-drafts.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { openKeysOfRooms, openRoomKeys } from '../../group-keys/keys.ts';
import { freeStorage, takeStorage } from '../../members/storage.ts';
import { isClientMode, requireSeat, roomOf, type Seat } from '../conversation.ts';
import type { Opening } from '../dto.ts';
import { requireMessage } from '../send.ts';
import { chatTypes } from '../types.ts';
import { requireVoice } from '../voice.ts';
import { tellScheduled } from './events.ts';
import { openUnsent, sealUnsent, type Unsent, type UnsentPlace } from './sealing.ts';

/** The kind of the jobs that send scheduled messages, one for each. */
const scheduledKind = 'chat-scheduled';

const jobOf = (id: string) => `${scheduledKind}/${id}`;

const placeOf = ({ id, member_id: memberId }: Pick<ConversationScheduledRow, 'id' | 'member_id'>): UnsentPlace => ({
  purpose: 'scheduled',
  of: [memberId, id],
});

interface NewScheduled extends Unsent {
  readonly clientId?: string | undefined;
  readonly sendAt: string;
}

const sameBefore = writtenQuery<ConversationScheduledRow>(
  'select * from conversation_scheduled where conversation_id = $1 and member_id = $2 and client_id = $3',
);
const countOf = writtenQuery<{ count: number }>(
  'select count(*) as count from conversation_scheduled where member_id = $1',
);
const ownById = writtenQuery<ConversationScheduledRow>(
  'select * from conversation_scheduled where id = $1 and member_id = $2',
);

/**
 * Has a message sent later, in the transaction that has checked that the member may speak. With the `clientId` of one that waits, nothing happens
 * and that one is returned.
 * @throws Problem invalid VALIDATION_ERROR, CLIENT_ENCRYPTED; missing MESSAGE_NOT_FOUND; conflict SCHEDULED_FULL; tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function scheduleMessage(
  tx: Context,
  seat: Seat,
  memberId: string,
  { content, replyToMessageId, clientId, sendAt }: NewScheduled,
): Promise<ScheduledMessage> {
  if (isClientMode(seat)) {
    const message = 'Only members can read this conversation, so the node cannot send anything to it later.';
    throw new Problem('invalid', 'CLIENT_ENCRYPTED', message);
  }
  if (clientId !== undefined) {
    const [before] = (await tx.db.executeQuery(sameBefore(seat.id, memberId, clientId))).rows;
    if (before !== undefined) return toScheduled(before, await readScheduled(tx, before));
  }
  const at = momentIn(tx, sendAt);
  if (replyToMessageId !== undefined) await requireMessage(tx, seat, replyToMessageId);
  if (onlyRow((await tx.db.executeQuery(countOf(memberId))).rows).count >= chatLimits.scheduled) {
    const message = `You have ${chatLimits.scheduled} scheduled messages, with those that failed. Remove one first.`;
    throw new Problem('conflict', 'SCHEDULED_FULL', message);
  }
  const now = tx.clock.now();
  const place = { id: recordId(now, tx.random), member_id: memberId };
  const what = { content, replyToMessageId };
  const text = await sealUnsent(tx, seat, placeOf(place), what);
  const row: ConversationScheduledRow = {
    ...place,
    conversation_id: seat.id,
    client_id: clientId ?? null,
    ...text,
    bytes: text.sealed.length,
    send_at: at,
    failed: null,
    created_at: now,
  };
  await tellScheduled(tx, memberId, [row], { status: 'waiting' });
  await takeStorage(tx, memberId, row.bytes);
  await insertRows(tx.db, 'conversation_scheduled', [row]);
  await plan(tx, row);
  return toScheduled(row, what);
}

interface Change {
  readonly content?: string | undefined;
  readonly sendAt?: string | undefined;
}

/**
 * Changes a scheduled message of a member, who has to be in its conversation and may speak there.
 * @throws Problem missing SCHEDULED_NOT_FOUND, CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; forbidden FORBIDDEN; invalid VALIDATION_ERROR; tooLarge
 *   STORAGE_QUOTA_EXCEEDED
 */
export async function changeScheduled(
  tx: Context,
  memberId: string,
  id: string,
  { content, sendAt }: Change,
): Promise<ScheduledMessage> {
  const row = await requireOwn(tx, memberId, id);
  const seat = await requireSeat(tx, { memberId }, chatTypes, row.conversation_id);
  await requireVoice(tx, seat, memberId);
  const before = await readScheduled(tx, row);
  if (before === undefined && content === undefined) throw fieldProblem('content', 'is required: the text was erased');
  if (row.failed !== null && sendAt === undefined) throw fieldProblem('sendAt', 'is required: this message failed');
  const at = sendAt === undefined ? row.send_at : momentIn(tx, sendAt);
  const what: Unsent = { ...before, content: content ?? before?.content ?? '' };
  const text = content === undefined ? row : await sealUnsent(tx, seat, placeOf(row), what);
  const { epoch, sealed } = text;
  const changed = { epoch, sealed, bytes: sealed?.length ?? 0, send_at: at, failed: null };
  const after = { ...row, ...changed };
  await tellScheduled(tx, memberId, [after], { status: 'waiting' });
  if (changed.bytes !== row.bytes) await takeStorage(tx, memberId, changed.bytes - row.bytes);
  await tx.db.updateTable('conversation_scheduled').set(changed).where('id', '=', id).execute();
  await plan(tx, after);
  return toScheduled(after, what);
}

/** @throws Problem missing SCHEDULED_NOT_FOUND */
export async function removeScheduled(tx: Context, memberId: string, id: string): Promise<void> {
  const row = await requireOwn(tx, memberId, id);
  await tellScheduled(tx, memberId, [row], { status: 'removed' });
  await dropScheduled(tx, row);
  await cancelJob(tx.db, jobOf(id));
}

/** Takes one out of the list. Its bytes are free again, unless a message has them. */
export async function dropScheduled(
  tx: Context,
  { id, member_id: memberId, bytes }: Pick<ConversationScheduledRow, 'id' | 'member_id' | 'bytes'>,
  isMessage = false,
): Promise<void> {
  if (!isMessage) await freeStorage(tx, memberId, bytes);
  await tx.db.deleteFrom('conversation_scheduled').where('id', '=', id).execute();
}

/** Those of a member, the next one first, a page at a time. Nothing else is read, so it needs no right but to be the member. */
export async function listScheduled(
  ctx: Context,
  memberId: string,
  { conversationId, ...page }: PageRequest & { readonly conversationId?: string | undefined },
): Promise<{ readonly items: ScheduledMessage[]; readonly cursor: string | null; readonly hasMore: boolean }> {
  let query = ctx.db.selectFrom('conversation_scheduled').selectAll().where('member_id', '=', memberId);
  if (conversationId !== undefined) query = query.where('conversation_id', '=', conversationId);
  const by = [
    asc<ConversationScheduledRow>('send_at', (row) => row.send_at),
    asc<ConversationScheduledRow>('id', (row) => row.id),
  ];
  const listing = { list: 'chat.scheduled', memberId, filter: { conversationId }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  const wanted = rows.map(({ conversation_id: id, epoch }) => ({ id, epoch }));
  using keys = await openKeysOfRooms(ctx, roomOf('').kind, wanted);
  const items = rows.map((row) => {
    const { epoch, sealed } = row;
    const opened =
      sealed === null ? undefined : openUnsent(keys.of(row.conversation_id), placeOf(row), { epoch, sealed });
    return toScheduled(row, opened);
  });
  return { items, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

/** One of a member as it is now. @returns undefined if it was sent or removed */
export async function showScheduled(ctx: Context, memberId: string, id: string): Promise<ScheduledMessage | undefined> {
  const [row] = (await ctx.db.executeQuery(ownById(id, memberId))).rows;
  return row && toScheduled(row, await readScheduled(ctx, row));
}

/** @returns undefined if the text was erased, or its key. @throws Problem internal STORE_DAMAGED */
export async function readScheduled(ctx: Opening, row: ConversationScheduledRow): Promise<Unsent | undefined> {
  const { epoch, sealed } = row;
  if (sealed === null) return undefined;
  using keys = await openRoomKeys(ctx, roomOf(row.conversation_id), [epoch]);
  return openUnsent(keys, placeOf(row), { epoch, sealed });
}

async function plan(tx: Context, { id, send_at: runAt }: ConversationScheduledRow): Promise<void> {
  await planJob(tx.db, { id: jobOf(id), kind: scheduledKind, payload: { id }, runAt, now: tx.clock.now() });
}

/** A client says "in one minute" by its own clock, and a moment before. */
const SLACK_MS = 5_000;

function momentIn({ clock }: Pick<Context, 'clock'>, sendAt: string): number {
  const at = Date.parse(sendAt);
  const ahead = at - clock.now();
  if (ahead < chatLimits.scheduledEarliestMs - SLACK_MS)
    throw fieldProblem('sendAt', 'must be at least one minute ahead');
  if (ahead > chatLimits.scheduledLatestMs + SLACK_MS) throw fieldProblem('sendAt', 'must be at most one year ahead');
  return at;
}

async function requireOwn(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  id: string,
): Promise<ConversationScheduledRow> {
  const [row] = (await db.executeQuery(ownById(id, memberId))).rows;
  if (row !== undefined) return row;
  const message = 'You have no such scheduled message. It was sent or removed, or never was.';
  throw new Problem('missing', 'SCHEDULED_NOT_FOUND', message);
}

function toScheduled(row: ConversationScheduledRow, what: Unsent | undefined): ScheduledMessage {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    content: what?.content ?? null,
    replyToMessageId: what?.replyToMessageId ?? null,
    clientId: row.client_id,
    sendAt: new Date(row.send_at).toISOString(),
    status: row.failed === null ? 'waiting' : 'failed',
    reason: row.failed,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
