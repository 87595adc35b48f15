import * as v from 'valibot';
import { clientFrame, event, eventTopic } from '../event.ts';
import { serverFrames } from '../realtime/frames.ts';
import { recordId } from '../text.ts';
import { notification } from './notification.ts';

/** What happens to the notifications of one member. */
export const notificationsTopic = eventTopic({
  kind: 'notifications',
  parts: { memberId: 'id of the member' },
  summary: 'The notifications of a member',
  description:
    'Only the member can subscribe. Events that are sent again say what the member may see at that moment: notifications as they are in the list, without those that are hidden or gone, and the number that are unread. After a `resync` read the list again: what was withdrawn is not told again.',
});

const which = v.object({
  notificationId: v.optional(v.pipe(recordId, v.description('missing: all of them'))),
});

export const notificationEvents = {
  created: event({
    name: 'notification:new',
    topic: notificationsTopic,
    replayable: true,
    summary: 'A notification was created, or changed',
    description:
      'One that is known by its `_id` stands for one more, or for fewer: somebody took back what they did, or is hidden. Then its `count` is smaller. During quiet hours and Do Not Disturb it comes at the end of them.',
    data: v.object({ notification }),
  }),
  read: event({
    name: 'notification:read',
    topic: notificationsTopic,
    replayable: true,
    summary: 'Notifications were marked as read',
    description: 'One of them, or all.',
    data: which,
  }),
  deleted: event({
    name: 'notification:deleted',
    topic: notificationsTopic,
    replayable: true,
    summary: 'Notifications were deleted',
    description:
      'By the member, or because what they are about is over or no longer for the member. One that is only hidden comes back into the list with the right to see it.',
    data: which,
  }),
  count: event({
    name: 'notification:count',
    topic: notificationsTopic,
    replayable: true,
    summary: 'The number of unread notifications changed',
    description: 'It follows every other event of this topic.',
    data: v.object({ unreadCount: v.number() }),
  }),
};

const ofOneself = { input: v.object({}) };

export const notificationFrames = {
  subscribe: clientFrame({
    ...ofOneself,
    type: 'subscribe:notifications',
    summary: 'Subscribe to your own notifications',
    description: 'As `subscribe` with the topic of your notifications.',
    answer: serverFrames.subscribed,
    errors: [],
  }),
  unsubscribe: clientFrame({
    ...ofOneself,
    type: 'unsubscribe:notifications',
    summary: 'Unsubscribe from your notifications',
    description: '',
    answer: serverFrames.unsubscribed,
    errors: [],
  }),
};
