import { transaction, type Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import type { RoomHookRow } from '../../platform/store/tables/rooms.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { endHook, hooksOf, hookWith, makeHook, useHook } from '../groups/hooks.ts';
import { recordDeed } from '../groups/log.ts';
import { permits } from '../groups/permissions.ts';
import { holdRoom } from '../groups/room.ts';
import { isClientMode, requireSeat, roomOf, type Seat } from './conversation.ts';
import { addMessage } from './send.ts';
import { busyAfter } from './take-turn.ts';
import { requirePermission, requireVoice } from './voice.ts';

interface NewHook {
  readonly types: readonly string[];
  readonly id: string;
  readonly name: string;
}

/**
 * Makes an address at which a program writes in the name of a member, in the transaction in which `work` says what its caller is answered.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; conflict PROGRAMS_CANNOT_READ, WEBHOOKS_FULL
 */
export async function createHook<T>(
  ctx: Context,
  by: string,
  { types, id, name }: NewHook,
  work: (tx: Context, make: () => ReturnType<typeof makeHook>) => Promise<T>,
): Promise<T> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireManaged(tx, by, types, id);
    if (isClientMode(seat)) {
      const message = 'Only members can read this conversation, and a program at an address is none of them.';
      throw new Problem('conflict', 'PROGRAMS_CANNOT_READ', message);
    }
    return await work(tx, async () => {
      const room = roomOf(id);
      await holdRoom(tx, room);
      if ((await hooksOf(tx, room)).length >= chatLimits.hooks) {
        const message = `A group or channel has at most ${chatLimits.hooks} webhooks. Remove one that is not needed any more.`;
        throw new Problem('conflict', 'WEBHOOKS_FULL', message);
      }
      const made = await makeHook(tx, room, { by, name });
      await recordDeed(tx, room, { by, action: 'webhook', itemId: made.row.id, reason: name });
      return made;
    });
  });
}

async function requireManaged(
  ctx: Pick<Context, 'db'>,
  by: string,
  types: readonly string[],
  id: string,
): Promise<Seat> {
  const seat = await requireSeat(ctx, { memberId: by }, types, id);
  requirePermission(seat, 'MANAGE_CHANNEL');
  return seat;
}

/** @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN */
export async function listHooks(
  ctx: Pick<Context, 'db'>,
  by: string,
  types: readonly string[],
  id: string,
): Promise<RoomHookRow[]> {
  const seat = await requireManaged(ctx, by, types, id);
  return await hooksOf(ctx, roomOf(seat.id));
}

/** @throws Problem missing CONVERSATION_NOT_FOUND, WEBHOOK_NOT_FOUND; forbidden FORBIDDEN */
export async function removeHook(
  ctx: Context,
  by: string,
  { types, id, hookId }: { readonly types: readonly string[]; readonly id: string; readonly hookId: string },
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const seat = await requireManaged(tx, by, types, id);
    if (!(await endHook(tx, roomOf(seat.id), hookId))) throw noHook();
    await recordDeed(tx, roomOf(seat.id), { by, action: 'end_webhook', itemId: hookId });
  });
}

const active = writtenQuery(`select 1 from members where id = $1 and status = 'active'`);

/**
 * Says something by a webhook, in the name of who made it. That one must still be allowed to have one, and to speak.
 * @throws Problem missing WEBHOOK_NOT_FOUND; tooMany RATE_LIMITED; those of `addMessage`
 */
export async function sayByHook(ctx: Context, token: string, content: string): Promise<ConversationMessageRow> {
  return await transaction(ctx, async (tx) => {
    const hook = await hookWith(tx, token);
    if (hook === undefined) throw noHook();
    const { created_by: memberId } = hook;
    const seat = await speaking(tx, hook);
    const { hookBurst } = chatLimits;
    const most = `This webhook takes ${hookBurst} messages at once, and one more each second.`;
    const busy = busyAfter(tx.clock.now(), hook.busy_until, hookBurst, most);
    if (!(await useHook(tx, hook.id, busy))) throw noHook();
    return await addMessage(tx, seat, memberId, { content, hook });
  });
}

/** Whatever keeps the maker from speaking keeps the webhook too, and nobody who has only its address learns what it is. */
async function speaking(tx: Context, { created_by: memberId, room_id: id }: RoomHookRow): Promise<Seat> {
  if ((await tx.db.executeQuery(active(memberId))).rows.length === 0) throw noHook();
  try {
    const seat = await requireSeat(tx, { memberId }, ['group', 'channel'], id);
    if (!permits(seat.role, 'MANAGE_CHANNEL')) throw noHook();
    await requireVoice(tx, seat, memberId);
    return seat;
  } catch (error) {
    throw error instanceof Problem && ['missing', 'forbidden'].includes(error.kind) ? noHook() : error;
  }
}

function noHook(): Problem {
  return new Problem('missing', 'WEBHOOK_NOT_FOUND', 'There is no such webhook.');
}
