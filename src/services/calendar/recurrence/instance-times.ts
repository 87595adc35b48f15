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

/**
 * @param end how long it takes, or the end itself: UTC of a series in a zone, else on the wall. Days of a duration are added on the wall and
 * the rest is exact; days take at least one.
 */
export function instanceTimes(from: StartTime, end: Span | number, { zones, zone: readerZone }: Clock): InstanceTimes {
  const { wall, allDay } = from;
  const zone = allDay ? 'floating' : from.zone;
  const clock = { floating: readerZone, utc: 'UTC' }[zone] ?? zone;
  const start = from.utc ?? zones.toUtc(clock, wall);
  if (allDay) {
    const days = typeof end === 'number' ? (end - wall) / DAY : end.days + Math.ceil(end.ms / DAY);
    const endWall = wall + Math.max(1, days) * DAY;
    return { allDay, zone, startAt: dayText(wall), endAt: dayText(endWall), start, end: zones.toUtc(clock, endWall) };
  }
  const endUtc =
    typeof end === 'number' ? (zone === 'floating' ? zones.toUtc(clock, end) : end) : addSpan(start, end, clock, zones);
  const text = (utc: number) => `${wallText(zones.toWall(clock, utc))}${zone === 'utc' ? 'Z' : ''}`;
  return {
    allDay,
    zone,
    startAt: zone === 'floating' ? wallText(wall) : text(start),
    endAt: text(endUtc),
    start,
    end: endUtc,
  };
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
