import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { epochs } from '../../contract/chat/epochs.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { toHex } from '../../crypto/bytes.ts';
import { beginEpoch, newestKeyOf } from '../../shared/conversations/client-epochs.ts';
import { requireSeat, roomOf } from '../../shared/conversations/conversation.ts';
import { requireReachable, unreachable } from '../../shared/conversations/reach.ts';
import { memberEpochs, oldestEpochOf } from '../../shared/group-keys/member-epochs.ts';
import { publicKeysOf } from '../../shared/members/public-keys.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';

type Contract = typeof epochs;

export async function memberKey(
  ctx: Context,
  actor: Actor,
  { memberId }: InputOf<Contract['memberKey']>,
): Promise<ReplyOf<Contract['memberKey']>> {
  if (memberId !== actor.memberId) await requireReachable(ctx, actor.memberId, memberId);
  const [holder] = await publicKeysOf(ctx, [memberId]);
  if (holder === undefined) throw unreachable([memberId]);
  const username = (await memberSummaries(ctx, [memberId])).get(memberId)?.username ?? '';
  return { memberId, username, publicKey: toHex(holder.publicKey) };
}

/** The keys that members make, of conversations of one type. */
function epochsOf(type: ContextType) {
  const types = [type];
  return {
    list: async (
      ctx: Context,
      actor: Actor,
      { conversationId, sinceEpoch, limit }: InputOf<Contract['directEpochs']>,
    ): Promise<ReplyOf<Contract['directEpochs']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const { id } = seat;
      const room = roomOf(id);
      const { epoch, closed } = await newestKeyOf(ctx, seat);
      // Whoever has no key is told of none: who was there before is not theirs to know.
      const since = (await oldestEpochOf(ctx, room, actor.memberId)) ?? epoch + 1;
      const found = await memberEpochs(ctx, room, Math.max(sinceEpoch, since - 1), limit + 1);
      // Of one that was made meanwhile, the next answer says all.
      const known = found.filter((one) => one.epoch <= epoch);
      return { conversationId: id, epoch, closed, epochs: known.slice(0, limit), hasMore: known.length > limit };
    },

    begin: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...sent }: InputOf<Contract['directBeginEpoch']>,
    ): Promise<ReplyOf<Contract['directBeginEpoch']>> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        return { conversationId: seat.id, epoch: await beginEpoch(tx, seat, actor.memberId, sent) };
      });
    },
  };
}

export const { list: directEpochs, begin: directBeginEpoch } = epochsOf('direct');
export const { list: groupEpochs, begin: groupBeginEpoch } = epochsOf('group');
export const { list: channelEpochs, begin: channelBeginEpoch } = epochsOf('channel');
