import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { recordId, trueOrFalse } from '../text.ts';
import { notificationLimits } from './limits.ts';
import { notification } from './notification.ts';

const root = '/api/social/notifications';
const one = `${root}/:notificationId`;

const byId = v.object({ notificationId: recordId });

/** What a member has been told: the list, and what is done with it. */
export const notificationInbox = {
  list: operation({
    id: 'notifications.list',
    method: 'GET',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'List your notifications, the latest first',
    description: `Those that wait for the end of quiet hours are missing. At most ${notificationLimits.kept} are kept; read ones go first.`,
    ...paged({
      name: 'notifications',
      of: notification,
      filter: {
        unread: v.optional(v.pipe(trueOrFalse, v.description('only unread ones, or only the others'))),
      },
    }),
    status: 200,
    message: 'Notifications',
  }),
  unreadCount: operation({
    id: 'notifications.unread-count',
    method: 'GET',
    path: `${root}/unread-count`,
    envelope: 'social',
    auth: 'member',
    summary: 'Count your unread notifications',
    description: 'Sockets hear every change of it as `notification:count`.',
    input: v.object({}),
    reply: v.object({ unreadCount: v.number() }),
    status: 200,
    message: 'Unread notifications',
    errors: [],
  }),
  markRead: operation({
    id: 'notifications.mark-read',
    method: 'POST',
    path: `${one}/read`,
    envelope: 'social',
    auth: 'member',
    summary: 'Mark a notification as read',
    description: 'To mark one that is read changes nothing.',
    input: byId,
    reply: v.object({ notification }),
    status: 200,
    message: 'Notification read',
    errors: ['NOTIFICATION_NOT_FOUND'],
  }),
  markAllRead: operation({
    id: 'notifications.mark-all-read',
    method: 'POST',
    path: `${root}/read-all`,
    envelope: 'social',
    auth: 'member',
    summary: 'Mark all your notifications as read',
    description: 'Those that wait for the end of quiet hours stay unread.',
    input: v.object({}),
    reply: v.object({ marked: v.number(), unreadCount: v.number() }),
    status: 200,
    message: 'Notifications read',
    errors: [],
  }),
  remove: operation({
    id: 'notifications.remove',
    method: 'DELETE',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Delete a notification',
    description: 'It is gone for good. What it is about stays.',
    input: byId,
    reply: v.object({ notificationId: recordId }),
    status: 200,
    message: 'Notification deleted',
    errors: ['NOTIFICATION_NOT_FOUND'],
  }),
  removeAll: operation({
    id: 'notifications.remove-all',
    method: 'DELETE',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'Delete all your notifications',
    description: 'Read and unread ones. Those that wait for the end of quiet hours stay.',
    input: v.object({}),
    reply: v.object({ deleted: v.number() }),
    status: 200,
    message: 'Notifications deleted',
    errors: [],
  }),
};
