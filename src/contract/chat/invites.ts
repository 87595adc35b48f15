import * as v from 'valibot';
import { operation } from '../operation.ts';
import { integer, memberId, recordId, timestamp } from '../text.ts';
import { channelVisibility } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const list = `${roots.channel}/:conversationId/invites`;
const common = { envelope: 'social', auth: 'member' } as const;
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;
const tokenRule = 'must be the token of an invite';
// Not `token`: that is how programs call the sign-in.
const inviteToken = v.pipe(v.string(tokenRule), v.regex(/^[\w-]{32}$/, tokenRule), v.metadata({ secret: true }));
// In an OpenAPI document it is one path, so what stands in it has one name, whether it is the id of an invite or its token.
const one = `${list}/:invite`;
const limit = { name: 'chatMembership' } as const;

const invite = v.object({
  inviteId: recordId,
  channelId: recordId,
  maxUses: v.pipe(v.nullable(v.number()), v.description('null: any number')),
  usesRemaining: v.nullable(v.number()),
  expiresAt: v.pipe(v.nullable(timestamp), v.description('null: never')),
  createdBy: memberId,
  createdByName: v.pipe(v.string(), v.description('username of the member')),
  createdAt: timestamp,
});
export type Invite = v.InferOutput<typeof invite>;

/** Invites to channels, which are the way into all but the public ones. */
export const invites = {
  createInvite: operation({
    ...common,
    id: 'chat.create-invite',
    method: 'POST',
    path: list,
    summary: 'Make an invite to a channel',
    description:
      'For owners and admins. The token is in this answer alone. The invite ends when its maker leaves, is removed or may not invite any more.',
    input: v.object({
      ...inConversation,
      maxUses: v.optional(
        v.pipe(integer(1, chatLimits.inviteUses), v.description('so many can join by it; default: any number')),
      ),
      expiresInMs: v.optional(
        v.pipe(integer(1, chatLimits.inviteMs), v.description('in milliseconds, at most a year; default: never')),
      ),
    }),
    reply: v.object({ token: v.string(), ...invite.entries }),
    secretReply: true,
    status: 201,
    message: 'Invite created',
    errors: [...notThere, 'INVITES_FULL'],
    limit,
  }),
  invites: operation({
    ...common,
    id: 'chat.invites',
    method: 'GET',
    path: list,
    summary: 'List the invites that are in force, the oldest first',
    description: `For owners and admins, without their tokens. There are at most ${chatLimits.invites} of them, so they come in one page.`,
    input: v.object(inConversation),
    reply: v.object({ items: v.array(invite) }),
    status: 200,
    message: 'Invites',
    errors: notThere,
  }),
  endInvite: operation({
    ...common,
    id: 'chat.end-invite',
    method: 'DELETE',
    path: one,
    summary: 'End an invite',
    description: 'For owners and admins. Nobody joins by it any more; those who did stay.',
    input: v.object({ ...inConversation, invite: v.pipe(recordId, v.description('id of the invite')) }),
    reply: v.object({ ended: v.literal(true) }),
    status: 200,
    message: 'Invite ended',
    errors: [...notThere, 'INVITE_NOT_FOUND'],
  }),
  showInvite: operation({
    ...common,
    id: 'chat.invite',
    method: 'GET',
    path: one,
    summary: 'Show what an invite is to',
    description:
      'For who has its token. Of an invisible channel it says nothing; the invite is good there all the same.',
    input: v.object({ ...inConversation, invite: inviteToken }),
    reply: v.object({
      channelId: recordId,
      name: v.string(),
      visibility: channelVisibility,
      memberCount: v.number(),
      expiresAt: v.nullable(timestamp),
    }),
    status: 200,
    message: 'Invite',
    errors: ['INVITE_NOT_FOUND', 'INVITE_OVER'],
    limit,
  }),
  redeemInvite: operation({
    ...common,
    id: 'chat.redeem-invite',
    method: 'POST',
    path: `${list}/:inviteToken/redeem`,
    summary: 'Join a channel by an invite',
    description: 'The only way into channels that are not public. Whoever is banned stays out.',
    input: v.object({ ...inConversation, inviteToken }),
    reply: v.object({ redeemed: v.literal(true) }),
    status: 200,
    message: 'Joined',
    errors: ['FORBIDDEN', 'INVITE_NOT_FOUND', 'INVITE_OVER', 'ALREADY_IN_ROOM', 'ROOM_FULL', 'CONVERSATIONS_FULL'],
    limit,
  }),
};
