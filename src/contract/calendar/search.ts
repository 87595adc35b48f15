import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pageLimits } from '../page/limits.ts';
import { integer, line, trueOrFalse } from '../text.ts';
import { event } from './event.ts';
import { inCalendars } from './events.ts';
import { calendarRoot, rangeTime } from './fields.ts';
import { calendarLimits, eventStatuses, visibilities } from './limits.ts';

const common = { envelope: 'calendar', auth: 'member', scope: 'calendar', method: 'GET', status: 200 } as const;

const pages = {
  limit: v.optional(v.pipe(integer(1, 100), v.description('largest number of items on a page')), 50),
  cursor: v.optional(
    v.pipe(
      line(pageLimits.cursor),
      v.description('from the previous page; valid only for this list with these filters'),
    ),
  ),
};
const range = {
  start: v.optional(v.pipe(rangeTime, v.description('only what happens later'))),
  end: v.optional(v.pipe(rangeTime, v.description('only what happens earlier'))),
};

const found = v.object({
  ...event.entries,
  score: v.number(),
  matchedIn: v.pipe(
    v.array(v.picklist(['summary', 'location', 'attendees', 'description'])),
    v.description('where the words are'),
  ),
  nextOccurrence: v.optional(v.pipe(v.string(), v.description('when a series happens next, as an instant'))),
});
export type FoundEvent = v.InferOutput<typeof found>;
const reply = v.object({
  results: v.array(found),
  total: v.pipe(
    v.number(),
    v.description('results on this page and all earlier ones, and 1 more if there are further ones'),
  ),
  nextCursor: v.optional(v.string()),
});

/** One value or several; one of them is enough. */
const anyOf = <S extends v.GenericSchema<unknown, string>>(schema: S) =>
  v.optional(
    v.pipe(
      v.union([schema, v.pipe(v.array(schema), v.maxLength(50, 'must be at most 50 values'))]),
      v.description('may be repeated: one of them is enough'),
    ),
  );

/** Searches, prefix `/api/cal/search`. */
export const search = {
  searchEvents: operation({
    ...common,
    id: 'calendar.search',
    path: `${calendarRoot}/search`,
    summary: 'Search events for words',
    description:
      'All words must be there, in any case and with or without accents; what fits best comes first, at most 1,000 events. What you may not read of an event is not searched for you.',
    input: v.object({ q: line(calendarLimits.search), calendarIds: inCalendars, ...range, ...pages }),
    reply,
    message: 'Events',
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
  }),
  filterEvents: operation({
    ...common,
    id: 'calendar.filter',
    path: `${calendarRoot}/search/filter`,
    summary: 'List events that have certain properties',
    description: 'All conditions must hold. A series is found if an instance of it is in the range.',
    input: v.object({
      calendarId: inCalendars,
      ...range,
      attendee: anyOf(v.pipe(line(254), v.description('e-mail address, username or id'))),
      organizer: anyOf(line(254)),
      status: anyOf(v.picklist(eventStatuses, 'must be CONFIRMED, TENTATIVE or CANCELLED')),
      visibility: anyOf(v.picklist(visibilities, 'must be PUBLIC, PRIVATE or CONFIDENTIAL')),
      category: anyOf(line(calendarLimits.category)),
      recurring: v.optional(trueOrFalse),
      hasAttendees: v.optional(trueOrFalse),
      allDay: v.optional(trueOrFalse),
      ...pages,
    }),
    reply,
    message: 'Events',
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
  }),
};
