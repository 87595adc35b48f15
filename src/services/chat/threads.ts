import type { Actor } from '../../service/actor.ts';
import { withReadCounts } from '../../shared/conversations/read-counts.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { threads } from '../../contract/chat/threads.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { requireSeat } from '../../shared/conversations/conversation.ts';
import { toMessages } from '../../shared/conversations/dto.ts';
import { answersOf, readHistory } from '../../shared/conversations/history.ts';
import { listThreads, requireThread, toThreads } from '../../shared/conversations/threads/list.ts';
import { followThread, markThreadRead, type ThreadRead } from '../../shared/conversations/threads/places.ts';

type Contract = typeof threads;

/** What members do with the threads of conversations of one type. */
function threadsOf(type: ContextType) {
  const types = [type];
  return {
    list: async (
      ctx: Context,
      actor: Actor,
      { conversationId, following, unread, ...page }: InputOf<Contract['directThreads']>,
    ): Promise<ReplyOf<Contract['directThreads']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const { memberId } = actor;
      const which = { following: following === 'true', unread: unread === 'true' };
      return await listThreads(ctx, seat, { list: `chat.${type}-threads`, memberId }, { ...page, ...which });
    },

    show: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, ...request }: InputOf<Contract['directThread']>,
    ): Promise<ReplyOf<Contract['directThread']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const { memberId } = actor;
      const row = await requireThread(ctx, seat, memberId, messageId);
      const { rows, ...next } = await readHistory(
        ctx,
        seat,
        { list: `chat.${type}-thread`, memberId },
        request,
        answersOf(row.id),
      );
      const shown = await toMessages(ctx, seat, rows, { history: true, viewer: memberId });
      const items = await withReadCounts(ctx, seat, memberId, shown);
      const [thread] = await toThreads(ctx, seat, memberId, [row]);
      if (thread === undefined) throw new Error('a row is one thread');
      return { thread, items, ...next };
    },

    read: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, seq }: InputOf<Contract['directReadThread']>,
    ): Promise<ThreadRead> => {
      const { memberId } = actor;
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireThread(tx, seat, memberId, messageId);
        return await markThreadRead(tx, seat, memberId, row, seq);
      });
    },

    follow: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, following }: InputOf<Contract['directFollowThread']>,
    ): Promise<ReplyOf<Contract['directFollowThread']>> => {
      const { memberId } = actor;
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireThread(tx, seat, memberId, messageId);
        return await followThread(tx, seat, memberId, row, following);
      });
    },
  };
}

export const {
  list: directThreads,
  show: directThread,
  read: directReadThread,
  follow: directFollowThread,
} = threadsOf('direct');

export const {
  list: groupThreads,
  show: groupThread,
  read: groupReadThread,
  follow: groupFollowThread,
} = threadsOf('group');

export const {
  list: channelThreads,
  show: channelThread,
  read: channelReadThread,
  follow: channelFollowThread,
} = threadsOf('channel');
