import * as v from 'valibot';
import { ifMatch } from '../if-match.ts';
import { operation } from '../operation.ts';
import { pageLimits } from '../page/limits.ts';
import { integer, line, recordId, trueOrFalse } from '../text.ts';
import { event, eventId, givenEvent } from './event.ts';
import { calendarRoot, eventTime, rangeTime, zoneName } from './fields.ts';
import { calendarLimits, modificationModes } from './limits.ts';

const root = `${calendarRoot}/events`;
const one = `${root}/:id`;
const common = { envelope: 'calendar', auth: 'member', scope: 'calendar' } as const;

const byId = { id: eventId };
const oneEvent = v.object({ event });

const aliases = {
  this: 'single',
  following: 'thisAndFuture',
  thisAndFollowing: 'thisAndFuture',
} as const;
const mode = v.optional(
  v.pipe(
    v.picklist([...modificationModes, 'this', 'following', 'thisAndFollowing'], 'must be single, thisAndFuture or all'),
    v.description(
      'which events of a series: `single`, `thisAndFuture` or `all`; default: `all` for the id of a series, `single` for that of an instance',
    ),
    v.transform((name) =>
      name in aliases ? aliases[name as keyof typeof aliases] : (name as (typeof modificationModes)[number]),
    ),
  ),
);
const ofInstance = v.optional(
  v.pipe(
    eventTime,
    v.description(
      'the time at which the rule put the instance; needed for `single` and `thisAndFuture` with the id of a series',
    ),
  ),
);

/** One calendar, or several. */
export const inCalendars = v.optional(
  v.pipe(
    v.union(
      [recordId, v.pipe(v.array(recordId), v.maxLength(calendarLimits.calendars * 2, 'must be at most 200 ids'))],
      'must be the id of a calendar',
    ),
    v.description('may be repeated; default: all that you can see'),
  ),
);

const range = {
  start: v.optional(v.pipe(rangeTime, v.description('events that end later'))),
  end: v.optional(v.pipe(rangeTime, v.description('events that begin earlier'))),
};
const inZone = v.optional(
  v.pipe(zoneName, v.description('in which days of the range begin; default: the zone of your settings')),
);

const notifies = v.optional(
  v.pipe(v.boolean('must be true or false'), v.description('`false`: attendees hear nothing of it')),
  true,
);

/** Events, prefix `/api/cal/events`. */
export const events = {
  createEvent: operation({
    ...common,
    id: 'calendar.create-event',
    method: 'POST',
    path: root,
    summary: 'Create an event',
    description:
      'In your default calendar, or one that you may change. With a rule it is a series. A UID that the calendar has is refused with `CONFLICT`.',
    input: v.object({
      calendarId: v.optional(v.pipe(recordId, v.description('default: your default calendar'))),
      uid: v.optional(line(calendarLimits.uid)),
      notify: notifies,
      ...givenEvent,
    }),
    reply: oneEvent,
    status: 201,
    message: 'Event created',
    errors: ['NOT_FOUND', 'CONFLICT', 'EVENTS_FULL', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'calendarChange' },
    headers: ({ event: { etag } }) => ({ etag: `"${etag}"` }),
  }),
  listEvents: operation({
    ...common,
    id: 'calendar.events',
    method: 'GET',
    path: root,
    summary: 'List events',
    description: `With a range, all instances that overlap it, in the order of their begins; without, events and series as they are stored. A range is at most ${calendarLimits.rangeDays} days, and has at most ${calendarLimits.instances} instances. With \`syncToken\`, only what has changed since: \`deleted\` has the ids of what is gone.`,
    input: v.object({
      calendarId: inCalendars,
      ...range,
      from: v.optional(v.pipe(rangeTime, v.description('the same as `start`'))),
      to: v.optional(v.pipe(rangeTime, v.description('the same as `end`'))),
      timeMin: v.optional(v.pipe(rangeTime, v.description('the same as `start`'))),
      timeMax: v.optional(v.pipe(rangeTime, v.description('the same as `end`'))),
      expand: v.optional(
        v.pipe(trueOrFalse, v.description('`false`: series instead of their instances; default: `true` with a range')),
      ),
      timezone: inZone,
      updatedSince: v.optional(v.pipe(rangeTime, v.description('only what was changed later'))),
      syncToken: v.optional(
        v.pipe(line(200), v.description('of an earlier list of the same calendar, without a range')),
      ),
      limit: v.optional(
        v.pipe(integer(1, calendarLimits.mostOnPage), v.description('largest number of items on a page')),
        calendarLimits.page,
      ),
      cursor: v.optional(
        v.pipe(
          line(pageLimits.cursor),
          v.description('from the previous page; valid only for this list with these filters'),
        ),
      ),
    }),
    reply: v.object({
      events: v.array(event),
      deleted: v.optional(v.array(v.string())),
      nextCursor: v.optional(v.pipe(v.string(), v.description('cursor of the next page; missing on the last one'))),
      syncToken: v.optional(
        v.pipe(v.string(), v.description('on the last page, if the list is of one calendar without a range')),
      ),
    }),
    status: 200,
    message: 'Events',
    errors: ['NOT_FOUND', 'INVALID_CURSOR', 'SYNC_TOKEN_EXPIRED'],
  }),
  showEvent: operation({
    ...common,
    id: 'calendar.event',
    method: 'GET',
    path: one,
    summary: 'Show an event, a series, or one instance of it',
    description: 'An instance has the id of its series and the UTC time at which the rule put it.',
    input: v.object(byId),
    reply: oneEvent,
    status: 200,
    message: 'Event',
    errors: ['NOT_FOUND'],
    headers: ({ event: { etag } }) => ({ etag: `"${etag}"` }),
  }),
  listInstances: operation({
    ...common,
    id: 'calendar.instances',
    method: 'GET',
    path: `${one}/instances`,
    summary: 'List instances of a series',
    description: `In the order of their begins, at most ${calendarLimits.instances} in a range.`,
    input: v.object({ id: recordId, start: rangeTime, end: rangeTime, timezone: inZone }),
    reply: v.object({ events: v.array(event) }),
    status: 200,
    message: 'Instances',
    errors: ['NOT_FOUND'],
  }),
  updateEvent: operation({
    ...common,
    id: 'calendar.update-event',
    method: 'PATCH',
    path: one,
    summary: 'Change an event',
    description:
      'Fields that are left out stay. `single` changes one instance, `thisAndFuture` splits the series there, `all` changes it as a whole: what was changed in single instances moves along. Who changes only the begin keeps the length. Attendees who are not the organizer may change their reminders, categories and transparency.',
    input: v.object({
      ...byId,
      ifMatch,
      modificationMode: mode,
      recurrenceId: ofInstance,
      sequence: v.optional(
        v.pipe(
          integer(0, Number.MAX_SAFE_INTEGER),
          v.description('that the event must have, or the change is refused'),
        ),
      ),
      calendarId: v.optional(
        v.pipe(
          recordId,
          v.description('moves it there, with all its instances; needs the right to change events in both calendars'),
        ),
      ),
      notify: notifies,
      ...givenEvent,
    }),
    reply: v.object({
      event,
      droppedOverrides: v.optional(
        v.pipe(
          v.array(v.string()),
          v.description('instances that were changed by themselves and that the rule no longer has'),
        ),
      ),
    }),
    status: 200,
    message: 'Event changed',
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'SEQUENCE_CONFLICT',
      'PRECONDITION_FAILED',
      'STORAGE_QUOTA_EXCEEDED',
      'EVENTS_FULL',
    ],
    limit: { name: 'calendarChange' },
    headers: ({ event: { etag } }) => ({ etag: `"${etag}"` }),
  }),
  deleteEvent: operation({
    ...common,
    id: 'calendar.delete-event',
    method: 'DELETE',
    path: one,
    summary: 'Delete an event, a series, or instances of it',
    description:
      'Whoever asks for changes with a `syncToken` learns of it for 90 days. If the owner of the calendar organizes the event, attendees hear that it is cancelled; if somebody else does, they hear that it is declined.',
    input: v.object({
      ...byId,
      ifMatch,
      mode,
      modificationMode: mode,
      recurrenceId: ofInstance,
      notify: v.optional(
        v.pipe(trueOrFalse, v.description('`false`: neither attendees nor the organizer hear of it')),
        'true',
      ),
    }),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Event deleted',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    limit: { name: 'calendarChange' },
  }),
};
