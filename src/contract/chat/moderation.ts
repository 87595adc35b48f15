import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { paged } from '../page.ts';
import { integer, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { keepsDirection, visible } from '../shown-text.ts';
import type { RoomType } from './conversation.ts';
import { epochErrors, epochOfChange } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'NOT_IN_ROOM'] as const;

const reason = v.optional(v.pipe(paragraph(chatLimits.reason), v.trim(), visible, keepsDirection));
const endsAt = v.pipe(v.nullable(timestamp), v.description('null: until it is lifted'));

const nameOrNull = v.pipe(v.nullable(v.string()), v.description('username of the member, if the node knows them'));

const ban = v.object({
  memberId,
  username: nameOrNull,
  bannedBy: v.nullable(memberId),
  bannedByName: nameOrNull,
  reason: v.nullable(v.string()),
  bannedAt: timestamp,
  endsAt,
});
export type ChatBan = v.InferOutput<typeof ban>;

/** What the log of a conversation calls what moderators do. */
const deeds = [
  'add',
  'remove',
  'kick',
  'ban',
  'unban',
  'mute',
  'unmute',
  'role',
  'delete_message',
  'settings',
  'hand_over',
  'invite',
  'end_invite',
  'webhook',
  'end_webhook',
  'suspended',
] as const;

const deed = v.object({
  id: recordId,
  action: v.picklist(deeds),
  actorId: memberId,
  actorName: nameOrNull,
  subjectId: v.nullable(memberId),
  subjectName: nameOrNull,
  messageId: v.nullable(recordId),
  reason: v.nullable(v.string()),
  endsAt: v.nullable(timestamp),
  createdAt: timestamp,
});
export type ChatDeed = v.InferOutput<typeof deed>;

const duration = v.pipe(integer(1, chatLimits.muteMs), v.description('in milliseconds, at most a year'));
const pages = { limit: chatLimits.page, most: chatLimits.mostOnPage, end: 'null' } as const;

/** What moderators do in conversations of one type that have roles. */
function moderationOf<const T extends RoomType>(type: T) {
  const one = `${roots[type]}/:conversationId`;
  const common = { envelope: 'social', auth: 'member', status: 200 } as const;
  const subject = { ...inConversation, memberId };
  return {
    kick: operation({
      ...common,
      id: `chat.${type}-kick`,
      method: 'POST',
      path: `${one}/kick/:memberId`,
      summary: 'Remove a member as a moderator',
      description:
        'Of members with a lower role. It is no ban, unless `ban` says so. What is said from then on has another key.',
      input: v.object({
        ...subject,
        ban: v.optional(v.boolean('must be true or false'), false),
        durationMs: v.optional(duration),
        reason,
        epoch: epochOfChange,
      }),
      reply: v.object({ kicked: v.literal(true) }),
      message: 'Member removed',
      errors: [...notThere, ...epochErrors],
      limit: { name: 'chatMembership' },
    }),
    mute: operation({
      ...common,
      id: `chat.${type}-mute`,
      method: 'POST',
      path: `${one}/mute/:memberId`,
      summary: 'Stop a member from speaking for a while',
      description: 'Of members with a lower role. It ends by itself, and holds if the member leaves and comes back.',
      input: v.object({ ...subject, durationMs: duration, reason }),
      reply: v.object({ muted: v.literal(true), until: timestamp }),
      message: 'Member muted',
      errors: notThere,
    }),
    unmute: operation({
      ...common,
      id: `chat.${type}-unmute`,
      method: 'DELETE',
      path: `${one}/mute/:memberId`,
      summary: 'Let a member speak again',
      description: 'For a member who is not muted it changes nothing.',
      input: v.object(subject),
      reply: v.object({ unmuted: v.literal(true) }),
      message: 'Member not muted',
      errors: notThere,
    }),
    ban: operation({
      ...common,
      id: `chat.${type}-ban`,
      method: 'POST',
      path: `${one}/bans/:memberId`,
      summary: 'Keep a member out',
      description: 'Also somebody who is not in it. Of members with a lower role.',
      input: v.object({ ...subject, durationMs: v.optional(duration), reason, epoch: epochOfChange }),
      reply: v.object({ banned: v.literal(true), until: endsAt }),
      message: 'Member banned',
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MEMBER_NOT_FOUND', ...epochErrors],
      limit: { name: 'chatMembership' },
    }),
    unban: operation({
      ...common,
      id: `chat.${type}-unban`,
      method: 'DELETE',
      path: `${one}/bans/:memberId`,
      summary: 'Lift a ban',
      description: 'For moderators. The member can be added again then, and is not by itself.',
      input: v.object(subject),
      reply: v.object({ unbanned: v.literal(true) }),
      message: 'Ban lifted',
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'BAN_NOT_FOUND'],
    }),
    bans: operation({
      ...common,
      id: `chat.${type}-bans`,
      method: 'GET',
      path: `${one}/bans`,
      summary: 'List the bans that are in force, the latest first',
      description: 'For moderators. A ban that is over is not in it.',
      ...paged({
        name: 'items',
        of: ban,
        filter: inConversation,
        ...pages,
        errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'],
      }),
      message: 'Bans',
    }),
    log: operation({
      ...common,
      id: `chat.${type}-log`,
      method: 'GET',
      path: `${one}/log`,
      summary: 'Show what moderators did, the latest first',
      description: 'For moderators. It says who did what to whom, and goes with the conversation.',
      ...paged({
        name: 'items',
        of: deed,
        filter: inConversation,
        ...pages,
        errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'],
      }),
      message: 'Log',
    }),
  };
}

export const moderation = {
  ...prefixed('group', moderationOf('group')),
  ...prefixed('channel', moderationOf('channel')),
};
