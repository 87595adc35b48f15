import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { ownKeysInput, ownKeysReply } from '../room-keys/fields.ts';
import { integer, moment, recordId, timestamp } from '../text.ts';
import { clientKeys, conversationMode } from './client-mode.ts';
import { ownSettings, receipt, noticeLevels, type ContextType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

/** What a member has in a conversation of one type: how far they have read, their settings, their keys. */
function placesOf<const T extends ContextType>(type: T) {
  const one = `${roots[type]}/:conversationId`;
  const common = { envelope: 'social', auth: 'member' } as const;
  return {
    read: operation({
      ...common,
      id: `chat.${type}-read`,
      method: 'POST',
      path: `${one}/read`,
      scope: 'chat',
      summary: 'Mark messages as read up to a number',
      description: 'What was read stays read. Others hear of it if you and they show that in the privacy settings.',
      input: v.object({
        ...inConversation,
        seq: v.optional(
          v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.description('number of the message; without it, the last one')),
        ),
      }),
      reply: v.object({ ...receipt.entries, unread: v.number(), mentionCount: v.number() }),
      status: 200,
      message: 'Read',
      errors: notThere,
      limit: { name: 'chatRead' },
    }),
    typing: operation({
      ...common,
      id: `chat.${type}-typing`,
      method: 'POST',
      path: `${one}/typing`,
      scope: 'chat',
      bot: 'write',
      summary: 'Tell the others that you are typing',
      description: `It is told once in ${chatLimits.typingEveryMs / 1000} seconds, and holds for ${chatLimits.typingMs / 1000}.`,
      input: v.object({
        ...inConversation,
        typing: v.optional(v.pipe(v.boolean('must be true or false'), v.description('false: you have stopped')), true),
      }),
      reply: v.object({ expiresAt: v.nullable(timestamp) }),
      status: 200,
      message: 'Told',
      errors: [...notThere, 'MEMBER_NOT_FOUND'],
      limit: { name: 'chatRead' },
    }),
    settings: operation({
      ...common,
      id: `chat.${type}-settings`,
      method: 'PUT',
      path: `${one}/settings`,
      summary: 'Change what you have chosen for a conversation',
      description: 'Fields that are left out stay. Only you see it.',
      input: v.object({
        ...inConversation,
        notifications: v.optional(v.picklist(noticeLevels, `must be one of ${noticeLevels.join(', ')}`)),
        mutedUntil: v.optional(
          v.pipe(v.nullable(moment), v.description('until when you are not notified of it; null: at once again')),
        ),
        pinned: v.optional(v.boolean('must be true or false')),
        archived: v.optional(v.boolean('must be true or false')),
      }),
      reply: ownSettings,
      status: 200,
      message: 'Settings changed',
      errors: notThere,
    }),
    keys: operation({
      ...common,
      id: `chat.${type}-keys`,
      method: 'GET',
      path: `${one}/keys`,
      summary: 'Read your keys of a conversation',
      description:
        'Each is encrypted to your public key, and opens the messages of one epoch. In mode `client` members make the keys and sign them.',
      input: v.object({ ...inConversation, ...ownKeysInput }),
      reply: v.object({ conversationId: recordId, mode: conversationMode, ...ownKeysReply, ...clientKeys }),
      status: 200,
      message: 'Keys',
      errors: notThere,
    }),
  };
}

export const places = {
  ...prefixed('direct', placesOf('direct')),
  ...prefixed('group', placesOf('group')),
  ...prefixed('channel', placesOf('channel')),
};
