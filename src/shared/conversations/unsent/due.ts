import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { ConversationScheduledRow } from '../../../platform/store/tables/conversation-drafts.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { keysDamaged } from '../../group-keys/problems.ts';
import { isActive } from '../../members/summaries.ts';
import { freeStorage } from '../../members/storage.ts';
import { notify } from '../../notifications/notify.ts';
import { requireSeat, seatIfThere, type Seat } from '../conversation.ts';
import { addMessage, earlierMessage } from '../send.ts';
import { chatTypes } from '../types.ts';
import { requireVoice } from '../voice.ts';
import { draftInstead } from './drafts.ts';
import { tellScheduled } from './events.ts';
import { dropScheduled, readScheduled } from './scheduled.ts';
import type { Unsent } from './sealing.ts';

/** After so many tries, about 17 minutes apart in all, a message fails for whatever reason. */
const TRIES = 10;

/** What says that a message is not to be sent. Anything else may be over with the next try. */
const refusals: ReadonlySet<string> = new Set(['invalid', 'forbidden', 'missing', 'tooLarge', 'tooMany']);

function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && (refusals.has(error.kind) || error.code === 'STORE_DAMAGED');
}

const waitingById = writtenQuery<ConversationScheduledRow>(
  'select * from conversation_scheduled where id = $1 and failed is null and send_at <= $2',
);

/** Sends a scheduled message, as if its sender did it at this moment. What is refused goes back to them. */
export function scheduledHandler(ctx: Context): JobHandler {
  return async (payload, { attempt }) => {
    const { id } = payload as { readonly id: string };
    try {
      await transaction(ctx, async (tx) => await sendDue(tx, id));
    } catch (error) {
      if (!isRefusal(error) && attempt < TRIES) throw error;
      if (!isRefusal(error) || error.kind === 'internal')
        ctx.log.error('a scheduled message was not sent', { id, error });
      const problem = isRefusal(error) ? error : new Problem('internal', 'INTERNAL_ERROR', 'The node had an error.');
      await transaction(ctx, async (tx) => await giveBack(tx, id, problem));
    }
  };
}

/** @returns undefined if it was sent, removed or moved meanwhile */
async function dueRow({ db, clock }: Context, id: string): Promise<ConversationScheduledRow | undefined> {
  return (await db.executeQuery(waitingById(id, clock.now()))).rows[0];
}

async function sendDue(tx: Context, id: string): Promise<void> {
  const row = await dueRow(tx, id);
  if (row === undefined) return;
  const { member_id: memberId, bytes } = row;
  if (!(await isActive(tx, memberId))) throw new Problem('forbidden', 'FORBIDDEN', 'Your account is suspended.');
  const seat = await requireSeat(tx, { memberId }, chatTypes, row.conversation_id);
  await requireVoice(tx, seat, memberId);
  const said = await readScheduled(tx, row);
  if (said === undefined) throw keysDamaged();
  await tellScheduled(tx, memberId, [row], { status: 'sent' });
  // By this name it is one message, whoever sends it again.
  const clientId = row.client_id ?? `scheduled.${id}`;
  const earlier = await earlierMessage(tx, seat, memberId, clientId);
  if (earlier === undefined) await addMessage(tx, seat, memberId, { ...said, clientId, reserved: bytes });
  await dropScheduled(tx, row, earlier === undefined);
}

/** Makes it the draft of its sender, or leaves it in their list as failed, and notifies them. */
async function giveBack(tx: Context, id: string, { code, message }: Problem): Promise<void> {
  const row = await dueRow(tx, id);
  if (row === undefined) return;
  const { member_id: memberId, bytes } = row;
  const seat = await seatIfThere(tx, { memberId }, chatTypes, row.conversation_id);
  const said = code === 'STORE_DAMAGED' ? undefined : await readScheduled(tx, row);
  const drafted = await draftedBytes(tx, seat, memberId, said);
  const time = new Date(row.send_at).toISOString();
  await notify(tx, {
    recipientId: memberId,
    type: 'system_alert',
    targetId: row.id,
    content: `Your message for ${time} was not sent. ${message}${drafted === undefined ? '' : ' It is your draft in the conversation now.'}`,
  });
  const status = drafted === undefined ? 'failed' : 'drafted';
  await tellScheduled(tx, memberId, [row], { status, reason: code });
  if (drafted !== undefined) {
    // They are the same text, so this is nothing.
    await freeStorage(tx, memberId, bytes - drafted);
    await dropScheduled(tx, row, true);
    return;
  }
  const isErased = seat === undefined || said === undefined;
  if (isErased) await freeStorage(tx, memberId, bytes);
  await tx.db
    .updateTable('conversation_scheduled')
    .set({ failed: code, ...(isErased && { sealed: null, bytes: 0 }) })
    .where('id', '=', id)
    .execute();
}

async function draftedBytes(
  tx: Context,
  seat: Seat | undefined,
  memberId: string,
  said: Unsent | undefined,
): Promise<number | undefined> {
  return seat === undefined || said === undefined ? undefined : await draftInstead(tx, seat, memberId, said);
}
