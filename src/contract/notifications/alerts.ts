import * as v from 'valibot';
import { operation } from '../operation.ts';
import { memberName, paragraph } from '../text.ts';
import { notificationLimits } from './limits.ts';
import { alertTypes, notification } from './notification.ts';

/** What administrators tell a member. */
export const notificationAlerts = {
  sendAlert: operation({
    id: 'notifications.send-alert',
    method: 'POST',
    path: '/api/social/notifications/system-alert',
    envelope: 'social',
    auth: 'member',
    summary: 'Notify a member of something about the node or their account',
    description:
      'For administrators. It comes as the member wants notifications of the category `system`. A `security_alert` is in the list at once, whatever the member wants.',
    input: v.object({
      recipientId: memberName,
      type: v.picklist(alertTypes, `must be one of ${alertTypes.join(', ')}`),
      content: v.pipe(paragraph(notificationLimits.alert), v.minLength(1, 'must not be empty')),
    }),
    reply: notification,
    status: 200,
    creates: true,
    message: 'Alert sent',
    errors: ['MEMBER_NOT_FOUND', 'NOTIFICATION_UNWANTED'],
  }),
};
