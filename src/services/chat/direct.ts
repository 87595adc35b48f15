import type { Actor } from '../../service/actor.ts';
import { requireBotRoom } from '../../service/bot.ts';
import type { Context } from '../../service/context.ts';
import type { direct } from '../../contract/chat/direct.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import { earlierReply, once } from '../../service/repeats.ts';
import { inConversationOfTwo } from '../../shared/conversations/begin.ts';
import { beginningIn } from '../../shared/conversations/client-mode.ts';
import { requireLiveRight } from '../../shared/conversations/bot-rights.ts';
import { requireSeat, seatOfPair } from '../../shared/conversations/conversation.ts';
import { setRetentionOfTwo } from '../../shared/conversations/group-changes.ts';
import { listConversations as listOwn } from '../../shared/conversations/list.ts';
import { membersIn } from '../../shared/conversations/member-list.ts';
import { promoteToGroup } from '../../shared/conversations/rooms.ts';
import { sayOnce, showInChat } from '../../shared/conversations/say.ts';
import { addMessage } from '../../shared/conversations/send.ts';

export async function sendDirect(
  ctx: Context,
  actor: Actor,
  { recipientId: otherId, mode, conversationId, epoch, ...message }: InputOf<typeof direct.sendDirect>,
): Promise<ChatMessage> {
  const { memberId, bot } = actor;
  // It begins none, and learns of none that it is not for.
  if (bot !== undefined) requireBotRoom(bot, 'write', (await seatOfPair(ctx, 'direct', memberId, otherId))?.id);
  if (otherId === memberId) throw fieldProblem('recipientId', 'must not be yourself');
  const client = beginningIn({ mode, conversationId, epoch });
  return await inConversationOfTwo(
    ctx,
    { type: 'direct', memberId, otherId, client },
    async (tx, seat) =>
      await sayOnce(
        tx,
        seat,
        async () => {
          if (bot !== undefined) await requireLiveRight(tx, bot, seat.id);
          return await addMessage(tx, seat, memberId, { ...message, bot });
        },
        showInChat,
      ),
  );
}

export async function setRetention(
  ctx: Context,
  { memberId }: Actor,
  { conversationId: id, retentionMs }: InputOf<typeof direct.setRetention>,
): Promise<ReplyOf<typeof direct.setRetention>> {
  return { id, retentionMs: await setRetentionOfTwo(ctx, memberId, id, retentionMs) };
}

export async function promote(
  ctx: Context,
  { memberId }: Actor,
  { conversationId: id, newMemberIds: memberIds, name, epoch }: InputOf<typeof direct.promote>,
): Promise<ReplyOf<typeof direct.promote>> {
  // What was promoted before is a group by now, and a request that comes again gets what it got.
  await requireSeat(ctx, { memberId }, ['direct', 'group'], id);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as ReplyOf<typeof direct.promote>;
  try {
    return await promoteToGroup(
      ctx,
      memberId,
      { id, memberIds, name, epoch },
      async (tx, makeGroup) =>
        await once(tx, async () => {
          const group = await makeGroup();
          const members = await membersIn(tx, group);
          return { groupId: id, name: group.name ?? '', members, promotedFromConversation: id };
        }),
    );
  } catch (error) {
    // The same request may have come twice at once, and the other one was first.
    const meanwhile = await earlierReply(ctx);
    if (meanwhile === undefined) throw error;
    return meanwhile.reply as ReplyOf<typeof direct.promote>;
  }
}

export async function listConversations(
  ctx: Context,
  { memberId }: Actor,
  { archived, memberId: otherId, ...page }: InputOf<typeof direct.listConversations>,
): Promise<ReplyOf<typeof direct.listConversations>> {
  const filter = { archived: archived === undefined ? undefined : archived === 'true', otherId };
  return await listOwn(ctx, { list: 'chat.conversations', memberId, types: ['direct'], ...filter }, page);
}
