import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { line, memberId, recordId, timestamp } from '../text.ts';
import { chatLimits } from './limits.ts';

/** What conversations of chat are. */
export const contextTypes = ['direct', 'group'] as const;
export type ContextType = (typeof contextTypes)[number];
/** Those whose members have roles, and come and go. */
export type RoomType = Exclude<ContextType, 'direct'>;

export const chatRoles = ['owner', 'admin', 'moderator', 'member'] as const;
export type ChatRole = (typeof chatRoles)[number];
export const chatRole = v.picklist(chatRoles, `must be one of ${chatRoles.join(', ')}`);

/** Who can read what is said: `server` seals it with keys that the node has too; see docs/security.md. */
const modes = ['server'] as const;

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
  mode: v.picklist(modes),
  title: v.pipe(v.string(), v.description('what to call it: the username of the other member, or the name')),
  participants: v.optional(v.pipe(v.array(memberId), v.description('of a direct conversation: both members'))),
  name: v.optional(v.pipe(v.string(), v.description('of a group'))),
  creatorId: v.optional(memberId),
  memberCount: v.optional(v.number()),
  role: v.optional(v.pipe(chatRole, v.description('your role in the group'))),
  createdAt: timestamp,
  lastMessageAt: v.nullable(timestamp),
  lastMessagePreview: v.pipe(
    v.nullable(v.string()),
    v.description('the beginning of the last message; null if it is deleted, or not for you'),
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
  v.pipe(
    v.picklist(['true', 'false'], 'must be true or false'),
    v.description('only those that you archived, or only the others'),
  ),
);

/** A member of a group. */
export const chatMember = v.object({ memberId, role: chatRole, joinedAt: timestamp });
export type ChatMember = v.InferOutput<typeof chatMember>;

export const roomName = v.pipe(
  v.string('must be text'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  line(chatLimits.name),
  visible,
  keepsDirection,
);
