import { DAY, dayText, parseTime, wallText } from './civil.ts';
import { RuleError } from './rule-error.ts';
import { frameOf, momentOf } from './series.ts';
import type { Span } from './span.ts';
import type { Zones } from './zones.ts';

export interface InstanceTimes {
  readonly allDay: boolean;
  /** an IANA zone, `utc` or `floating`: of `startAt` and `endAt` */
  readonly zone: string;
  /** a day, or the time that the clocks show; with `Z` in `utc`. The end of days is the day after the last one */
  readonly startAt: string;
  readonly endAt: string;
  /** UTC milliseconds; of days and floating times in the zone of the reader */
  readonly start: number;
  readonly end: number;
}

/** Where an instance starts. */
export interface StartTime {
  readonly wall: number;
  readonly allDay: boolean;
  readonly zone: string;
  /** where it is known */
  readonly utc?: number;
}

export interface Clock {
  readonly zones: Zones;
  /** of the reader */
  readonly zone: string;
}

/** When an instance is, in UTC. */
export type Bounds = Pick<InstanceTimes, 'start' | 'end'>;

/**
 * @param end how long it takes, or the end itself: UTC of a series in a zone, else on the wall. Days of a duration are added on the wall and
 * the rest is exact; days take at least one.
 */
export function instanceTimes(from: StartTime, end: Span | number, clock: Clock): InstanceTimes {
  const { wall, allDay } = from;
  const zone = allDay ? 'floating' : from.zone;
  const bounds = boundsOf(from, end, clock);
  if (allDay) return { allDay, zone, startAt: dayText(wall), endAt: dayText(endDay(wall, end)), ...bounds };
  const name = clockOf(zone, clock);
  const [startWall, endWall] = [bounds.start, bounds.end].map((utc) => clock.zones.toWall(name, utc));
  const mark = zone === 'utc' ? 'Z' : '';
  return {
    allDay,
    zone,
    startAt: `${wallText(zone === 'floating' ? wall : (startWall ?? wall))}${mark}`,
    endAt: `${wallText(endWall ?? wall)}${mark}`,
    ...bounds,
  };
}

/** The same without its texts, which are most of what an instance costs. */
export function boundsOf(from: StartTime, end: Span | number, clock: Clock): Bounds {
  const { wall, allDay } = from;
  const { zones } = clock;
  const zone = allDay ? 'floating' : from.zone;
  const name = clockOf(zone, clock);
  const start = from.utc ?? zones.toUtc(name, wall);
  if (allDay) return { start, end: zones.toUtc(name, endDay(wall, end)) };
  if (typeof end !== 'number') return { start, end: addSpan(start, end, name, zones) };
  return { start, end: zone === 'floating' ? zones.toUtc(name, end) : end };
}

function clockOf(zone: string, clock: Clock): string {
  if (zone === 'floating') return clock.zone;
  return zone === 'utc' ? 'UTC' : zone;
}

/** Of an instance of whole days: the day after the last one. */
function endDay(wall: number, end: Span | number): number {
  const days = typeof end === 'number' ? (end - wall) / DAY : end.days + Math.ceil(end.ms / DAY);
  return wall + Math.max(1, days) * DAY;
}

/** @param utc milliseconds, as what is returned */
function addSpan(utc: number, { days, ms }: Span, zone: string, zones: Zones): number {
  const later = days === 0 ? utc : zones.toUtc(zone, zones.toWall(zone, utc) + days * DAY);
  return later + ms;
}

/**
 * @param zone of a time without one
 * @throws RuleError INVALID_TIME
 */
export function startTimeOf(at: string, zone: string, zones: Zones): StartTime {
  const { kind, ms, wall } = parseTime(at);
  if (kind !== 'instant') return { wall, allDay: kind === 'day', zone };
  const clock = zone === 'floating' || zone === 'utc' ? 'UTC' : zone;
  return { wall: zones.toWall(clock, ms), allDay: false, zone: zone === 'floating' ? 'utc' : zone, utc: ms };
}

/**
 * What DTSTART and DTEND say: days between days, and an exact time between times (RFC 5545 3.8.5.3).
 *
 * @param end.zone without it, the zone of the start
 * @throws RuleError INVALID_TIME when one of them is a day and the other isn't, INVALID_DURATION when it ends before it starts
 */
export function spanBetween(start: string, zone: string, end: { at: string; zone?: string }, zones: Zones): Span {
  const frame = frameOf({ start, zone, overrides: [] }, zones);
  if ((frame.kind === 'days') !== (parseTime(end.at).kind === 'day'))
    throw new RuleError(
      'INVALID_TIME',
      'The end must be a day when the start is one, and a time when the start is one.',
    );
  const ms = momentOf(end, frame).key - momentOf({ at: start }, frame).key;
  if (ms < 0) throw new RuleError('INVALID_DURATION', 'It must not end before it starts.');
  return frame.kind === 'days' ? { days: ms / DAY, ms: 0 } : { days: 0, ms };
}
