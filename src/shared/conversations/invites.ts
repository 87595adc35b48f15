import { transaction, type Context } from '../../service/context.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { invites } from '../../contract/chat/invites.ts';
import type { ChannelVisibility } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { RoomInviteRow } from '../../platform/store/tables/rooms.ts';
import { invite, invitesOf, inviteWith, isOver, redeem, revokeInvite } from '../groups/invites.ts';
import { recordDeed } from '../groups/log.ts';
import { roleIn } from '../groups/membership.ts';
import { permits } from '../groups/permissions.ts';
import { holdRoom } from '../groups/room.ts';
import { alreadyIn, enter } from './channels.ts';
import { requireSeat, roomOf } from './conversation.ts';
import { momentOf } from './dto.ts';
import { channelById } from './find-channel.ts';
import { isReachable } from './reach.ts';
import { requirePermission } from './voice.ts';

interface NewInvite {
  readonly maxUses?: number | undefined;
  readonly expiresInMs?: number | undefined;
}

/** An invite with its token, which is shown once. */
export interface MadeInvite {
  readonly row: RoomInviteRow;
  readonly token: string;
}

/**
 * Makes an invite to a channel, in the transaction in which `work` says what its caller is answered.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; conflict INVITES_FULL
 */
export async function inviteTo<T>(
  ctx: Context,
  by: string,
  id: string,
  wanted: NewInvite,
  work: (tx: Context, make: () => Promise<MadeInvite>) => Promise<T>,
): Promise<T> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, ['channel'], id);
    requirePermission(seat, 'CREATE_INVITES');
    return await work(tx, async () => await makeInvite(tx, seat.id, by, wanted));
  });
}

async function makeInvite(
  tx: Context,
  id: string,
  by: string,
  { maxUses, expiresInMs }: NewInvite,
): Promise<MadeInvite> {
  const room = roomOf(id);
  await holdRoom(tx, room);
  const now = tx.clock.now();
  const there = await invitesOf(tx, room);
  const over = there.filter((row) => isOver(row, now));
  if (there.length - over.length >= chatLimits.invites)
    throw new Problem(
      'conflict',
      'INVITES_FULL',
      `A channel has at most ${chatLimits.invites} invites. End one that is not needed any more.`,
    );
  for (const row of over) await revokeInvite(tx, room, row.id);
  const expiresAt = expiresInMs === undefined ? undefined : now + expiresInMs;
  const made = await invite(tx, room, { by, maxUses, expiresAt });
  await recordDeed(tx, room, { by, action: 'invite', itemId: made.row.id, endsAt: expiresAt });
  return made;
}

/** @throws Problem missing CONVERSATION_NOT_FOUND, INVITE_NOT_FOUND; forbidden FORBIDDEN */
export async function endInvite(ctx: Context, by: string, id: string, inviteId: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, ['channel'], id);
    requirePermission(seat, 'CREATE_INVITES');
    const room = roomOf(seat.id);
    await holdRoom(tx, room);
    if (!(await revokeInvite(tx, room, inviteId))) throw noInvite();
    await recordDeed(tx, room, { by, action: 'end_invite', itemId: inviteId });
  });
}

/**
 * What an invite is to, for who has its token.
 * @throws Problem missing INVITE_NOT_FOUND; gone INVITE_OVER
 */
export async function lookAtInvite(
  ctx: Context,
  memberId: string,
  id: string,
  token: string,
): Promise<ReplyOf<typeof invites.showInvite>> {
  const channel = await channelById(ctx, memberId, id);
  const found = await goodInvite(ctx, memberId, id, token);
  if (channel === undefined || channel.visibility === 'invisible') throw noInvite();
  if (isOver(found, ctx.clock.now())) throw inviteOver();
  return {
    channelId: id,
    name: channel.name ?? '',
    visibility: channel.visibility as ChannelVisibility,
    memberCount: channel.member_count,
    expiresAt: momentOf(found.expires_at),
  };
}

/**
 * Makes somebody a member of a channel by an invite. Who is one already is told so, whatever the invite.
 * @throws Problem missing INVITE_NOT_FOUND; gone INVITE_OVER; forbidden FORBIDDEN; conflict ALREADY_IN_ROOM, ROOM_FULL, CONVERSATIONS_FULL
 */
export async function joinByInvite(ctx: Context, memberId: string, id: string, token: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const channel = await channelById(tx, memberId, id);
    if (channel === undefined) throw noInvite();
    if (channel.reader !== null) throw alreadyIn();
    await goodInvite(tx, memberId, id, token);
    const joined = await enter(
      tx,
      channel,
      memberId,
      async (room, most) => await redeem(tx, room, token, memberId, { most }),
    );
    if (joined === 'missing') throw noInvite();
    if (joined === 'over') throw inviteOver();
  });
}

/** An invite whose maker may still give it, and whom nothing parts from who has it. @throws Problem missing INVITE_NOT_FOUND */
async function goodInvite(
  ctx: Pick<Context, 'db'>,
  memberId: string,
  id: string,
  token: string,
): Promise<RoomInviteRow> {
  const room = roomOf(id);
  const found = await inviteWith(ctx, room, token);
  if (found === undefined) throw noInvite();
  const { created_by: maker } = found;
  const mayInvite = permits(await roleIn(ctx, room, maker), 'CREATE_INVITES');
  if (!mayInvite || !(maker === memberId || (await isReachable(ctx, memberId, maker)))) throw noInvite();
  return found;
}

function noInvite(): Problem {
  return new Problem('missing', 'INVITE_NOT_FOUND', 'There is no such invite.');
}

function inviteOver(): Problem {
  return new Problem('gone', 'INVITE_OVER', 'The invite has expired, or is used up. Ask for a new one.');
}
