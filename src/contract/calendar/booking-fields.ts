import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { email, integer, line, paragraph, recordId, timestamp } from '../text.ts';
import { calendarName, color, zoneName } from './fields.ts';
import { bookingLimits, bookingStatuses, calendarLimits, deliveries, questionTypes, reservedSlugs } from './limits.ts';

/** Booking pages: what a host offers, what guests see of it, and what they book. */

export const slug = v.pipe(
  v.string('must be text'),
  v.regex(
    /^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$/,
    'must be 3 to 64 lower-case letters, digits and hyphens, with no hyphen at the ends',
  ),
  v.check((text) => !(reservedSlugs as readonly string[]).includes(text), 'is reserved: choose another one'),
);

const time = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 09:30'),
  v.examples(['09:30']),
);
export const day = v.pipe(
  v.string('must be text'),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-03-29'),
  v.examples(['2026-03-29']),
);

const window = v.object({
  dayOfWeek: v.pipe(integer(0, 6), v.description('0 is Sunday')),
  startTime: time,
  endTime: v.pipe(time, v.description('at or before `startTime`: on the next day')),
});
const dayWindow = v.object({ startTime: time, endTime: time });

const question = v.object({
  id: v.optional(v.pipe(line(40), v.regex(/^[\w-]+$/, 'must be letters, digits, _ and -'))),
  label: v.pipe(line(bookingLimits.label), visible),
  type: v.picklist(questionTypes, `must be one of ${questionTypes.join(', ')}`),
  required: v.optional(v.boolean('must be true or false'), false),
  options: v.optional(
    v.pipe(
      v.array(line(bookingLimits.option), 'must be a list of texts'),
      v.maxLength(bookingLimits.options, `must be at most ${bookingLimits.options} options`),
    ),
  ),
});

const minutes = (min: number, max: number) => integer(min, max);

const appointmentType = v.object({
  id: v.optional(recordId),
  name: calendarName,
  description: v.optional(paragraph(bookingLimits.description)),
  durationMinutes: minutes(bookingLimits.shortest, bookingLimits.longest),
  slotIntervalMinutes: v.optional(
    v.pipe(minutes(bookingLimits.shortest, bookingLimits.longest), v.description('default: the duration')),
  ),
  bufferMinutes: v.optional(v.pipe(minutes(0, bookingLimits.buffer), v.description('before and after'))),
  bufferBeforeMinutes: v.optional(minutes(0, bookingLimits.buffer)),
  bufferAfterMinutes: v.optional(minutes(0, bookingLimits.buffer)),
  availableWindows: v.pipe(
    v.array(window, 'must be a list of windows'),
    v.maxLength(bookingLimits.windows, `must be at most ${bookingLimits.windows} windows`),
    v.description('wall-clock times in the zone of the page'),
  ),
  dateOverrides: v.optional(
    v.pipe(
      v.array(
        v.object({
          date: day,
          windows: v.pipe(v.array(dayWindow, 'must be a list of windows'), v.maxLength(bookingLimits.windows)),
        }),
        'must be a list of days',
      ),
      v.maxLength(bookingLimits.overrides, `must be at most ${bookingLimits.overrides} days`),
      v.description('days with other windows, or with none'),
    ),
  ),
  location: v.optional(line(calendarLimits.location)),
  conferenceUri: v.optional(
    v.pipe(
      line(calendarLimits.uri),
      v.regex(/^https:\/\/\S+$/, 'must be an https address'),
      v.examples(['https://meet.example/ada']),
    ),
  ),
  questions: v.optional(
    v.pipe(
      v.array(question, 'must be a list of questions'),
      v.maxLength(bookingLimits.questions, `must be at most ${bookingLimits.questions} questions`),
    ),
  ),
  maxPerDay: v.optional(integer(1, 1_000)),
  maxPerWeek: v.optional(integer(1, 5_000)),
  seats: v.optional(integer(1, bookingLimits.seats), 1),
  requiresConfirmation: v.optional(v.boolean('must be true or false'), false),
  color: v.optional(color),
  active: v.optional(v.boolean('must be true or false'), true),
});
export type GivenAppointmentType = v.InferOutput<typeof appointmentType>;

const title = v.pipe(calendarName, v.maxLength(bookingLimits.title));
const about = paragraph(bookingLimits.description);
const zone = v.pipe(zoneName, v.description('default: the zone of your settings'));
const target = v.pipe(recordId, v.description('where bookings come; default: your default calendar'));
const conflicts = v.pipe(
  v.array(recordId, 'must be a list of ids'),
  v.maxLength(calendarLimits.calendars),
  v.description('whose events take time; default: all your calendars'),
);
const types = v.pipe(
  v.array(appointmentType, 'must be a list'),
  v.minLength(1, 'must have at least one kind of appointment'),
  v.maxLength(bookingLimits.types, `must be at most ${bookingLimits.types}`),
);
const notice = integer(0, bookingLimits.notice);
const advance = integer(1, bookingLimits.advance);
const ofAllKinds = v.pipe(integer(1, 1_000), v.description('of all kinds together'));
const isActive = v.boolean('must be true or false');

export const pageFields = {
  title,
  description: v.optional(about, ''),
  timezone: v.optional(zone),
  calendarId: v.optional(target),
  conflictCalendarIds: v.optional(conflicts),
  appointmentTypes: types,
  minNoticeMinutes: v.optional(notice, 240),
  maxAdvanceDays: v.optional(advance, 60),
  maxPerDay: v.optional(ofAllKinds),
  active: v.optional(isActive, true),
};

/** What is left out stays as it is. */
export const pageChanges = {
  title: v.optional(title),
  description: v.optional(about),
  timezone: v.optional(zone),
  calendarId: v.optional(v.nullable(target)),
  conflictCalendarIds: v.optional(v.nullable(conflicts)),
  appointmentTypes: v.optional(types),
  minNoticeMinutes: v.optional(notice),
  maxAdvanceDays: v.optional(advance),
  maxPerDay: v.optional(v.nullable(ofAllKinds)),
  active: v.optional(isActive),
};

const knownQuestion = v.object({
  id: v.string(),
  label: v.string(),
  type: v.picklist(questionTypes),
  required: v.boolean(),
  options: v.optional(v.array(v.string())),
});
export type Question = v.InferOutput<typeof knownQuestion>;

/** What everybody sees of a kind of appointment. */
const offered = {
  id: recordId,
  name: v.string(),
  description: v.string(),
  durationMinutes: v.number(),
  location: v.optional(v.string()),
  questions: v.array(knownQuestion),
  seats: v.number(),
  requiresConfirmation: v.boolean(),
  color: v.optional(v.string()),
};
const offer = v.object(offered);

/** A kind of appointment as its host sees it, and as it is stored. */
const knownType = v.object({
  ...offered,
  slotIntervalMinutes: v.number(),
  bufferBeforeMinutes: v.number(),
  bufferAfterMinutes: v.number(),
  availableWindows: v.array(v.object({ dayOfWeek: v.number(), startTime: v.string(), endTime: v.string() })),
  dateOverrides: v.array(
    v.object({ date: v.string(), windows: v.array(v.object({ startTime: v.string(), endTime: v.string() })) }),
  ),
  conferenceUri: v.optional(v.string()),
  maxPerDay: v.optional(v.number()),
  maxPerWeek: v.optional(v.number()),
  active: v.boolean(),
});
export type AppointmentType = v.InferOutput<typeof knownType>;

/** A booking page, for its host. */
export const bookingPage = v.object({
  id: recordId,
  slug: v.string(),
  url: v.pipe(v.string(), v.description('where guests book')),
  title: v.string(),
  description: v.string(),
  timezone: v.string(),
  calendarId: v.optional(recordId),
  conflictCalendarIds: v.optional(v.array(recordId)),
  appointmentTypes: v.array(knownType),
  minNoticeMinutes: v.number(),
  maxAdvanceDays: v.number(),
  maxPerDay: v.optional(v.number()),
  active: v.boolean(),
  dateCreated: timestamp,
  dateModified: timestamp,
});
export type BookingPage = v.InferOutput<typeof bookingPage>;

/** The same for guests. */
export const publicPage = v.object({
  slug: v.string(),
  title: v.string(),
  description: v.string(),
  timezone: v.string(),
  host: v.object({ displayName: v.string() }),
  appointmentTypes: v.array(offer),
  minNoticeMinutes: v.number(),
  maxAdvanceDays: v.number(),
});
export type PublicPage = v.InferOutput<typeof publicPage>;

export const slot = v.object({
  start: timestamp,
  end: timestamp,
  startLocal: v.pipe(v.string(), v.description('with the offset of the zone that was asked for')),
  seatsLeft: v.optional(v.pipe(v.number(), v.description('if there is more than one seat'))),
});
export type Slot = v.InferOutput<typeof slot>;

const guestEmail = v.pipe(email, v.examples(['ada@example.org']));

/** What a guest says of themselves. */
export const guestFields = {
  bookerName: v.pipe(line(bookingLimits.name), visible, keepsDirection),
  bookerEmail: guestEmail,
  answers: v.optional(
    v.pipe(
      v.record(v.string(), v.union([paragraph(bookingLimits.answer), v.boolean()], 'must be text, or true or false')),
      v.description('by the id of the question'),
    ),
    {},
  ),
  notes: v.optional(paragraph(bookingLimits.answer)),
  guests: v.optional(
    v.pipe(
      v.array(guestEmail, 'must be a list of e-mail addresses'),
      v.maxLength(bookingLimits.guests, `must be at most ${bookingLimits.guests} guests`),
    ),
  ),
};

export const appointment = v.object({
  id: recordId,
  page: v.pipe(v.string(), v.description('the slug of its page')),
  host: v.optional(v.pipe(v.object({ displayName: v.string() }), v.description('for the guest'))),
  status: v.picklist(bookingStatuses),
  startTime: timestamp,
  endTime: timestamp,
  timezone: v.string(),
  appointmentType: v.pipe(v.string(), v.description('its name when it was booked')),
  appointmentTypeId: recordId,
  bookerName: v.string(),
  bookerEmail: v.string(),
  answers: v.record(v.string(), v.union([v.string(), v.boolean()])),
  notes: v.optional(v.string()),
  reason: v.optional(v.pipe(v.string(), v.description('why it was cancelled or rejected'))),
  guests: v.array(v.string()),
  eventUid: v.string(),
  location: v.optional(v.string()),
  conferenceUri: v.optional(v.pipe(v.string(), v.description('once it is confirmed'))),
  delivery: v.pipe(
    v.picklist(deliveries),
    v.description(
      '`MAIL`: a node of the pool serves the address of the guest; `RELAY`: no node does, and e-mail goes over the mail relay of this node; `NO_ROUTE`: the guest gets no e-mail',
    ),
  ),
  dateCreated: timestamp,
  conflict: v.optional(v.pipe(v.literal(true), v.description('an event of the host collides with it'))),
});
export type Appointment = v.InferOutput<typeof appointment>;
