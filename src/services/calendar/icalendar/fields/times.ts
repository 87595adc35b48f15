import { paramOf, propertyOf, textOf, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { durationOf, durationText, isDay, isTime, isUtc, wallMs, wallOfMs } from '../text/times.ts';
import type { Zones } from '../zones/zone-times.ts';

/** The zones that times of an object are in. */
export interface FieldZones {
  /** of the calendar: in it days begin, and times that have no zone are */
  readonly zone: string;
  readonly zoneOf: (tzid: string) => string | undefined;
  readonly zones: Zones;
}

/** A day, or a wall-clock time in a zone; without one it floats. */
export interface EventTime {
  readonly time: string;
  readonly zone?: string;
}

const DAY = 86_400_000;

/** A value of a property that is a time. */
export function eventTimeOf(value: string, tzid: string | undefined, { zoneOf }: FieldZones): EventTime {
  if (isDay(value)) return { time: value };
  if (isUtc(value)) return { time: value.slice(0, -1), zone: 'UTC' };
  const zone = tzid === undefined ? undefined : zoneOf(tzid);
  return zone === undefined ? { time: value } : { time: value, zone };
}

export function timeOfProperty(property: JcalProperty, zones: FieldZones): EventTime {
  return eventTimeOf(textOf(property), paramOf(property, 'tzid'), zones);
}

export function instantOfTime({ time, zone }: EventTime, { zone: own, zones }: FieldZones): number {
  return zones.toUtc(isDay(time) ? own : (zone ?? own), wallMs(time));
}

/** What the clocks of a zone show at a moment. */
export function wallOf(at: number, zone: string, { zones }: Pick<FieldZones, 'zones'>): string {
  return wallOfMs(at + zones.offset(zone, at));
}

export interface EventSpan {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly startAt: number;
  readonly endAt: number;
  /** ISO 8601 */
  readonly duration: string;
}

/**
 * When an event is. DTEND is what it is; DURATION counts days by the calendar and the rest exactly (RFC 5545 3.3.6); with neither, an event of a
 * day has that day, and another one no length. It never ends before it starts.
 *
 * @returns undefined without a DTSTART that is a time
 */
export function spanOf(component: JcalComponent, zones: FieldZones): EventSpan | undefined {
  const property = propertyOf(component, 'dtstart') ?? propertyOf(component, 'recurrence-id');
  if (property === undefined || !isTime(textOf(property))) return undefined;
  const start = timeOfProperty(property, zones);
  const given = textOf(propertyOf(component, 'duration'));
  const end = endOf(component, start, given, zones);
  const [startAt, wanted] = [instantOfTime(start, zones), instantOfTime(end, zones)];
  const endAt = Math.max(startAt, wanted);
  return {
    start,
    end: wanted < startAt ? start : end,
    startAt,
    endAt,
    duration: isDay(start.time)
      ? `P${Math.round((wallMs(end.time) - wallMs(start.time)) / DAY)}D`
      : lengthOf(given, startAt, endAt),
  };
}

function lengthOf(given: string, startAt: number, endAt: number): string {
  const said = durationOf(given);
  // P1D is not PT24H.
  return said !== undefined && said.days > 0 ? given : durationText((endAt - startAt) / 1000);
}

function endOf(component: JcalComponent, start: EventTime, given: string, zones: FieldZones): EventTime {
  const property = propertyOf(component, 'dtend') ?? propertyOf(component, 'due');
  const duration = property === undefined ? durationOf(given) : undefined;
  if (isDay(start.time)) {
    const said = property === undefined ? undefined : textOf(property).slice(0, 10);
    const days = duration === undefined ? 1 : Math.max(1, duration.days + Math.floor(duration.seconds / 86_400));
    const end = said !== undefined && isTime(said) ? said : dayAfter(start.time, days);
    // One day is written with equal days by some.
    return { time: end > start.time ? end : dayAfter(start.time, 1) };
  }
  if (property !== undefined && isTime(textOf(property))) {
    const end = timeOfProperty(property, zones);
    return isDay(end.time) ? { ...start, time: `${end.time}T00:00:00` } : end;
  }
  return duration === undefined ? start : after(start, duration, zones);
}

/** The time that is so much later, in the same zone. */
function after(start: EventTime, { days, seconds }: { days: number; seconds: number }, zones: FieldZones): EventTime {
  const day = wallOfMs(wallMs(start.time) + days * DAY);
  const zone = start.zone ?? zones.zone;
  return {
    ...start,
    time: seconds === 0 ? day : wallOf(zones.zones.toUtc(zone, wallMs(day)) + seconds * 1000, zone, zones),
  };
}

/** The end of what begins at another time, or on a day, and is as long as before. @param zone of the end */
export function laterEnd(start: EventTime, old: EventSpan, zone: string | undefined, zones: FieldZones): EventTime {
  if (isDay(start.time)) {
    const days = wallMs(lastDay(old.end.time)) - wallMs(old.start.time.slice(0, 10));
    return { time: dayAfter(start.time, Math.round(days / DAY)) };
  }
  const at = instantOfTime(start, zones) + old.endAt - old.startAt;
  return { time: wallOf(at, zone ?? zones.zone, zones), ...(zone !== undefined && { zone }) };
}

/** The day after the one on which a time is; midnight ends the day before. */
function lastDay(time: string): string {
  return isDay(time) || time.endsWith('T00:00:00') ? time.slice(0, 10) : dayAfter(time.slice(0, 10), 1);
}

export function dayAfter(day: string, days: number): string {
  return wallOfMs(wallMs(day) + days * DAY).slice(0, 10);
}

export function isoInstant(at: number): string {
  return new Date(at).toISOString();
}

/** The same moment as the clock of the event's start shows it; a day of an event of days. */
export function inZoneOf(time: EventTime, start: EventTime, zones: FieldZones): string {
  if (isDay(time.time)) return time.time;
  if (isDay(start.time)) return time.time.slice(0, 10);
  if (time.zone === start.zone || start.zone === undefined || time.zone === undefined) return time.time;
  return wallOf(instantOfTime(time, zones), start.zone, zones);
}
