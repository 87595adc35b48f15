import * as v from 'valibot';
import { operation } from '../operation.ts';
import { actorField, line, memberId, timestamp } from '../text.ts';
import { notificationLimits } from './limits.ts';
import { categories } from './notification.ts';

const root = '/api/social/notifications/preferences';

const channels = ['in_app', 'email', 'push'] as const;

const onOff = v.boolean('must be true or false');

const category = v.object({
  enabled: onOff,
  channels: v.pipe(
    v.array(v.picklist(channels, `must be one of ${channels.join(', ')}`)),
    v.maxLength(channels.length, `must be at most ${channels.length}`),
  ),
});
const channelSettings = v.object({ in_app: onOff, email: onOff, push: onOff });

type Each<T> = { readonly [C in (typeof categories)[number]]: T };

function each<T>(of: T): Each<T> {
  return Object.fromEntries(categories.map((name) => [name, of])) as Each<T>;
}

const clock = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the clock, HH:MM'),
);

const preferences = v.object({
  userId: memberId,
  categorySettings: v.object(each(category)),
  channelSettings,
  quietHours: v.object({ enabled: onOff, startTime: clock, endTime: clock, timezone: v.string() }),
  dndConfig: v.object({ enabled: onOff, expiresAt: v.nullable(timestamp) }),
  soundEnabled: onOff,
});
export type NotificationPreferences = v.InferOutput<typeof preferences>;

const stored = {
  envelope: 'social',
  auth: 'member',
  reply: preferences,
  status: 200,
  message: 'Preferences stored',
  errors: [],
} as const;

export const notificationPreferences = {
  showPreferences: operation({
    id: 'notifications.show-preferences',
    method: 'GET',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'Show which notifications you want',
    description: 'Nothing is found until you have stored some. Everything is on until then.',
    input: v.object({ userId: actorField }),
    reply: preferences,
    status: 200,
    message: 'Preferences',
    errors: ['PREFERENCES_NOT_FOUND'],
  }),
  updatePreferences: operation({
    ...stored,
    id: 'notifications.update-preferences',
    method: 'PUT',
    path: root,
    summary: 'Choose which notifications you want',
    description:
      'What is left out stays as it is. A notification comes by each channel that its category has and that is on: `in_app` is the list, ' +
      '`push` goes to subscribed browsers, and `email` is a digest of what is unread. A category that is not enabled comes by none.',
    input: v.object({
      userId: actorField,
      categorySettings: v.optional(v.partial(v.object(each(category)))),
      channelSettings: v.optional(v.partial(channelSettings)),
      soundEnabled: v.optional(onOff),
    }),
  }),
  setQuietHours: operation({
    ...stored,
    id: 'notifications.set-quiet-hours',
    method: 'POST',
    path: `${root}/quiet-hours`,
    summary: 'Set hours of each day in which notifications wait',
    description:
      'They are delivered when the hours end. To enable them takes a start, an end and a time zone; without `enabled` they end, and what ' +
      'waits is delivered.',
    input: v.object({
      userId: actorField,
      enabled: onOff,
      startTime: v.optional(clock),
      endTime: v.optional(clock),
      timezone: v.optional(v.pipe(line(notificationLimits.timeZone), v.description('IANA time zone'))),
    }),
  }),
  setDoNotDisturb: operation({
    ...stored,
    id: 'notifications.set-do-not-disturb',
    method: 'POST',
    path: `${root}/dnd`,
    summary: 'Turn Do Not Disturb on or off',
    description: 'All notifications wait until it expires or is turned off, and are delivered then.',
    input: v.object({
      userId: actorField,
      enabled: onOff,
      expiresAt: v.optional(v.nullable(v.pipe(timestamp, v.description('in the future; until turned off if missing')))),
    }),
  }),
};
