import * as v from 'valibot';
import { operation } from '../operation.ts';
import { integer, memberId, memberName, timestamp } from '../text.ts';
import { calendarRoot, rangeTime, zoneName } from './fields.ts';
import { schedulingLimits, busyTypes } from './limits.ts';

const common = { envelope: 'calendar', auth: 'member', scope: 'calendar', method: 'POST', status: 200 } as const;
const root = `${calendarRoot}/scheduling`;

const dayTime = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 09:30'),
  v.examples(['09:30']),
);
const weekWindow = v.object({
  dayOfWeek: v.pipe(integer(0, 6), v.description('0 is Sunday')),
  startTime: dayTime,
  endTime: v.pipe(dayTime, v.description('at or before `startTime`: on the next day')),
});

const people = (least: 0 | 1) =>
  v.pipe(
    v.array(memberName, 'must be a list of members'),
    v.minLength(least, 'must name somebody'),
    v.maxLength(schedulingLimits.people, `must be at most ${schedulingLimits.people} members`),
  );

const range = {
  rangeStart: v.pipe(rangeTime, v.description('a day begins in the zone of the request')),
  rangeEnd: v.pipe(rangeTime, v.description(`at most ${schedulingLimits.days} days later`)),
  timezone: v.optional(v.pipe(zoneName, v.description('default: the zone of your settings'))),
};

const errors = v.pipe(
  v.record(v.string(), v.object({ code: v.picklist(['NOT_VISIBLE']), message: v.string() })),
  v.description(
    'those whose time you do not see, as you named them: they share no calendar with you and are in no group or channel of at most 200 with you, or there is no such member',
  ),
);

const busySlot = v.object({ start: timestamp, end: timestamp, type: v.picklist(busyTypes) });

const hours = v.pipe(
  v.array(weekWindow, 'must be a list of windows'),
  v.maxLength(schedulingLimits.windows, `must be at most ${schedulingLimits.windows} windows`),
);

const slot = v.object({
  start: timestamp,
  end: timestamp,
  score: v.pipe(v.number(), v.description('1,000 for each required attendee who is free, 10 for each optional one, 1')),
  requiredFreeCount: v.number(),
  optionalFreeCount: v.number(),
  duringWorkingHours: v.boolean(),
  conflicts: v.optional(v.pipe(v.array(memberId), v.description('ids of those whose time is taken'))),
});

/** When people have time, prefix `/api/cal/scheduling`. */
export const scheduling = {
  freeBusy: operation({
    ...common,
    id: 'calendar.free-busy',
    path: `${root}/free-busy`,
    summary: 'List when members are busy',
    description:
      'Times alone, never titles; what overlaps or touches is one. You see the time of members who share a calendar with you, and of those who are in a group or channel of at most 200 with you.',
    input: v.object({ userIds: people(1), ...range }),
    reply: v.object({
      freeBusy: v.array(
        v.object({
          userId: memberId,
          username: v.string(),
          slots: v.pipe(v.array(busySlot), v.description('in their order, none overlaps another one')),
        }),
      ),
      rangeStart: timestamp,
      rangeEnd: timestamp,
      timezone: v.string(),
      errors,
    }),
    message: 'Free and busy times',
    errors: [],
  }),
  findAvailableTimes: operation({
    ...common,
    id: 'calendar.find-available-times',
    path: `${root}/find-available-times`,
    summary: 'Find times at which members are free',
    description:
      'The best first, of equal ones the earliest. Without `includePartial` only times at which all required attendees are free. Those whose time you do not see are left out, and named in `errors`.',
    input: v.object({
      requiredAttendees: people(1),
      optionalAttendees: v.optional(people(0), []),
      durationMinutes: integer(1, schedulingLimits.longest),
      ...range,
      workingHours: v.optional(
        v.pipe(
          v.object({ timezone: v.optional(zoneName), windows: hours }),
          v.description('of all who have none of their own; default: Monday to Friday from 9:00 to 17:00'),
        ),
      ),
      workingHoursOf: v.optional(
        v.pipe(
          v.array(
            v.object({ userId: memberName, timezone: v.optional(zoneName), windows: hours }),
            'must be a list of members with their hours',
          ),
          v.maxLength(schedulingLimits.people, `must be at most ${schedulingLimits.people} members`),
          v.description('of single attendees'),
        ),
      ),
      slotIntervalMinutes: v.optional(
        v.pipe(
          integer(schedulingLimits.shortest, schedulingLimits.longest),
          v.description('times begin at multiples of it after midnight, as the clocks of the zone show them'),
        ),
        15,
      ),
      bufferMinutes: v.optional(
        v.pipe(integer(0, schedulingLimits.longest), v.description('that must be free before and after')),
        0,
      ),
      earliest: v.optional(v.pipe(dayTime, v.description('time of day before which none begins'))),
      latest: v.optional(v.pipe(dayTime, v.description('time of day by which each has ended'))),
      maxResults: v.optional(integer(1, schedulingLimits.found), 50),
      includePartial: v.optional(
        v.pipe(
          v.boolean('must be true or false'),
          v.description('also times at which some are not free, with their `conflicts`'),
        ),
        false,
      ),
    }),
    reply: v.object({ slots: v.array(slot), timezone: v.string(), errors }),
    message: 'Times',
    errors: [],
  }),
};
