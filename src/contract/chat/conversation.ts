import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { line, memberId, recordId, timestamp, trueOrFalse } from '../text.ts';
import { conversationMode } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { retentionMs, slowModeSeconds } from './room-rules.ts';

/** What conversations of chat are. */
export const contextTypes = ['direct', 'group', 'channel'] as const;
export type ContextType = (typeof contextTypes)[number];
/** Those whose members have roles, and come and go. */
export type RoomType = Exclude<ContextType, 'direct'>;

/** Who can find a channel, and who can join it: only `public` ones are for anybody, and `secret` and `invisible` ones are listed nowhere. */
export const channelVisibilities = ['public', 'private', 'secret', 'invisible'] as const;
export type ChannelVisibility = (typeof channelVisibilities)[number];
export const channelVisibility = v.picklist(channelVisibilities, `must be one of ${channelVisibilities.join(', ')}`);

export const chatRoles = ['owner', 'admin', 'moderator', 'member'] as const;
export type ChatRole = (typeof chatRoles)[number];
export const chatRole = v.picklist(chatRoles, `must be one of ${chatRoles.join(', ')}`);

export const noticeLevels = ['all', 'mentions', 'none'] as const;
export type NoticeLevel = (typeof noticeLevels)[number];

/** What a member has chosen for a conversation. Others do not see it. */
const settings = {
  notifications: v.picklist(noticeLevels),
  mutedUntil: v.pipe(v.nullable(timestamp), v.description('until when you are not notified of it')),
  pinned: v.boolean(),
  archived: v.boolean(),
};
export const ownSettings = v.object(settings);
export type OwnSettings = v.InferOutput<typeof ownSettings>;

const number = v.number();

export const receipt = v.object({
  memberId,
  seq: v.pipe(number, v.description('read up to this message')),
  readAt: v.nullable(timestamp),
});

/** A conversation as one of its members sees it. */
export const conversation = v.object({
  id: recordId,
  type: v.picklist(contextTypes),
  mode: conversationMode,
  title: v.pipe(v.string(), v.description('what to call it: the username of the other member, or the name')),
  participants: v.optional(v.pipe(v.array(memberId), v.description('of a direct conversation: both members'))),
  name: v.optional(v.pipe(v.string(), v.description('of a group or channel'))),
  topic: v.optional(v.pipe(v.string(), v.description('of a channel; empty: none'))),
  visibility: v.optional(v.pipe(channelVisibility, v.description('of a channel'))),
  creatorId: v.optional(memberId),
  memberCount: v.optional(v.number()),
  role: v.optional(v.pipe(chatRole, v.description('your role in the group or channel'))),
  slowModeSeconds: v.optional(slowModeSeconds),
  retentionMs,
  createdAt: timestamp,
  lastMessageAt: v.nullable(timestamp),
  lastMessagePreview: v.pipe(
    v.nullable(v.string()),
    v.description('the beginning of the last message; null if it is deleted, not for you, or only members can read it'),
  ),
  lastSeq: v.pipe(number, v.description('the number of the last message')),
  readSeq: v.pipe(number, v.description('you have read up to this number')),
  unread: number,
  mentionCount: v.pipe(number, v.description('unread messages that name you')),
  receipts: v.pipe(v.array(receipt), v.description('how far the others have read, if you and they show that')),
  ...settings,
});
export type Conversation = v.InferOutput<typeof conversation>;

/** Which conversations a list has. */
export const archivedFilter = v.optional(
  v.pipe(trueOrFalse, v.description('only those that you archived, or only the others')),
);

/** A member of a group or channel. */
export const chatMember = v.object({
  memberId,
  username: v.pipe(v.string(), v.description('empty if the node does not know the member any more')),
  role: chatRole,
  joinedAt: timestamp,
  hasKey: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'in mode `client`: whether the key is encrypted to the member, or they wait for somebody to do that',
      ),
    ),
  ),
  publicKey: v.optional(
    v.pipe(v.string(), v.description('in mode `client`: compressed, hex; the id of the member is its hash')),
  ),
});
export type ChatMember = v.InferOutput<typeof chatMember>;

const nameRule = `must be 1 to ${chatLimits.channelName} lower-case letters, digits, _ or -`;

/** The name of a channel. Names that look alike because Unicode has several forms of a character are the same. */
export const channelName = v.pipe(
  v.string('must be text'),
  v.maxLength(4 * chatLimits.channelName, nameRule),
  v.normalize('NFKC'),
  v.regex(/^[\p{Ll}\p{Lo}\p{Nd}_-]+$/u, nameRule),
  // The fillers of Hangul count as letters, and nobody sees them.
  v.check((name) => !/[\u115f\u1160\u3164\uffa0]/.test(name), nameRule),
  v.check((name) => Array.from(name).length <= chatLimits.channelName, nameRule),
  v.description(`1 to ${chatLimits.channelName} lower-case letters, digits, _ or -`),
  // One that also fits where \p{Ll} is read without the flag for Unicode, which is how Spectral reads it: as the letters p, L, l and braces.
  v.examples(['pool']),
);

/** What a channel is about. */
export const channelTopic = v.pipe(
  v.string('must be text'),
  v.trim(),
  v.union([v.literal(''), v.pipe(line(chatLimits.topic), visible, keepsDirection)], 'must be one line of visible text'),
);

export const roomName = v.pipe(
  v.string('must be text'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  line(chatLimits.name),
  visible,
  keepsDirection,
);
