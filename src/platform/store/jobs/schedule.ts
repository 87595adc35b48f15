import { wholeNumber } from '../../../base/whole-number.ts';

/** When a job repeats. */
export type Schedule = Every | Daily;

/** Repeats after a fixed number of milliseconds, counted from a fixed moment: a slow or failed run doesn't shift later ones. */
export interface Every {
  readonly everyMs: number;
  readonly from: number;
}

/** Once a day at a clock time, `HH:MM`, in an IANA time zone such as Europe/Berlin. */
export interface Daily {
  readonly at: string;
  readonly timeZone: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const clockTime = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** @throws RangeError */
export function assertSchedule(schedule: Schedule): void {
  if ('everyMs' in schedule) {
    if (!Number.isSafeInteger(schedule.everyMs) || schedule.everyMs < 1)
      throw new RangeError('everyMs is a whole number of milliseconds, at least 1');
    if (!Number.isSafeInteger(schedule.from) || schedule.from < 0)
      throw new RangeError('from is a moment in milliseconds since 1970');
    return;
  }
  if (!clockTime.test(schedule.at)) throw new RangeError('at is a time of the clock such as 03:30');
  // Throws RangeError for an invalid time zone.
  formatOf(schedule.timeZone);
}

/** The first moment of a schedule after `after`. However many moments were missed, the job runs once for them. */
export function nextMoment(schedule: Schedule, after: number): number {
  if (!('everyMs' in schedule)) return nextDaily(schedule, after);
  const { everyMs, from } = schedule;
  return after < from ? from : from + (Math.floor((after - from) / everyMs) + 1) * everyMs;
}

function nextDaily({ at, timeZone }: Daily, after: number): number {
  const format = formatOf(timeZone);
  const [, hours, minutes] = clockTime.exec(at) ?? [];
  const ofDay = ((wholeNumber(hours) ?? 0) * 60 + (wholeNumber(minutes) ?? 0)) * 60_000;
  const today = Math.floor(wallOf(format, after) / dayMs) * dayMs;
  for (let day = today; ; day += dayMs) {
    const moment = momentOf(format, day + ofDay);
    if (moment > after) return moment;
  }
}

/**
 * Follows RFC 5545. A time that the clock skips uses the offset before the clock was put forward, so it comes an hour late. Of a time that
 * comes twice, the first one is used.
 * @param wall the time on the clock, as if it were UTC
 */
function momentOf(format: Intl.DateTimeFormat, wall: number): number {
  const before = offsetAt(format, wall - dayMs);
  const after = offsetAt(format, wall + dayMs);
  const fits = [before, after].find((offset) => offsetAt(format, wall - offset) === offset);
  return wall - (fits ?? before);
}

function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
  return wallOf(format, moment) - Math.floor(moment / 1000) * 1000;
}

/** The time on the clock of a time zone, to the second, as if it were UTC. */
function wallOf(format: Intl.DateTimeFormat, moment: number): number {
  const shown = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, wholeNumber(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
