import { wholeNumber } from '../../whole-number.ts';

/** When something comes again. */
export type Schedule = Every | Daily;

/** Every so many milliseconds, counted from a moment, so that what took long or failed shifts nothing. */
export interface Every {
  readonly everyMs: number;
  readonly from: number;
}

/** Once a day at a time of the clock, `HH:MM`, in a time zone of the IANA, such as Europe/Berlin. */
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
  // Throws RangeError for what is none.
  formatOf(schedule.timeZone);
}

/** The first moment of a schedule that is later than `after`, however many lie before it: what was missed comes once. */
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
 * As RFC 5545 has it: a time that the clock skips counts by the offset before it was put forward, so it comes an hour late; one that
 * comes twice is the first.
 * @param wall what the clock shows, as if it were UTC
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

/** What the clock of a time zone shows, to the second, as if it were UTC. */
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
