import * as v from 'valibot';
import { operation } from '../operation.ts';
import { integer } from '../text.ts';

const message = 'Reminders generated';
const usually = 30;

/** Reminders for members who have not been here for long. */
export const notificationReminders = {
  remindAbsent: operation({
    id: 'notifications.remind-absent',
    method: 'POST',
    path: '/api/social/notifications/reconnect-reminders',
    envelope: 'social',
    auth: 'member',
    summary: 'Remind members who have not been here for long',
    description:
      'For administrators, and meant for a job that runs daily. A member who has not been here for `inactiveDays` gets one reminder for ' +
      'each absence, by the channels that they want for `connections`. The reminders are sent in the background. While they are, none is ' +
      'generated anew.',
    input: v.object({
      inactiveDays: v.optional(v.pipe(integer(1, 3_650), v.description(`${usually} if missing`)), usually),
    }),
    reply: v.object({ generated: v.pipe(v.number(), v.description('members who are reminded')) }),
    status: 200,
    message,
    outcomes: {
      others: [],
      of: ({ generated }) => ({ status: 200, message: `${generated} reminder${generated === 1 ? '' : 's'} generated` }),
    },
    errors: [],
  }),
};
