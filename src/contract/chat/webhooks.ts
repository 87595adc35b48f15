import * as v from 'valibot';
import { operation, prefixed, uploadOperation } from '../operation.ts';
import { keepsDirection, visible } from '../shown-text.ts';
import { line, memberId, recordId, timestamp } from '../text.ts';
import type { RoomType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

const webhook = v.object({
  webhookId: recordId,
  name: v.string(),
  createdBy: memberId,
  createdByName: v.pipe(v.string(), v.description('username of the member')),
  createdAt: timestamp,
});
export type Webhook = v.InferOutput<typeof webhook>;

/** Addresses at which programs write into groups and channels. */
function webhooksOf<const T extends RoomType>(type: T) {
  const list = `${roots[type]}/:conversationId/webhooks`;
  const common = { envelope: 'social', auth: 'member' } as const;
  return {
    createWebhook: operation({
      ...common,
      id: `chat.${type}-create-webhook`,
      method: 'POST',
      path: list,
      summary: 'Make an address at which a program writes',
      description:
        'For the owner, in whose name the program writes. The address is in this answer alone, and whoever has it can write. It ends when its maker is not the owner any more. A conversation that only members can read has none.',
      input: v.object({
        ...inConversation,
        name: v.pipe(
          line(chatLimits.hookName),
          visible,
          keepsDirection,
          v.description('who the messages are shown to be from, such as `deploys`'),
        ),
      }),
      reply: v.object({ ...webhook.entries, path: v.pipe(v.string(), v.description('of the address on this server')) }),
      secretReply: true,
      status: 201,
      message: 'Webhook created',
      errors: [...notThere, 'PROGRAMS_CANNOT_READ', 'WEBHOOKS_FULL'],
      limit: { name: 'chatMembership' },
    }),
    webhooks: operation({
      ...common,
      id: `chat.${type}-webhooks`,
      method: 'GET',
      path: list,
      summary: 'List the webhooks, the oldest first',
      description: `For the owner, without their addresses. There are at most ${chatLimits.hooks} of them, so they come in one page.`,
      input: v.object(inConversation),
      reply: v.object({ items: v.array(webhook) }),
      status: 200,
      message: 'Webhooks',
      errors: notThere,
    }),
    removeWebhook: operation({
      ...common,
      id: `chat.${type}-remove-webhook`,
      method: 'DELETE',
      path: `${list}/:webhookId`,
      summary: 'End a webhook',
      description: 'For the owner. Its address takes nothing any more; what it wrote stays.',
      input: v.object({ ...inConversation, webhookId: recordId }),
      reply: v.object({ removed: v.literal(true) }),
      status: 200,
      message: 'Webhook removed',
      errors: [...notThere, 'WEBHOOK_NOT_FOUND'],
    }),
  };
}

const tokenRule = 'must be the token of a webhook';

export const webhooks = {
  ...prefixed('group', webhooksOf('group')),
  ...prefixed('channel', webhooksOf('channel')),
  post: uploadOperation({
    id: 'chat.post-to-webhook',
    method: 'POST',
    path: '/hooks/:hookToken',
    envelope: 'system',
    auth: 'none',
    summary: 'Write into a group or channel as a program does',
    description:
      'The body is what programs send to incoming webhooks of Slack: JSON with `text`, or with `attachments` or `blocks` of which the texts are taken, or a form with that in `payload`. At most 16 KiB, 10 at once and then one each second.',
    input: v.object({
      hookToken: v.pipe(v.string(tokenRule), v.regex(/^[\w-]{32}$/, tokenRule), v.metadata({ secret: true })),
    }),
    reply: v.object({ messageId: recordId }),
    status: 200,
    message: 'Message sent',
    errors: ['WEBHOOK_NOT_FOUND', 'STORAGE_QUOTA_EXCEEDED', 'RATE_LIMITED'],
    accepts: ['application/json', 'application/x-www-form-urlencoded'],
    maxBody: chatLimits.hookBytes,
  }),
};
