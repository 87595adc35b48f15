import * as v from 'valibot';
import { operation } from '../operation.ts';
import { recordId, timestamp, trueOrFalse } from '../text.ts';
import { calendarAbout, calendarName, calendarRoot, color, permission, zoneName } from './fields.ts';
import { calendarLimits } from './limits.ts';
import { refreshInterval, subscriptionAddress, subscriptionStatus } from './subscription-fields.ts';

const root = `${calendarRoot}/calendars`;
const one = `${root}/:id`;
const common = { envelope: 'calendar', auth: 'member', scope: 'calendar' } as const;

const calendar = v.object({
  id: recordId,
  ownerId: v.string(),
  displayName: v.string(),
  color: v.string(),
  description: v.string(),
  timezone: v.string(),
  isDefault: v.pipe(v.boolean(), v.description('whether invitations and bookings of the owner come here')),
  isSubscription: v.pipe(
    v.boolean(),
    v.description('whether its events come from an address elsewhere; then nobody can change them here'),
  ),
  subscriptionUrl: v.optional(
    v.pipe(v.string(), v.description('only for its owner, and not for app passwords: the address may be a secret')),
  ),
  subscriptionRefreshInterval: v.optional(v.pipe(v.string(), v.description('only for its owner'))),
  subscriptionStatus: v.optional(subscriptionStatus),
  permission,
  shareCount: v.pipe(v.number(), v.description('members that it is shared with; 0 for others than its owner')),
  ctag: v.pipe(v.string(), v.description('changes with each change of an event')),
  dateCreated: timestamp,
  dateModified: timestamp,
});
export type Calendar = v.InferOutput<typeof calendar>;
const oneCalendar = v.object({ calendar });

const byId = { id: recordId };
const isDefault = v.optional(
  v.pipe(v.boolean('must be true or false'), v.description('makes it the one for invitations and bookings')),
);

/** Calendars, prefix `/api/cal/calendars`. */
export const calendars = {
  createCalendar: operation({
    ...common,
    id: 'calendar.create',
    method: 'POST',
    path: root,
    summary: 'Create a calendar',
    description: `A member has at most ${calendarLimits.calendars}. With \`subscriptionUrl\` its events come from there, if the node allows it (\`calendar.subscriptions\`), and are only read here.`,
    input: v.object({
      displayName: calendarName,
      color: v.optional(color, '#1a73e8'),
      description: v.optional(calendarAbout, ''),
      timezone: v.optional(v.pipe(zoneName, v.description('default: the zone of your settings'))),
      isDefault,
      subscriptionUrl: v.optional(subscriptionAddress),
      subscriptionRefreshInterval: v.optional(refreshInterval),
    }),
    reply: oneCalendar,
    status: 201,
    message: 'Calendar created',
    errors: ['CALENDARS_FULL', 'SUBSCRIPTIONS_OFF', 'SUBSCRIPTIONS_FULL'],
    limit: { name: 'calendarChange' },
  }),
  listCalendars: operation({
    ...common,
    id: 'calendar.calendars',
    method: 'GET',
    path: root,
    summary: 'List your calendars, and those that are shared with you',
    description: 'Your own first, in the order of their names. The first time, a default calendar is made.',
    input: v.object({}),
    reply: v.object({ calendars: v.array(calendar) }),
    status: 200,
    message: 'Calendars',
    errors: [],
  }),
  showCalendar: operation({
    ...common,
    id: 'calendar.show',
    method: 'GET',
    path: one,
    summary: 'Show a calendar',
    description: 'For its owner, and for members with whom it is shared.',
    input: v.object(byId),
    reply: oneCalendar,
    status: 200,
    message: 'Calendar',
    errors: ['NOT_FOUND'],
  }),
  updateCalendar: operation({
    ...common,
    id: 'calendar.update',
    method: 'PATCH',
    path: one,
    summary: 'Change a calendar',
    description:
      'For its owner. Fields that are left out stay. Events keep their wall-clock times when the zone changes.',
    input: v.object({
      ...byId,
      displayName: v.optional(calendarName),
      color: v.optional(color),
      description: v.optional(calendarAbout),
      timezone: v.optional(zoneName),
      isDefault: v.optional(
        v.pipe(
          v.literal(true, 'can only be true: make another calendar the default instead'),
          v.description('makes it the one for invitations and bookings'),
        ),
      ),
      subscriptionUrl: v.optional(
        v.nullable(
          v.pipe(
            subscriptionAddress,
            v.description('another address, or the same one to read it now; null: its events stay as they are'),
          ),
        ),
      ),
      subscriptionRefreshInterval: v.optional(refreshInterval),
    }),
    reply: oneCalendar,
    status: 200,
    message: 'Calendar changed',
    errors: ['NOT_FOUND', 'SUBSCRIPTIONS_OFF'],
    limit: { name: 'calendarChange' },
  }),
  deleteCalendar: operation({
    ...common,
    id: 'calendar.delete',
    method: 'DELETE',
    path: one,
    summary: 'Delete a calendar with all its events',
    description:
      'For its owner. The default calendar can be deleted only after another one has been made the default. Events in it that are not over are cancelled for those who are invited to them, and invitations in it are declined.',
    input: v.object({
      ...byId,
      notify: v.optional(
        v.pipe(trueOrFalse, v.description('`false`: neither attendees nor organizers hear of it')),
        'true',
      ),
    }),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Calendar deleted',
    errors: ['NOT_FOUND', 'DEFAULT_CALENDAR'],
    limit: { name: 'calendarChange' },
  }),
};
