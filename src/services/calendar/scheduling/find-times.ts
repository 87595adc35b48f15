import { DAY } from '../recurrence/civil.ts';
import type { TimeRange } from '../events/range.ts';
import type { Zones } from '../recurrence/zones.ts';

export interface Invitee {
  readonly id: string;
  readonly required: boolean;
  /** in their order, none overlaps another one */
  readonly busy: readonly Pick<TimeSlot, 'start' | 'end'>[];
  /** working hours around the range, likewise */
  readonly hours: readonly TimeRange[];
}

/** What is looked for. Lengths are milliseconds. */
export interface WantedTime {
  readonly invitees: readonly Invitee[];
  readonly range: TimeRange;
  readonly duration: number;
  /** begins lie at multiples of it after midnight */
  readonly interval: number;
  /** that must be free before and after */
  readonly buffer: number;
  /** milliseconds since midnight */
  readonly earliest: number;
  readonly latest: number;
  readonly most: number;
  readonly partial: boolean;
}

export interface TimeSlot {
  /** milliseconds since 1970; the end is no part of it */
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly requiredFree: number;
  readonly optionalFree: number;
  readonly duringWorkingHours: boolean;
  /** ids of those whose time is taken, in the order in which they were given */
  readonly conflicts: readonly string[];
}

/** The best slots first; of equal ones the earliest. @param zone whose clocks show the begins */
export function findTimes(wanted: WantedTime, zone: string, zones: Zones): TimeSlot[] {
  const { invitees, duration, buffer, most, partial } = wanted;
  const walkers = invitees.map((invitee) => ({ invitee, busy: walker(invitee.busy), hours: walker(invitee.hours) }));
  const found: TimeSlot[] = [];
  for (const start of begins(wanted, zone, zones)) {
    const end = start + duration;
    let [requiredFree, optionalFree, working] = [0, 0, true];
    const conflicts: string[] = [];
    for (const { invitee, busy, hours } of walkers) {
      const next = busy(start - buffer, ({ end: until }) => until);
      if (next !== undefined && next.start < end + buffer) conflicts.push(invitee.id);
      else if (invitee.required) requiredFree += 1;
      else optionalFree += 1;
      const at = hours(start, ({ to }) => to);
      if (invitee.required) working &&= at !== undefined && at.from <= start && end <= at.to;
    }
    if (!partial && walkers.some(({ invitee }) => invitee.required && conflicts.includes(invitee.id))) continue;
    const score = requiredFree * 1000 + optionalFree * 10 + (working ? 1 : 0);
    found.push({ start, end, score, requiredFree, optionalFree, duringWorkingHours: working, conflicts });
  }
  return found.sort((one, other) => other.score - one.score || one.start - other.start).slice(0, most);
}

/** Finds the first item that ends later than a moment. Moments that are asked for never go back, so that all are walked once. */
function walker<Item>(items: readonly Item[]): (moment: number, endOf: (item: Item) => number) => Item | undefined {
  let at = 0;
  return (moment, endOf) => {
    for (let item = items[at]; item !== undefined && endOf(item) <= moment; item = items[at]) at += 1;
    return items[at];
  };
}

/**
 * When slots may begin, in their order: where the clocks of the zone show a multiple of the interval. Times that the clocks skip are none, and those
 * that they show twice are two.
 */
function begins(
  { range: { from, to }, duration, interval, earliest, latest }: WantedTime,
  zone: string,
  zones: Zones,
): number[] {
  const first = Math.floor(zones.toWall(zone, from) / DAY) - 1;
  const last = Math.floor(zones.toWall(zone, to) / DAY) + 1;
  const found: number[] = [];
  for (let day = first; day <= last; day += 1) {
    const midnight = day * DAY;
    const offsets = [...new Set([-DAY, 0, 2 * DAY].map((by) => zones.offset(zone, midnight + by)))];
    for (let time = Math.ceil(earliest / interval) * interval; time < DAY; time += interval)
      for (const offset of offsets) {
        const start = midnight + time - offset;
        const end = start + duration;
        if (start < from || end > to || zones.toWall(zone, start) !== midnight + time) continue;
        if (zones.toWall(zone, end) - midnight <= latest) found.push(start);
      }
  }
  return found.sort((one, other) => one - other);
}
