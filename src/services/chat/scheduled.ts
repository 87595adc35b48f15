import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { scheduled, ScheduledMessage } from '../../contract/chat/scheduled.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { onceAnew } from '../../service/repeats.ts';
import { requireSeat } from '../../shared/conversations/conversation.ts';
import * as unsent from '../../shared/conversations/unsent/scheduled.ts';
import { requireVoice } from '../../shared/conversations/voice.ts';

type Contract = typeof scheduled;

function scheduleIn(type: ContextType) {
  return async (
    ctx: Context,
    actor: Actor,
    { conversationId, content, replyToMessageId, clientId, sendAt }: InputOf<Contract['directSchedule']>,
  ): Promise<ScheduledMessage> => {
    return await transaction(ctx, async (tx) => {
      const seat = await requireSeat(tx, actor, [type], conversationId);
      await requireVoice(tx, seat, actor.memberId);
      const message = { content, replyToMessageId, clientId, sendAt };
      return await onceAnew(
        tx,
        async () => {
          const reply = await unsent.scheduleMessage(tx, seat, actor.memberId, message);
          return { reply, kept: { ...reply, content: null } };
        },
        async (kept) => (await unsent.showScheduled(tx, actor.memberId, kept.id)) ?? kept,
      );
    });
  };
}

export const directSchedule = scheduleIn('direct');
export const groupSchedule = scheduleIn('group');
export const channelSchedule = scheduleIn('channel');

export async function listScheduled(
  ctx: Context,
  { memberId }: Actor,
  request: InputOf<Contract['listScheduled']>,
): Promise<ReplyOf<Contract['listScheduled']>> {
  return await unsent.listScheduled(ctx, memberId, request);
}

export async function changeScheduled(
  ctx: Context,
  { memberId }: Actor,
  { scheduledId, ...change }: InputOf<Contract['changeScheduled']>,
): Promise<ScheduledMessage> {
  return await transaction(ctx, async (tx) => await unsent.changeScheduled(tx, memberId, scheduledId, change));
}

export async function removeScheduled(
  ctx: Context,
  { memberId }: Actor,
  { scheduledId }: InputOf<Contract['removeScheduled']>,
): Promise<{ removed: true }> {
  await transaction(ctx, async (tx) => await unsent.removeScheduled(tx, memberId, scheduledId));
  return { removed: true };
}
