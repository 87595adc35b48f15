import * as v from 'valibot';
import { event, eventTopic } from '../../event.ts';
import { keyRotation } from '../../room-keys/fields.ts';
import { memberId, recordId, timestamp } from '../../text.ts';
import { chatLimits } from '../limits.ts';
import { anyPlace, place } from '../place-fields.ts';
import { memberPresence } from '../presence.ts';

/** What concerns one member in any conversation. */
export const inboxTopic = eventTopic({
  kind: 'inbox',
  parts: { memberId: 'id of the member' },
  summary: 'The conversations of a member',
  description: 'Only the member can subscribe. After a `resync` read the list of conversations again.',
});

const ofInbox = { topic: inboxTopic, replayable: true } as const;
/** What many members are told in one moment takes no number in the inbox of each. */
const passing = { topic: inboxTopic, replayable: false } as const;
const notAgain = 'After an interruption it is not sent again: read the list of conversations.';

export const inboxEvents = {
  added: event({
    ...ofInbox,
    name: 'conversation:added',
    summary: 'You are in a new conversation',
    description: 'Subscribe to it to hear of its messages.',
    data: v.object(anyPlace),
  }),
  groupCreated: event({
    ...ofInbox,
    name: 'communication:group_created',
    summary: 'You are in a new group',
    description: 'It follows `conversation:added`.',
    data: v.object({ ...place, name: v.string(), creatorId: memberId }),
  }),
  channelDeleted: event({
    ...ofInbox,
    name: 'communication:channel_deleted',
    summary: 'A channel of yours was deleted',
    description: 'It follows `conversation:removed`.',
    data: v.object({ ...place, name: v.string() }),
  }),
  removed: event({
    ...ofInbox,
    name: 'conversation:removed',
    summary: 'You are not in a conversation any more',
    description: 'You left, were removed, or it was deleted.',
    data: v.object(anyPlace),
  }),
  readElsewhere: event({
    ...ofInbox,
    name: 'conversation:read_elsewhere',
    summary: 'You read messages, on this device or on another one',
    description: '',
    data: v.object({ ...anyPlace, seq: v.number(), unread: v.number(), mentionCount: v.number() }),
  }),
  renamed: event({
    ...passing,
    name: 'conversation:renamed',
    summary: 'A group or channel of yours has another name',
    description: `Those who hear it are told by \`group_updated\` or \`channel_updated\` too. ${notAgain}`,
    data: v.object({ ...place, name: v.string() }),
  }),
  mentioned: event({
    ...passing,
    name: 'conversation:mentioned',
    summary: 'A message names you',
    description: `With \`@all\` too. It does not come from somebody from whom a block parts you, nor for your own messages. It comes for an edited message that did not name you before. ${notAgain}`,
    data: v.object({
      ...anyPlace,
      seq: v.pipe(v.number(), v.description('of the message')),
      messageId: recordId,
      threadId: v.pipe(v.nullable(recordId), v.description('the thread in which it answers')),
      senderId: memberId,
    }),
  }),
  keyChanged: event({
    ...passing,
    name: 'conversation:key_rotated',
    summary: 'A conversation of yours has a new key',
    description: `As \`communication:key_rotated\`, for conversations that you do not hear. It has no key. ${notAgain}`,
    data: v.object({ ...place, ...keyRotation }),
  }),
  threadRead: event({
    ...ofInbox,
    name: 'conversation:thread_read',
    summary: 'You read answers of a thread, on this device or on another one',
    description: 'The rest of the conversation is as unread as before.',
    data: v.object({ ...place, threadId: recordId, seq: v.number(), unread: v.number(), mentionCount: v.number() }),
  }),
  threadFollowed: event({
    ...ofInbox,
    name: 'conversation:thread_followed',
    summary: 'You chose whether you follow a thread, on this device or on another one',
    description: '',
    data: v.object({ ...place, threadId: recordId, following: v.boolean() }),
  }),
  draftChanged: event({
    ...passing,
    name: 'conversation:draft',
    summary: 'You changed or deleted a draft, on this device or on another one',
    description: 'It has no text. After an interruption read the draft when you show the conversation.',
    data: v.object({ conversationId: recordId, updatedAt: v.nullable(timestamp) }),
  }),
  scheduledChanged: event({
    ...ofInbox,
    name: 'conversation:scheduled',
    summary: 'Something became of a message of yours that is sent later',
    description:
      '`waiting`: it is new or was changed; `sent`, and `removed`: it is not in the list any more; `drafted`: it was refused and is your draft now; `failed`: it was refused, or you are not in the conversation any more. `reason` is the code of the error.',
    data: v.object({
      conversationId: recordId,
      scheduledId: recordId,
      status: v.picklist(['waiting', 'sent', 'removed', 'drafted', 'failed']),
      sendAt: timestamp,
      reason: v.nullable(v.string()),
    }),
  }),
  activity: event({
    ...passing,
    name: 'conversation:activity',
    summary: 'Something was said in a conversation of yours',
    description: `It comes once in ${chatLimits.activityMs} ms, however much is said.`,
    data: v.object({ conversationId: recordId, lastSeq: v.number() }),
  }),
  readCounts: event({
    ...passing,
    name: 'conversation:read_counts',
    summary: 'More members have read messages of yours',
    description: `Only in conversations of more than ${chatLimits.notifiesOfAll} members; in smaller ones \`message_read\` names them. It comes at most once in ${chatLimits.readCountsMs} ms for a conversation, about the newest ${chatLimits.readCountsTold} messages of all that were read. ${notAgain}`,
    data: v.object({
      ...place,
      messages: v.array(
        v.object({
          messageId: recordId,
          seq: v.number(),
          readBy: v.pipe(v.number(), v.description('as in the message, when you list or show it')),
        }),
      ),
    }),
  }),
  presenceChanged: event({
    ...passing,
    name: 'communication:presence_changed',
    summary: 'Members came, went, or set another status',
    description: `Of those who are with you in a conversation of at most ${chatLimits.tellsPresence} members, or whom you watch. It comes at most once in ${chatLimits.tellMs} ms. Your own is among them.`,
    data: v.object({ changes: v.array(memberPresence) }),
  }),
};
