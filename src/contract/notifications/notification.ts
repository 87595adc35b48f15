import * as v from 'valibot';
import { memberId, recordId, timestamp } from '../text.ts';
import { notificationLimits } from './limits.ts';

/** What notifications are about. Members switch each category on or off. */
export const categories = [
  'social',
  'messages',
  'connections',
  'system',
  'quorum',
  'mail',
  'files',
  'calendar',
] as const;
export type NotificationCategory = (typeof categories)[number];

export const alertTypes = ['system_alert', 'security_alert', 'feature_announcement'] as const;

const types = [
  'like',
  'reply',
  'mention',
  'follow',
  'follow_request',
  'repost',
  'quote',
  'hub_moderation',
  'new_message',
  'message_request',
  'message_reaction',
  'message_mention',
  'room_added',
  ...alertTypes,
  'reconnect_reminder',
  'quorum_vote_wanted',
  'quorum_decision',
  'quorum_share_wanted',
  'quorum_confirmation_wanted',
  'quorum_holders_changed',
  'new_email',
  'email_failed',
  'file_shared',
  'file_share_revoked',
  'file_link_opened',
  'file_approval_wanted',
  'file_approval_decided',
  'file_destruction',
  'file_quota',
  'file_canary',
  'booking_created',
  'booking_cancelled',
  'event_invitation',
  'event_changed',
  'event_cancelled',
  'event_reply',
  'event_reminder',
] as const;
export type NotificationType = (typeof types)[number];

export const notification = v.object({
  _id: recordId,
  recipientId: memberId,
  type: v.picklist(types),
  category: v.picklist(categories),
  content: v.pipe(v.string(), v.description('one sentence, for people')),
  actorId: v.optional(v.pipe(memberId, v.description('the member who caused it, the last one of several'))),
  actorIds: v.optional(
    v.pipe(
      v.array(memberId),
      v.maxLength(notificationLimits.actors),
      v.description('if several members caused it: the latest of them, the last one first'),
    ),
  ),
  actorCount: v.optional(v.pipe(v.number(), v.description('if several members caused it: how many'))),
  targetId: v.optional(v.pipe(v.string(), v.description('id of what it is about'))),
  groupKey: v.pipe(v.string(), v.description('equal for notifications of one type about one thing')),
  count: v.pipe(v.number(), v.description('so many within an hour became this one')),
  isRead: v.boolean(),
  createdAt: timestamp,
  updatedAt: v.pipe(timestamp, v.description('of the last one of several')),
});
export type Notification = v.InferOutput<typeof notification>;
