import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { Invite, invites as contract } from '../../contract/chat/invites.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { once } from '../../service/repeats.ts';
import { requireSeat, roomOf } from '../../shared/conversations/conversation.ts';
import { momentOf } from '../../shared/conversations/dto.ts';
import { endInvite as end, inviteTo, joinByInvite, lookAtInvite } from '../../shared/conversations/invites.ts';
import { requirePermission } from '../../shared/conversations/voice.ts';
import { invitesOf, isOver } from '../../shared/groups/invites.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';
import type { RoomInviteRow } from '../../platform/store/tables/rooms.ts';

type Contract = typeof contract;

export async function createInvite(
  ctx: Context,
  { memberId }: Actor,
  { conversationId, maxUses, expiresInMs }: InputOf<Contract['createInvite']>,
): Promise<ReplyOf<Contract['createInvite']>> {
  return await inviteTo(
    ctx,
    memberId,
    conversationId,
    { maxUses, expiresInMs },
    async (tx, make) =>
      await once(tx, async () => {
        const { row, token } = await make();
        return { token, ...((await toInvites(tx, [row]))[0] as Invite) };
      }),
  );
}

export async function invites(
  ctx: Context,
  actor: Actor,
  { conversationId }: InputOf<Contract['invites']>,
): Promise<ReplyOf<Contract['invites']>> {
  const seat = await requireSeat(ctx, actor, ['channel'], conversationId);
  requirePermission(seat, 'CREATE_INVITES');
  const rows = await invitesOf(ctx, roomOf(seat.id));
  const now = ctx.clock.now();
  const inForce = rows.filter((row) => !isOver(row, now));
  return { items: await toInvites(ctx, inForce) };
}

export async function endInvite(
  ctx: Context,
  { memberId }: Actor,
  { conversationId, invite: inviteId }: InputOf<Contract['endInvite']>,
): Promise<{ ended: true }> {
  await end(ctx, memberId, conversationId, inviteId);
  return { ended: true };
}

export async function showInvite(
  ctx: Context,
  { memberId }: Actor,
  { conversationId, invite: token }: InputOf<Contract['showInvite']>,
): Promise<ReplyOf<Contract['showInvite']>> {
  return await lookAtInvite(ctx, memberId, conversationId, token);
}

export async function redeemInvite(
  ctx: Context,
  { memberId }: Actor,
  { conversationId, inviteToken }: InputOf<Contract['redeemInvite']>,
): Promise<{ redeemed: true }> {
  await joinByInvite(ctx, memberId, conversationId, inviteToken);
  return { redeemed: true };
}

async function toInvites(ctx: Context, rows: readonly RoomInviteRow[]): Promise<Invite[]> {
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => ({
    inviteId: row.id,
    channelId: row.room_id,
    maxUses: row.max_uses,
    usesRemaining: row.max_uses === null ? null : Math.max(0, row.max_uses - row.uses),
    expiresAt: momentOf(row.expires_at),
    createdBy: row.created_by,
    createdByName: names.get(row.created_by)?.username ?? '',
    createdAt: new Date(row.created_at).toISOString(),
  }));
}
