import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ConversationMode } from '../../contract/chat/client-mode.ts';
import type { ContextType, OwnSettings } from '../../contract/chat/conversation.ts';
import type { places } from '../../contract/chat/places.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { newestKeyOf } from '../../shared/conversations/client-epochs.ts';
import { isClientMode, requireSeat, roomOf } from '../../shared/conversations/conversation.ts';
import { momentOf } from '../../shared/conversations/dto.ts';
import { mentionCountIn } from '../../shared/conversations/mentions.ts';
import { markRead } from '../../shared/conversations/read.ts';
import { changeSettings } from '../../shared/conversations/settings.ts';
import { tellTyping } from '../../shared/conversations/typing.ts';
import { requireVoice } from '../../shared/conversations/voice.ts';
import { unreadIn } from '../../shared/conversations/visible-range.ts';
import { listOwnKeys, oldestKeyOf, readOwnKeys } from '../../shared/group-keys/own-keys.ts';

type Contract = typeof places;

/** What members have in conversations of one type. */
function placesOf(type: ContextType) {
  const types = [type];
  return {
    read: async (
      ctx: Context,
      actor: Actor,
      { conversationId, seq }: InputOf<Contract['directRead']>,
    ): Promise<ReplyOf<Contract['directRead']>> => {
      const { memberId } = actor;
      return await transaction(ctx, async (tx) => {
        const seat = await markRead(tx, await requireSeat(tx, actor, types, conversationId), memberId, seq);
        const readAt = momentOf(seat.read_at);
        const mentionCount = await mentionCountIn(tx, seat, memberId);
        return { memberId, seq: seat.read_seq, readAt, unread: unreadIn(seat), mentionCount };
      });
    },

    typing: async (
      ctx: Context,
      actor: Actor,
      { conversationId, typing }: InputOf<Contract['directTyping']>,
    ): Promise<ReplyOf<Contract['directTyping']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      await requireVoice(ctx, seat, actor.memberId);
      return { expiresAt: momentOf(await tellTyping(ctx, seat, actor.memberId, typing)) };
    },

    settings: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...change }: InputOf<Contract['directSettings']>,
    ): Promise<OwnSettings> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        return await changeSettings(tx, seat, actor.memberId, change);
      });
    },

    keys: async (
      ctx: Context,
      actor: Actor,
      { conversationId, sinceEpoch, limit }: InputOf<Contract['directKeys']>,
    ): Promise<ReplyOf<Contract['directKeys']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const room = roomOf(seat.id);
      const { id, mode } = seat;
      const { epoch, closed } = await newestKeyOf(ctx, seat);
      const oldestEpoch = (await oldestKeyOf(ctx, room, actor.memberId)) ?? null;
      const own = await (isClientMode(seat) ? listOwnKeys : readOwnKeys)(ctx, actor, room, { sinceEpoch, limit });
      // Of one that was made meanwhile, the next answer says all.
      const keys = own.keys.filter((key) => key.epoch <= epoch);
      const { hasMore } = own;
      return { conversationId: id, mode: mode as ConversationMode, epoch, keys, hasMore, oldestEpoch, closed };
    },
  };
}

export const {
  read: directRead,
  typing: directTyping,
  settings: directSettings,
  keys: directKeys,
} = placesOf('direct');

export const { read: groupRead, typing: groupTyping, settings: groupSettings, keys: groupKeys } = placesOf('group');

export const {
  read: channelRead,
  typing: channelTyping,
  settings: channelSettings,
  keys: channelKeys,
} = placesOf('channel');
