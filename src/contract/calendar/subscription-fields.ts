import * as v from 'valibot';
import { atMost, timestamp } from '../text.ts';
import { calendarLimits, subscriptionStates } from './limits.ts';

/** What operations of calendars take and return of the address that a calendar follows. */

const { refreshHours } = calendarLimits;

export const subscriptionAddress = v.pipe(
  atMost(calendarLimits.uri),
  v.regex(/^[A-Za-z]+:\/\/\S+$/, 'must be an address such as https://example.org/calendar.ics'),
  v.description('of an iCalendar file; `webcal://` is the same as `https://`'),
  v.examples(['https://example.org/calendar.ics']),
);

export const refreshInterval = v.pipe(
  atMost(20),
  v.regex(/^P[0-9WDTHM]+$/, 'must be a duration such as PT6H or P1D'),
  v.description(
    `how often the address is read: PT${refreshHours.least}H to P${refreshHours.most / 24}D, usually PT${refreshHours.usual}H`,
  ),
  v.examples(['PT6H']),
);

export const subscriptionStatus = v.pipe(
  v.object({
    state: v.pipe(
      v.picklist(subscriptionStates),
      v.description('`pending`: not read until now. `off`: the node does not fetch calendars from elsewhere'),
    ),
    fetchedAt: v.optional(v.pipe(timestamp, v.description('when the address answered as it should'))),
    changedAt: v.optional(v.pipe(timestamp, v.description('when events differed'))),
    nextAt: timestamp,
    failures: v.pipe(v.number(), v.description('in a row; after each one the node waits longer')),
    error: v.optional(v.object({ reason: v.string(), message: v.string() })),
    leftOut: v.pipe(v.number(), v.description('events that could not be read the last time')),
  }),
  v.description('only for its owner'),
);
