import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Channel, channels, FoundChannel } from '../../contract/chat/channels.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { once } from '../../service/repeats.ts';
import { createChannel as create, joinChannel as join } from '../../shared/conversations/channels.ts';
import { updateChannel as update } from '../../shared/conversations/channel-changes.ts';
import { beginningIn } from '../../shared/conversations/client-mode.ts';
import { channelFor, findableChannels } from '../../shared/conversations/find-channel.ts';
import { requireSeat, type Seat } from '../../shared/conversations/conversation.ts';
import { listConversations, toConversations } from '../../shared/conversations/list.ts';
import { memberPage } from '../../shared/conversations/member-list.ts';
import { listPinned } from '../../shared/conversations/pins.ts';
import { deleteRoom } from '../../shared/conversations/rooms.ts';
import { say, showInChat } from '../../shared/conversations/say.ts';
import { requirePermission } from '../../shared/conversations/voice.ts';

const types = ['channel'] as const;

export async function createChannel(
  ctx: Context,
  { memberId }: Actor,
  {
    historyVisibleToNewMembers: historyVisible,
    mode,
    conversationId,
    epoch,
    ...channel
  }: InputOf<typeof channels.createChannel>,
): Promise<Channel> {
  return await create(
    ctx,
    memberId,
    { ...channel, historyVisible, client: beginningIn({ mode, conversationId, epoch }) },
    async (tx, make) => await once(tx, async () => await toChannel(tx, memberId, await make())),
  );
}

async function toChannel(ctx: Context, memberId: string, seat: Seat): Promise<Channel> {
  const [shown] = await toConversations(ctx, memberId, [seat]);
  if (shown === undefined) throw new Error('the channel is not shown');
  const first = { limit: chatLimits.shownMembers };
  const { items: members } = await memberPage(ctx, seat, { list: 'chat.channel', memberId }, first);
  const pinned = await listPinned(ctx, seat);
  const { name = '', topic = '', visibility = 'private' } = shown;
  return {
    ...shown,
    name,
    topic,
    visibility,
    memberCount: seat.member_count,
    joined: true,
    historyVisibleToNewMembers: seat.history_visible === 1,
    members,
    pinnedMessageIds: pinned.map(({ id }) => id),
  };
}

export async function listChannels(
  ctx: Context,
  { memberId }: Actor,
  { name, ...page }: InputOf<typeof channels.listChannels>,
): Promise<ReplyOf<typeof channels.listChannels>> {
  return await findableChannels(ctx, { list: 'chat.channels', memberId, name }, page);
}

export async function joinedChannels(
  ctx: Context,
  { memberId }: Actor,
  { archived, ...page }: InputOf<typeof channels.joinedChannels>,
): Promise<ReplyOf<typeof channels.joinedChannels>> {
  const list = { list: 'chat.joined-channels', memberId, types: ['channel'], archived: archived === 'true' } as const;
  return await listConversations(ctx, list, page);
}

export async function showChannel(
  ctx: Context,
  { memberId }: Actor,
  { conversationId }: InputOf<typeof channels.showChannel>,
): Promise<Channel | FoundChannel> {
  const found = await channelFor(ctx, memberId, conversationId);
  return 'seat' in found ? await toChannel(ctx, memberId, found.seat) : found.about;
}

export async function updateChannel(
  ctx: Context,
  { memberId }: Actor,
  { conversationId: id, historyVisibleToNewMembers: historyVisible, ...change }: InputOf<typeof channels.updateChannel>,
): Promise<ReplyOf<typeof channels.updateChannel>> {
  return await update(ctx, memberId, id, { ...change, historyVisible });
}

export async function deleteChannel(
  ctx: Context,
  actor: Actor,
  { conversationId }: InputOf<typeof channels.deleteChannel>,
): Promise<{ deleted: true }> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, types, conversationId);
    requirePermission(seat, 'MANAGE_CHANNEL');
    await deleteRoom(tx, seat);
    return { deleted: true };
  });
}

export async function joinChannel(
  ctx: Context,
  { memberId }: Actor,
  { conversationId }: InputOf<typeof channels.joinChannel>,
): Promise<{ joined: true }> {
  await join(ctx, memberId, conversationId);
  return { joined: true };
}

export async function sendToChannel(
  ctx: Context,
  actor: Actor,
  input: InputOf<typeof channels.sendToChannel>,
): Promise<ChatMessage> {
  return await say(ctx, actor, types, input, showInChat);
}
