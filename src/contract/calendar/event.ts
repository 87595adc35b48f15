import * as v from 'valibot';
import { atMost, email, integer, line, memberId, memberName, paragraph, recordId, timestamp } from '../text.ts';
import { color, eventTime, permission, zoneName } from './fields.ts';
import { attendeeRoles, calendarLimits, eventStatuses, partstats, transparencies, visibilities } from './limits.ts';
import { dates, recurrenceLines, rule, shownRule } from './recurrence.ts';

/** Events, as they are given and as they are returned. */

const visibility = v.pipe(
  v.picklist(visibilities, 'must be PUBLIC, PRIVATE or CONFIDENTIAL'),
  v.description(
    'what others see who may read the calendar: all; that time is taken (`PRIVATE`); title and time (`CONFIDENTIAL`)',
  ),
);
const transparency = v.pipe(
  v.picklist(transparencies, 'must be OPAQUE or TRANSPARENT'),
  v.description('whether the time is taken (`OPAQUE`)'),
);
const status = v.picklist(eventStatuses, 'must be CONFIRMED, TENTATIVE or CANCELLED');
const attendeeRole = v.picklist(attendeeRoles, `must be one of ${attendeeRoles.join(', ')}`);
const partstat = v.picklist(partstats, `must be one of ${partstats.join(', ')}`);

const uri = v.pipe(
  line(calendarLimits.uri),
  v.regex(/^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/, 'must be an address such as https://example.org/'),
  v.examples(['https://example.org/']),
);

const conference = v.object({
  type: v.picklist(['url', 'phone'], 'must be url or phone'),
  uri,
  label: v.optional(line(255)),
  passcode: v.optional(line(255)),
});

const categories = v.pipe(
  v.array(line(calendarLimits.category), 'must be a list of texts'),
  v.maxLength(calendarLimits.categories, `must be at most ${calendarLimits.categories} categories`),
);

/** Where a duration is from: RFC 5545 3.3.6, with a sign for what lies before. */
const duration = v.pipe(
  line(40),
  v.regex(
    /^[+-]?P(?:\d{1,5}W|\d{1,5}D|(?:\d{1,5}D)?T(?:\d{1,6}H(?:\d{1,7}M)?(?:\d{1,8}S)?|\d{1,7}M(?:\d{1,8}S)?|\d{1,8}S))$/,
    'must be a duration such as PT30M or P1D',
  ),
  v.examples(['PT1H']),
);

const reminder = v.object({
  action: v.optional(v.picklist(['DISPLAY', 'EMAIL', 'AUDIO'], 'must be DISPLAY, EMAIL or AUDIO'), 'DISPLAY'),
  triggerMinutesBefore: v.optional(v.pipe(integer(-527_040, 527_040), v.description('minutes before the begin'))),
  trigger: v.optional(
    v.pipe(
      v.union([duration, timestamp], 'must be a duration such as -PT15M, or a time'),
      v.description('`-PT15M`, or a moment; instead of `triggerMinutesBefore`'),
    ),
  ),
  relatedTo: v.optional(v.picklist(['START', 'END'], 'must be START or END')),
  repeat: v.optional(integer(0, 100)),
  duration: v.optional(duration),
});

const attendeeFields = {
  userId: v.optional(memberId),
  email: v.optional(email),
  displayName: v.optional(line(255)),
  role: v.optional(attendeeRole),
  rsvp: v.optional(v.boolean('must be true or false')),
  cutype: v.optional(line(40)),
};
const givenAttendee = v.pipe(
  v.object({ ...attendeeFields, userId: v.optional(memberName), partstat: v.optional(partstat) }),
  v.check(({ userId, email: address }) => userId !== undefined || address !== undefined, 'needs userId or email'),
);

const attachment = v.object({
  uri: v.optional(uri),
  blockId: v.optional(v.string()),
  filename: v.optional(line(255)),
  contentType: v.optional(line(255)),
  size: v.optional(v.number()),
});
const givenAttachment = v.object({
  uri,
  filename: v.optional(line(255)),
  contentType: v.optional(line(255)),
});

const dateTime = v.object({
  dateTime: v.optional(eventTime),
  date: v.optional(eventTime),
  timeZone: v.optional(zoneName),
});

/** Examples are of the usual way to say something. */
const otherWay = { 'x-in-example': false } as const;

/** What a client says of an event. Times may be spelled as other programs spell them. */
export const givenEvent = {
  summary: v.optional(line(calendarLimits.summary)),
  title: v.optional(v.pipe(line(calendarLimits.summary), v.description('the same as `summary`'), v.metadata(otherWay))),
  description: v.optional(paragraph(calendarLimits.description)),
  location: v.optional(atMost(calendarLimits.location)),
  url: v.optional(v.nullable(uri)),
  categories: v.optional(categories),
  color: v.optional(v.nullable(color)),
  priority: v.optional(integer(0, 9)),
  conference: v.optional(v.nullable(conference)),
  allDay: v.optional(v.pipe(v.boolean('must be true or false'), v.metadata(otherWay))),
  dtstart: v.optional(
    v.pipe(
      eventTime,
      v.description(
        'a day if `allDay`; a wall-clock time in `dtstartTzid`; or an instant, which becomes a wall-clock time in `dtstartTzid`',
      ),
    ),
  ),
  dtstartTzid: v.optional(v.pipe(zoneName, v.description('default: the zone of the calendar'))),
  tzid: v.optional(v.pipe(zoneName, v.description('for begin and end together'), v.metadata(otherWay))),
  dtend: v.optional(
    v.pipe(eventTime, v.description('the first moment, or day, that is no part of the event any more')),
  ),
  dtendTzid: v.optional(zoneName),
  duration: v.optional(v.pipe(duration, v.description('instead of `dtend`'), v.metadata(otherWay))),
  start: v.optional(
    v.pipe(
      v.union([eventTime, dateTime]),
      v.description('`{dateTime, timeZone}` or `{date}`; instead of `dtstart`'),
      v.metadata(otherWay),
    ),
  ),
  end: v.optional(v.pipe(v.union([eventTime, dateTime]), v.description('instead of `dtend`'), v.metadata(otherWay))),
  visibility: v.optional(visibility),
  transparency: v.optional(transparency),
  status: v.optional(status),
  attendees: v.optional(
    v.pipe(
      v.array(givenAttendee, 'must be a list of attendees'),
      v.maxLength(calendarLimits.attendees, `must be at most ${calendarLimits.attendees} attendees`),
      v.metadata(otherWay),
    ),
  ),
  rrule: v.optional(v.nullable(rule)),
  recurrence: v.optional(v.pipe(recurrenceLines, v.metadata(otherWay))),
  exdates: v.optional(v.pipe(dates, v.metadata(otherWay))),
  rdates: v.optional(v.pipe(dates, v.metadata(otherWay))),
  reminders: v.optional(
    v.pipe(
      v.array(reminder, 'must be a list of reminders'),
      v.maxLength(calendarLimits.reminders, `must be at most ${calendarLimits.reminders} reminders`),
    ),
  ),
  attachments: v.optional(
    v.pipe(
      v.array(givenAttachment, 'must be a list of attachments'),
      v.maxLength(calendarLimits.attachments, `must be at most ${calendarLimits.attachments} attachments`),
    ),
  ),
};
const givenObject = v.object(givenEvent);
export type GivenEvent = v.InferOutput<typeof givenObject>;

const attendee = v.object({
  ...attendeeFields,
  email: v.optional(v.string()),
  role: attendeeRole,
  partstat,
  rsvp: v.boolean(),
  delegatedTo: v.optional(v.string()),
  delegatedFrom: v.optional(v.string()),
  comment: v.optional(v.string()),
  respondedAt: v.optional(timestamp),
  delivery: v.optional(
    v.pipe(
      v.picklist(['RELAY', 'NO_ROUTE']),
      v.description(
        'no node of the pool serves the address: `RELAY`: mail goes over the mail relay of this node; `NO_ROUTE`: nobody was told',
      ),
    ),
  ),
});
export type Attendee = v.InferOutput<typeof attendee>;

const occurrenceId = v.pipe(
  v.string(),
  v.description('the id of the event and the UTC time at which the rule put it: `<id>_20260329T120000Z`'),
);

/** An event, one instance of a series, or a series. */
export const event = v.object({
  id: v.pipe(v.string(), v.description('of the event or series; of an instance its `occurrenceId`')),
  calendarId: recordId,
  uid: v.pipe(v.string(), v.description('the same in every calendar that has the event')),
  sequence: v.number(),
  etag: v.string(),
  dateCreated: timestamp,
  dateModified: timestamp,
  summary: v.string(),
  description: v.string(),
  location: v.string(),
  url: v.optional(v.string()),
  categories: v.array(v.string()),
  color: v.optional(v.string()),
  priority: v.optional(v.number()),
  conference: v.optional(
    v.object({
      type: v.picklist(['url', 'phone']),
      uri: v.string(),
      label: v.optional(v.string()),
      passcode: v.optional(v.string()),
    }),
  ),
  allDay: v.boolean(),
  dtstart: v.pipe(v.string(), v.description('a day if `allDay`, else a wall-clock time in `dtstartTzid`')),
  dtstartTzid: v.optional(v.string()),
  dtend: v.pipe(v.string(), v.description('the first moment, or day, that is no part of the event any more')),
  dtendTzid: v.optional(v.string()),
  start: timestamp,
  end: timestamp,
  duration: v.string(),
  floating: v.optional(v.pipe(v.literal(true), v.description('at this wall-clock time in whatever zone one is'))),
  visibility,
  transparency,
  status,
  organizerId: v.optional(memberId),
  organizer: v.optional(
    v.object({ userId: v.optional(memberId), email: v.optional(v.string()), displayName: v.optional(v.string()) }),
  ),
  attendees: v.array(attendee),
  rrule: v.optional(shownRule),
  recurrence: v.optional(v.array(v.string())),
  exdates: v.array(v.string()),
  rdates: v.array(v.string()),
  recurrenceId: v.optional(v.pipe(v.string(), v.description('the time at which the rule put the instance'))),
  parentEventId: v.optional(recordId),
  occurrenceId: v.optional(occurrenceId),
  isRecurring: v.boolean(),
  isException: v.pipe(v.boolean(), v.description('an instance that was changed by itself')),
  splitFrom: v.optional(v.pipe(v.string(), v.description('the UID of the series that this one goes on with'))),
  reminders: v.array(
    v.object({
      action: v.string(),
      triggerMinutesBefore: v.optional(v.number()),
      trigger: v.string(),
      relatedTo: v.optional(v.picklist(['START', 'END'])),
      repeat: v.optional(v.number()),
      duration: v.optional(v.string()),
    }),
  ),
  attachments: v.array(attachment),
  myPermission: permission,
  myPartstat: v.optional(partstat),
  extended: v.optional(
    v.pipe(
      v.record(v.string(), v.array(v.string())),
      v.description('properties that Conclave does not know, which are kept'),
    ),
  ),
});
export type Event = v.InferOutput<typeof event>;

/** An id of an event, or of one instance of it. */
export const eventId = v.pipe(
  v.string('must be text'),
  v.regex(
    /^[0-9a-fA-F]{32}(?:_\d{8}(?:T\d{6}Z?)?)?$/,
    'must be the id of an event, or of an instance such as <id>_20260329T120000Z',
  ),
);
