import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { RoomType } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { Webhook, webhooks } from '../../contract/chat/webhooks.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import type { RoomHookRow } from '../../platform/store/tables/rooms.ts';
import type { Upload } from '../../service/raw-bodies.ts';
import { once } from '../../service/repeats.ts';
import { createHook, listHooks, removeHook, sayByHook } from '../../shared/conversations/webhooks.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';
import { textOfPayload } from './webhooks/payload.ts';

type Contract = typeof webhooks;

/** Webhooks of conversations of one type. */
function webhooksOf(type: RoomType) {
  const types = [type];
  return {
    create: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, name }: InputOf<Contract['groupCreateWebhook']>,
    ): Promise<ReplyOf<Contract['groupCreateWebhook']>> => {
      return await createHook(
        ctx,
        memberId,
        { types, id, name },
        async (tx, make) =>
          await once(tx, async () => {
            const { row, token } = await make();
            return { ...((await toWebhooks(tx, [row]))[0] as Webhook), path: `/hooks/${token}` };
          }),
      );
    },

    list: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId }: InputOf<Contract['groupWebhooks']>,
    ): Promise<ReplyOf<Contract['groupWebhooks']>> => {
      return { items: await toWebhooks(ctx, await listHooks(ctx, memberId, types, conversationId)) };
    },

    remove: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, webhookId: hookId }: InputOf<Contract['groupRemoveWebhook']>,
    ): Promise<{ removed: true }> => {
      await removeHook(ctx, memberId, { types, id, hookId });
      return { removed: true };
    },
  };
}

async function toWebhooks(ctx: Context, rows: readonly RoomHookRow[]): Promise<Webhook[]> {
  const makers = await memberSummaries(
    ctx,
    rows.map((row) => row.created_by),
  );
  return rows.map(({ id, name, created_by: createdBy, created_at: createdAt }) => ({
    webhookId: id,
    name,
    createdBy,
    createdByName: makers.get(createdBy)?.username ?? '',
    createdAt: new Date(createdAt).toISOString(),
  }));
}

export const { create: groupCreateWebhook, list: groupWebhooks, remove: groupRemoveWebhook } = webhooksOf('group');

export const {
  create: channelCreateWebhook,
  list: channelWebhooks,
  remove: channelRemoveWebhook,
} = webhooksOf('channel');

export async function post(
  ctx: Context,
  _: unknown,
  { hookToken }: InputOf<Contract['post']>,
  { type, body }: Upload,
): Promise<ReplyOf<Contract['post']>> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const text = textOfPayload(type, Buffer.concat(parts).toString('utf8'), chatLimits.text);
  if (text === undefined)
    throw fieldProblem('body', 'must be JSON with text, attachments or blocks, as programs send it to Slack');
  return { messageId: (await sayByHook(ctx, hookToken, text)).id };
}
