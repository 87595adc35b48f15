import * as v from 'valibot';
import { clientFrame, event, eventTopic, serverFrame } from '../event.ts';
import { serverFrames } from '../realtime/frames.ts';
import { keyRotation } from '../room-keys/fields.ts';
import { integer, memberId, recordId, timestamp } from '../text.ts';
import { channelVisibility, chatRole } from './conversation.ts';
import { inboxEvents } from './inbox/events.ts';
import { chatLimits } from './limits.ts';
import { messageErrors, chatMessage, clientId, newMessage } from './message.ts';
import { place } from './place-fields.ts';
import { chosenStatus, memberPresence, watchedMembers } from './presence.ts';

/** What happens in one conversation. */
export const conversationTopic = eventTopic({
  kind: 'conversation',
  parts: { conversationId: 'id of the conversation' },
  summary: 'A conversation',
  description:
    'Its members can subscribe, and the subscription ends with the membership. Messages that are sent again say what they say at that moment: an edited one its newest text, and a deleted one nothing. After a `resync` read the messages after the last known `seq`.',
});

const seq = v.number();

const ofConversation = { topic: conversationTopic, replayable: true } as const;
const passing = { topic: conversationTopic, replayable: false } as const;

const aboutMember = { ...place, memberId };

const aboutReaction = v.object({ ...place, messageId: recordId, memberId, emoji: v.string(), reactionId: recordId });
const aboutPin = v.object({ ...place, messageId: recordId, memberId });

export const chatEvents = {
  messageSent: event({
    ...ofConversation,
    name: 'communication:message_sent',
    summary: 'A message was sent',
    description: 'Your own sockets hear of your own messages too; `clientId` says which of them it is.',
    data: v.object({ ...place, seq, message: chatMessage }),
  }),
  messageEdited: event({
    ...ofConversation,
    name: 'communication:message_edited',
    summary: 'The text of a message was changed',
    description: '',
    data: v.object({ ...place, seq, message: chatMessage }),
  }),
  messageDeleted: event({
    ...ofConversation,
    name: 'communication:message_deleted',
    summary: 'A message was deleted',
    description: 'Its place stays.',
    data: v.object({ ...place, seq, messageId: recordId, deletedBy: memberId }),
  }),
  messagesRemoved: event({
    ...ofConversation,
    name: 'communication:messages_removed',
    summary: 'The time of messages is over',
    description:
      'All up to `upToSeq` are erased, as if each was deleted. Their places stay. They are not shown any more from the moment at which their time is over; this comes some minutes later.',
    data: v.object({ ...place, upToSeq: v.pipe(v.number(), v.description('the number of the last of them')) }),
  }),
  reactionAdded: event({
    ...ofConversation,
    name: 'communication:reaction_added',
    summary: 'Somebody reacted to a message',
    description: '',
    data: aboutReaction,
  }),
  reactionRemoved: event({
    ...ofConversation,
    name: 'communication:reaction_removed',
    summary: 'Somebody took a reaction back',
    description: '',
    data: aboutReaction,
  }),
  messagePinned: event({
    ...ofConversation,
    name: 'communication:message_pinned',
    summary: 'A message was pinned',
    description: '',
    data: aboutPin,
  }),
  messageUnpinned: event({
    ...ofConversation,
    name: 'communication:message_unpinned',
    summary: 'A message was unpinned',
    description: '',
    data: aboutPin,
  }),
  memberJoined: event({
    ...ofConversation,
    name: 'communication:member_joined',
    summary: 'Somebody has become a member',
    description: 'Who joined a channel by themselves was added by themselves.',
    data: v.object({ ...aboutMember, addedBy: memberId }),
  }),
  memberLeft: event({
    ...ofConversation,
    name: 'communication:member_left',
    summary: 'A member has left',
    description: '',
    data: v.object(aboutMember),
  }),
  memberKicked: event({
    ...ofConversation,
    name: 'communication:member_kicked',
    summary: 'A member was removed',
    description: 'The member themselves hears `conversation:removed`.',
    data: v.object({ ...aboutMember, kickedBy: memberId }),
  }),
  memberBanned: event({
    ...ofConversation,
    name: 'communication:member_banned',
    summary: 'Somebody was banned',
    description: 'For a member there is `member_kicked` before it.',
    data: v.object({ ...aboutMember, bannedBy: memberId, until: v.nullable(timestamp) }),
  }),
  memberMuted: event({
    ...ofConversation,
    name: 'communication:member_muted',
    summary: 'A member may not speak for a while',
    description: '',
    data: v.object({ ...aboutMember, mutedBy: memberId, durationMs: v.number(), until: timestamp }),
  }),
  memberUnmuted: event({
    ...ofConversation,
    name: 'communication:member_unmuted',
    summary: 'A member may speak again, before the mute was over',
    description: '',
    data: v.object({ ...aboutMember, unmutedBy: memberId }),
  }),
  roleChanged: event({
    ...ofConversation,
    name: 'communication:role_changed',
    summary: 'A member has another role',
    description: 'Where the owner hands over there are two of them.',
    data: v.object({ ...aboutMember, role: chatRole, changedBy: memberId }),
  }),
  groupUpdated: event({
    ...ofConversation,
    name: 'communication:group_updated',
    summary: 'A group was changed',
    description: '',
    data: v.object({
      ...place,
      name: v.string(),
      slowModeSeconds: v.number(),
      retentionMs: v.nullable(v.number()),
      updatedBy: memberId,
    }),
  }),
  channelUpdated: event({
    ...ofConversation,
    name: 'communication:channel_updated',
    summary: 'A channel was changed',
    description: '',
    data: v.object({
      ...place,
      name: v.string(),
      topic: v.string(),
      visibility: channelVisibility,
      historyVisibleToNewMembers: v.boolean(),
      slowModeSeconds: v.number(),
      retentionMs: v.nullable(v.number()),
      updatedBy: memberId,
    }),
  }),
  retentionChanged: event({
    ...ofConversation,
    name: 'communication:retention_changed',
    summary: 'Messages of a conversation of two are kept for another time',
    description: '',
    data: v.object({ ...place, retentionMs: v.nullable(v.number()), updatedBy: memberId }),
  }),
  keyRotated: event({
    ...ofConversation,
    name: 'communication:key_rotated',
    summary: 'The conversation has a new key',
    description: 'It has no key. Members read theirs with the operation for keys of the conversation.',
    data: v.object({ ...place, ...keyRotation }),
  }),
  typingStart: event({
    ...passing,
    name: 'communication:typing_start',
    summary: 'Somebody is typing',
    description: `It holds until \`expiresAt\`, or until \`typing_stop\` or a message of theirs. It is not sent to members whom a block parts from them.`,
    data: v.object({ ...place, memberId, expiresAt: timestamp }),
  }),
  typingStop: event({
    ...passing,
    name: 'communication:typing_stop',
    summary: 'Somebody has stopped typing',
    description: '',
    data: v.object({ ...place, memberId }),
  }),
  messageRead: event({
    ...passing,
    name: 'communication:message_read',
    summary: 'Somebody has read messages',
    description: 'Only between members who both show in their privacy settings what they have read.',
    data: v.object({ ...place, memberId, seq, readAt: timestamp }),
  }),
  ...inboxEvents,
};

const messageSent = serverFrame({
  type: 'message:sent',
  summary: 'The message is stored',
  description: 'Members who hear the conversation get it as an event.',
  fields: v.object({ clientId, messageId: recordId, seq }),
});

const presenceWatched = serverFrame({
  type: 'presence:watched',
  summary: 'The members are watched',
  description: 'With what they show now. Somebody whom you may not see, or who does not exist, is `offline`.',
  fields: v.object({ members: v.array(memberPresence) }),
});

const byId = { conversationId: recordId };

export const chatFrames = {
  sendMessage: clientFrame({
    type: 'message:send',
    summary: 'Send a message to a conversation',
    description: 'Sent again with the same `clientId`, it is the same message.',
    input: v.object({ ...byId, ...newMessage, clientId }),
    answer: messageSent,
    errors: [
      'FORBIDDEN',
      'CONVERSATION_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'REQUEST_PENDING',
      'TOO_MANY_MENTIONS',
      ...messageErrors,
      'STORAGE_QUOTA_EXCEEDED',
      'VALIDATION_ERROR',
      'RATE_LIMITED',
    ],
    limit: 'chatMessage',
    bot: 'write',
  }),
  typing: clientFrame({
    type: 'message:typing',
    summary: 'Tell the others that you are typing',
    description: 'With `typing: false`, that you have stopped.',
    input: v.object({ ...byId, typing: v.optional(v.boolean(), true) }),
    answer: undefined,
    errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MEMBER_NOT_FOUND', 'RATE_LIMITED'],
    limit: 'chatRead',
    bot: 'write',
  }),
  read: clientFrame({
    type: 'message:read',
    summary: 'Mark messages as read up to a number',
    description: 'Without `seq`, up to the last one.',
    input: v.object({ ...byId, seq: v.optional(integer(0, Number.MAX_SAFE_INTEGER)) }),
    answer: undefined,
    errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'RATE_LIMITED'],
    limit: 'chatRead',
  }),
  setPresence: clientFrame({
    type: 'presence:set',
    summary: 'Set whether you are there',
    description: 'It holds until you set another one, on any device.',
    input: v.object({ status: chosenStatus }),
    answer: undefined,
    errors: ['RATE_LIMITED'],
    limit: 'chatPresence',
  }),
  watchPresence: clientFrame({
    type: 'presence:watch',
    summary: 'Watch whether members are there',
    description: `At most ${chatLimits.watched} with whom you are in a conversation. They replace those whom the socket watched before; with an empty list it watches nobody. Changes come on \`inbox:<member id>\`.`,
    input: v.object({ memberIds: watchedMembers }),
    answer: presenceWatched,
    errors: ['RATE_LIMITED'],
    limit: 'chatRead',
  }),
  subscribe: clientFrame({
    type: 'subscribe:conversation',
    summary: 'Subscribe to a conversation',
    description: 'As `subscribe` with the topic of the conversation.',
    input: v.object(byId),
    answer: serverFrames.subscribed,
    errors: [],
    bot: 'read',
  }),
  unsubscribe: clientFrame({
    type: 'unsubscribe:conversation',
    summary: 'Unsubscribe from a conversation',
    description: '',
    input: v.object(byId),
    answer: serverFrames.unsubscribed,
    errors: [],
    bot: 'read',
  }),
};
