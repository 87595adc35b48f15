import * as v from 'valibot';
import { notificationLimits } from '../notifications/limits.ts';
import { notification } from '../notifications/notification.ts';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { recordId } from '../text.ts';

const root = '/filevault/notifications';

export const fileNotifications = {
  listFileNotifications: operation({
    id: 'filevault.list-notifications',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List your notifications about files, the latest first',
    description:
      'Those of the category `files` among `notifications.list`. What you may no longer see is taken back. Sockets hear of them in the topic of your notifications.',
    ...paged({
      name: 'notifications',
      of: notification,
      more: { unreadCount: v.number() },
      filter: { unread: v.optional(v.picklist(['true', 'false'], 'must be true or false')) },
    }),
    status: 200,
    message: 'Notifications',
  }),
  readFileNotifications: operation({
    id: 'filevault.read-notifications',
    method: 'POST',
    path: `${root}/read`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Mark notifications about files as read',
    description: 'Either those with these ids, or all. Ids of other notifications are left alone.',
    input: v.object({
      ids: v.optional(
        v.pipe(
          v.array(recordId),
          v.minLength(1, 'must not be empty'),
          v.maxLength(notificationLimits.kept, `must be at most ${notificationLimits.kept}`),
        ),
      ),
      all: v.optional(v.literal(true)),
    }),
    reply: v.object({ marked: v.number(), unreadCount: v.number() }),
    status: 200,
    message: 'Notifications read',
    errors: [],
  }),
};
