import { wholeNumber } from '../../../base/whole-number.ts';
import { DAY } from '../recurrence/civil.ts';
import type { TimeRange } from '../events/range.ts';
import type { Zones } from '../recurrence/zones.ts';

const MINUTE = 60_000;

export interface WeekWindow {
  /** 0 is Sunday */
  readonly dayOfWeek: number;
  /** `09:30`; an end that is not after the begin is on the next day */
  readonly startTime: string;
  readonly endTime: string;
}

/** Monday to Friday from 9:00 to 17:00. */
export const usualWindows: readonly WeekWindow[] = [1, 2, 3, 4, 5].map((dayOfWeek) => ({
  dayOfWeek,
  startTime: '09:00',
  endTime: '17:00',
}));

/** Milliseconds since midnight. */
export function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map((part) => wholeNumber(part));
  return (hours * 60 + minutes) * MINUTE;
}

/** The hours of a week as stretches of time around a range, in their order; what overlaps or touches is one. */
export function hoursIn(
  windows: readonly WeekWindow[],
  zone: string,
  { from, to }: TimeRange,
  zones: Zones,
): TimeRange[] {
  const first = Math.floor(zones.toWall(zone, from) / DAY) - 1;
  const last = Math.floor(zones.toWall(zone, to) / DAY);
  const found: TimeRange[] = [];
  for (let day = first; day <= last; day += 1)
    for (const { dayOfWeek, startTime, endTime } of windows) {
      // The first of January 1970 was a Thursday.
      if ((((day + 4) % 7) + 7) % 7 !== dayOfWeek) continue;
      const [start, end] = [timeOfDay(startTime), timeOfDay(endTime)];
      const ends = end > start ? end : end + DAY;
      found.push({ from: zones.toUtc(zone, day * DAY + start), to: zones.toUtc(zone, day * DAY + ends) });
    }
  found.sort((one, other) => one.from - other.from || one.to - other.to);
  const merged: TimeRange[] = [];
  for (const one of found) {
    const before = merged.at(-1);
    if (before !== undefined && one.from <= before.to)
      merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, one.to) };
    else merged.push(one);
  }
  return merged;
}
