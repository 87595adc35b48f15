import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Group, groups } from '../../contract/chat/groups.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { once } from '../../service/repeats.ts';
import { beginningIn } from '../../shared/conversations/client-mode.ts';
import { requireSeat, type Seat } from '../../shared/conversations/conversation.ts';
import { listConversations, toConversations } from '../../shared/conversations/list.ts';
import { updateGroup as update } from '../../shared/conversations/group-changes.ts';
import { membersIn } from '../../shared/conversations/member-list.ts';
import { createRoom, deleteRoom } from '../../shared/conversations/rooms.ts';
import { say, showInChat } from '../../shared/conversations/say.ts';
import { requirePermission } from '../../shared/conversations/voice.ts';

const types = ['group'] as const;

export async function createGroup(
  ctx: Context,
  { memberId: ownerId }: Actor,
  { name, memberIds, ...beginning }: InputOf<typeof groups.createGroup>,
): Promise<Group> {
  return await createRoom(
    ctx,
    { type: 'group', ownerId, name, memberIds, client: beginningIn(beginning) },
    async (tx, create) => await once(tx, async () => await toGroup(tx, ownerId, await create())),
  );
}

async function toGroup(ctx: Context, memberId: string, seat: Seat): Promise<Group> {
  const members = await membersIn(ctx, seat);
  const [shown] = await toConversations(ctx, memberId, [seat]);
  if (shown === undefined) throw new Error('the group is not shown');
  return { ...shown, name: seat.name ?? '', members };
}

export async function listGroups(
  ctx: Context,
  { memberId }: Actor,
  { archived, ...page }: InputOf<typeof groups.listGroups>,
): Promise<ReplyOf<typeof groups.listGroups>> {
  const list = { list: 'chat.groups', memberId, types: ['group'], archived: archived === 'true' } as const;
  return await listConversations(ctx, list, page);
}

export async function showGroup(
  ctx: Context,
  actor: Actor,
  { conversationId }: InputOf<typeof groups.showGroup>,
): Promise<Group> {
  return await toGroup(ctx, actor.memberId, await requireSeat(ctx, actor, types, conversationId));
}

export async function updateGroup(
  ctx: Context,
  { memberId }: Actor,
  { conversationId: id, ...change }: InputOf<typeof groups.updateGroup>,
): Promise<ReplyOf<typeof groups.updateGroup>> {
  return await update(ctx, memberId, id, change);
}

export async function deleteGroup(
  ctx: Context,
  actor: Actor,
  { conversationId }: InputOf<typeof groups.deleteGroup>,
): Promise<{ deleted: true }> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, types, conversationId);
    requirePermission(seat, 'MANAGE_CHANNEL');
    await deleteRoom(tx, seat);
    return { deleted: true };
  });
}

export async function sendToGroup(
  ctx: Context,
  actor: Actor,
  input: InputOf<typeof groups.sendToGroup>,
): Promise<ChatMessage> {
  return await say(ctx, actor, types, input, showInChat);
}
