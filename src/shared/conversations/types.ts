import type { ContextType } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { messageLimits } from '../../contract/social/messages/limits.ts';
import type { RoomPermission } from '../groups/permissions.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';

/** Conversations of chat. */
export const chatTypes = ['direct', 'group', 'channel'] as const satisfies readonly ContextType[];
/** Conversations of the social network. */
export const socialTypes = ['social_direct', 'social_group'] as const;
export type SocialType = (typeof socialTypes)[number];
/** What a conversation is. */
export type ConversationType = ContextType | SocialType;
export const allTypes: readonly ConversationType[] = [...chatTypes, ...socialTypes];
/** Those whose members have roles, and come and go. */
export type ManyType = Exclude<ConversationType, 'direct' | 'social_direct'>;

/** In what conversations of one type differ from others. */
interface Rules {
  /** what it is called in messages */
  readonly noun: string;
  /** characters of a message */
  readonly text: number;
  readonly members: number;
  /** different emoji under one message */
  readonly emoji: number;
  /** to react with the same emoji again changes nothing, or is refused */
  readonly sameReaction: 'nothing' | 'refused';
  /** how long after it was sent a message can be edited; without it, for ever */
  readonly editMs?: number;
  /** whether those above its sender can delete a message */
  readonly moderated: boolean;
  /** what somebody's role has to allow who adds members, or changes the name */
  readonly adding: RoomPermission;
  readonly changing: RoomPermission;
}

const ofChat = {
  text: chatLimits.text,
  emoji: chatLimits.emoji,
  sameReaction: 'nothing',
  moderated: true,
  adding: 'MANAGE_MEMBERS',
  changing: 'MANAGE_CHANNEL',
} as const;
const ofSocial = {
  text: messageLimits.text,
  emoji: messageLimits.emoji,
  sameReaction: 'refused',
  editMs: messageLimits.editMs,
  moderated: false,
  adding: 'SEND_MESSAGES',
  changing: 'SEND_MESSAGES',
} as const;

const rules: Readonly<Record<ConversationType, Rules>> = {
  direct: { ...ofChat, noun: 'conversation', members: 2 },
  group: { ...ofChat, noun: 'group', members: chatLimits.groupMembers },
  channel: { ...ofChat, noun: 'channel', members: chatLimits.channelMembers },
  social_direct: { ...ofSocial, noun: 'conversation', members: 2 },
  social_group: { ...ofSocial, noun: 'group', members: messageLimits.participants },
};

export function rulesOf({ type }: Pick<ConversationRow, 'type'>): Rules {
  return rules[type as ConversationType];
}

export function isSocial({ type }: Pick<ConversationRow, 'type'>): boolean {
  return (socialTypes as readonly string[]).includes(type);
}
