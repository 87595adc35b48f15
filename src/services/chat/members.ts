import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { RoomType } from '../../contract/chat/conversation.ts';
import type { members } from '../../contract/chat/members.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { once } from '../../service/repeats.ts';
import { requireSeat } from '../../shared/conversations/conversation.ts';
import { memberPage } from '../../shared/conversations/member-list.ts';
import { leaveConversation, removeMember, setMemberRole } from '../../shared/conversations/moderation.ts';
import { addMembers } from '../../shared/conversations/rooms.ts';

type Contract = typeof members;

/** Who is in conversations of one type. */
function membersOf(type: RoomType) {
  const types = [type];
  return {
    list: async (
      ctx: Context,
      actor: Actor,
      { conversationId, role, ...page }: InputOf<Contract['groupMembers']>,
    ): Promise<ReplyOf<Contract['groupMembers']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const list = { list: `chat.${type}-members`, memberId: actor.memberId, role };
      return await memberPage(ctx, seat, list, page);
    },

    add: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberIds, epoch }: InputOf<Contract['groupAddMembers']>,
    ): Promise<ReplyOf<Contract['groupAddMembers']>> => {
      return await addMembers(
        ctx,
        memberId,
        { types, id, memberIds, epoch },
        async (tx, add) => await once(tx, async () => ({ added: [...(await add())] })),
      );
    },

    remove: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId, epoch }: InputOf<Contract['groupRemoveMember']>,
    ): Promise<{ removed: true }> => {
      await removeMember(ctx, memberId, { types, id, subjectId }, { permission: 'MANAGE_MEMBERS', epoch });
      return { removed: true };
    },

    leave: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id }: InputOf<Contract['groupLeave']>,
    ): Promise<{ left: true }> => {
      await leaveConversation(ctx, memberId, { types, id });
      return { left: true };
    },

    setRole: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId, role }: InputOf<Contract['groupSetRole']>,
    ): Promise<ReplyOf<Contract['groupSetRole']>> => {
      await setMemberRole(ctx, memberId, { types, id, subjectId }, role);
      return { memberId: subjectId, role };
    },
  };
}

export const {
  list: groupMembers,
  add: groupAddMembers,
  remove: groupRemoveMember,
  leave: groupLeave,
  setRole: groupSetRole,
} = membersOf('group');

export const {
  list: channelMembers,
  add: channelAddMembers,
  remove: channelRemoveMember,
  leave: channelLeave,
  setRole: channelSetRole,
} = membersOf('channel');
