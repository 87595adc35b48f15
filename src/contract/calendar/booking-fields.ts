import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { email, integer, line, paragraph, recordId, timestamp } from '../text.ts';
import { calendarName, color, zoneName } from './fields.ts';
import { bookingLimits, bookingStatuses, calendarLimits, questionTypes, reservedSlugs } from './limits.ts';

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
);
const day = v.pipe(v.string('must be text'), v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-03-29'));

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

export const appointmentType = v.object({
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
  conferenceUri: v.optional(v.pipe(line(calendarLimits.uri), v.regex(/^https:\/\/\S+$/, 'must be an https address'))),
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

export const pageFields = {
  title: v.pipe(calendarName, v.maxLength(bookingLimits.title)),
  description: v.optional(paragraph(bookingLimits.description)),
  timezone: v.optional(v.pipe(zoneName, v.description('default: the zone of your settings'))),
  calendarId: v.optional(v.pipe(recordId, v.description('where bookings come; default: your default calendar'))),
  conflictCalendarIds: v.optional(
    v.pipe(
      v.array(recordId, 'must be a list of ids'),
      v.maxLength(calendarLimits.calendars),
      v.description('whose events take time; default: all your calendars'),
    ),
  ),
  appointmentTypes: v.pipe(
    v.array(appointmentType, 'must be a list'),
    v.minLength(1, 'must have at least one kind of appointment'),
    v.maxLength(bookingLimits.types, `must be at most ${bookingLimits.types}`),
  ),
  minNoticeMinutes: v.optional(integer(0, bookingLimits.notice), 240),
  maxAdvanceDays: v.optional(integer(1, bookingLimits.advance), 60),
  maxPerDay: v.optional(v.pipe(integer(1, 1_000), v.description('of all kinds together'))),
  active: v.optional(v.boolean('must be true or false'), true),
};

/** What a guest says of themselves. */
export const guestFields = {
  bookerName: v.pipe(line(bookingLimits.name), visible, keepsDirection),
  bookerEmail: email,
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
      v.array(email, 'must be a list of e-mail addresses'),
      v.maxLength(bookingLimits.guests, `must be at most ${bookingLimits.guests} guests`),
    ),
  ),
};

export const appointment = v.object({
  id: recordId,
  status: v.picklist(bookingStatuses),
  startTime: timestamp,
  endTime: timestamp,
  timezone: v.string(),
  appointmentType: v.string(),
  bookerName: v.string(),
  bookerEmail: v.string(),
  answers: v.record(v.string(), v.union([v.string(), v.boolean()])),
  notes: v.optional(v.string()),
  guests: v.array(v.string()),
  eventUid: v.string(),
  conflict: v.optional(v.pipe(v.literal(true), v.description('an event of the host collides with it'))),
});
export type Appointment = v.InferOutput<typeof appointment>;
