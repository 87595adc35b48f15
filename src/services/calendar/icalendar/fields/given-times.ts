import type { GivenEvent } from '../../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { propertyOf, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { durationOf, isDay, isTime } from '../text/times.ts';
import { timeProperty } from './time-property.ts';
import {
  dayAfter,
  instantOfTime,
  laterEnd,
  spanOf,
  wallOf,
  type EventSpan,
  type EventTime,
  type FieldZones,
} from './times.ts';

/** A text of the contract, and the field that it was given in. */
interface Named {
  readonly text: string;
  readonly path: string;
}

interface Given {
  readonly start?: Named;
  readonly startZone?: Named;
  readonly end?: Named;
  readonly endZone?: Named;
}

/**
 * DTSTART, and DTEND or DURATION, as somebody gave them; what was left out stays.
 *
 * @param before undefined for a new event
 * @returns undefined if no time changes
 * @throws Problem invalid VALIDATION_ERROR: a time or zone that doesn't exist, an end that is not after the begin
 */
export function givenTimes(
  before: JcalComponent | undefined,
  given: GivenEvent,
  zones: FieldZones,
): JcalProperty[] | undefined {
  const times = namesOf(given);
  const old = before === undefined ? undefined : spanOf(before, zones);
  const nothing = Object.values(times).every((one) => one === undefined);
  if (nothing && given.allDay === undefined && given.duration === undefined && old !== undefined) return undefined;
  const start = startOf(times, given.allDay, old, zones);
  const end =
    given.duration === undefined
      ? endOf(start, times, { before, old, zones })
      : durationOfGiven(given.duration, start, times);
  const dtstart = timeProperty('dtstart', start, before && propertyOf(before, 'dtstart'), zones);
  return [dtstart, ...end];
}

/** All spellings of one field. */
function namesOf(given: GivenEvent): Given {
  const tzid = named(given.tzid, 'tzid');
  const start = dateTimeOf(given.start, 'start');
  const end = dateTimeOf(given.end, 'end');
  return {
    ...some('start', named(given.dtstart, 'dtstart') ?? start.time),
    ...some('startZone', named(given.dtstartTzid, 'dtstartTzid') ?? start.zone ?? tzid),
    ...some('end', named(given.dtend, 'dtend') ?? end.time),
    ...some('endZone', named(given.dtendTzid, 'dtendTzid') ?? end.zone ?? tzid),
  };
}

function some(key: keyof Given, value: Named | undefined): Given {
  return value === undefined ? {} : { [key]: value };
}

function named(text: string | undefined, path: string): Named | undefined {
  return text === undefined ? undefined : { text, path };
}

function dateTimeOf(
  given: GivenEvent['start'],
  path: string,
): { readonly time?: Named | undefined; readonly zone?: Named | undefined } {
  if (given === undefined) return {};
  if (typeof given === 'string') return { time: named(given, path) };
  const { dateTime, date, timeZone } = given;
  if ((dateTime === undefined) === (date === undefined)) throw fieldProblem(path, 'must have dateTime or date');
  const zone = named(timeZone, `${path}.timeZone`);
  return { time: named(dateTime, `${path}.dateTime`) ?? named(date, `${path}.date`), zone };
}

function startOf(
  { start, startZone }: Given,
  wantedAllDay: boolean | undefined,
  old: EventSpan | undefined,
  zones: FieldZones,
): EventTime {
  const zone = startZone === undefined ? undefined : requireZone(startZone, zones);
  if (start === undefined) return keptStart(old, wantedAllDay, zone);
  const allDay = wantedAllDay ?? isDay(start.text);
  const floats = old !== undefined && !isDay(old.start.time) && old.start.zone === undefined;
  return readTime(start, allDay, zone ?? old?.start.zone, { ...zones, floats });
}

/** Without a new begin, the old one may become a day, or a time of another zone. */
function keptStart(old: EventSpan | undefined, allDay: boolean | undefined, zone: string | undefined): EventTime {
  if (old === undefined) throw fieldProblem('dtstart', 'is required');
  const wasDay = isDay(old.start.time);
  if (allDay === false && wasDay) throw fieldProblem('dtstart', 'is required for an event that was of whole days');
  if (allDay === true) return { time: old.start.time.slice(0, 10) };
  return wasDay || zone === undefined ? old.start : { time: old.start.time, zone };
}

function requireZone({ text, path }: Named, { zones }: FieldZones): string {
  const zone = zones.named(text);
  if (zone === undefined) throw fieldProblem(path, 'must be an IANA time zone, such as Europe/Berlin');
  return zone;
}

const localForm = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?(?:\.\d+)?$/;
const instantForm = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})$/;

/** Years in which all that is computed of a time is one as well. */
const inReach = (text: string): boolean => text >= '0002' && text < '9999';

/**
 * Reads a day, a wall-clock time or an instant of the contract. An instant becomes what the clocks show in the zone.
 *
 * @param zone without it the one of the calendar, or none if the event floats and so does what is given
 * @throws Problem invalid VALIDATION_ERROR
 */
export function readTime(
  { text, path }: Named,
  allDay: boolean,
  zone: string | undefined,
  zones: FieldZones & { readonly floats?: boolean },
): EventTime {
  const day = text.slice(0, 10);
  if (!isTime(day) || !inReach(day)) throw fieldProblem(path, 'must be a day that exists');
  if (isDay(text) && !allDay)
    throw fieldProblem(path, 'must be a time such as 2026-03-29T14:00:00, unless allDay is true');
  if (isDay(text)) return { time: text };
  const [, date, clock, second = ':00'] = localForm.exec(text) ?? [];
  if (date !== undefined) {
    const time = `${date}T${clock}${second}`;
    if (!isTime(time)) throw fieldProblem(path, 'must be a time that exists');
    if (allDay) return { time: day };
    const own = zone ?? (zones.floats === true ? undefined : zones.zone);
    return own === undefined ? { time } : { time, zone: own };
  }
  const own = zone ?? zones.zone;
  const time = wallOf(instantFrom(text, path), own, zones);
  return allDay ? { time: time.slice(0, 10) } : { time, zone: own };
}

/** @throws Problem invalid VALIDATION_ERROR */
export function instantFrom(text: string, path: string): number {
  const [, time = '', offset = ''] = instantForm.exec(text) ?? [];
  const at = Date.parse(`${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  if (Number.isNaN(at)) throw fieldProblem(path, 'must be a time that exists');
  return Math.floor(at / 1000) * 1000;
}

function durationOfGiven(text: string, start: EventTime, { end }: Given): JcalProperty[] {
  if (end !== undefined) throw fieldProblem('duration', 'cannot be given together with dtend');
  const duration = durationOf(text);
  if (duration === undefined || duration.days < 0 || duration.seconds < 0)
    throw fieldProblem('duration', 'must be a duration such as PT30M, and not negative');
  if (isDay(start.time) && (duration.seconds !== 0 || duration.days === 0))
    throw fieldProblem('duration', 'must be days or weeks, such as P1D, if allDay is true');
  return [['duration', {}, 'duration', text.toUpperCase().replace(/^\+/, '')]];
}

interface Before {
  readonly before: JcalComponent | undefined;
  readonly old: EventSpan | undefined;
  readonly zones: FieldZones;
}

function endOf(start: EventTime, given: Given, { before, old, zones }: Before): JcalProperty[] {
  const zone = given.endZone === undefined ? endZoneOf(start, old) : requireZone(given.endZone, zones);
  const allDay = isDay(start.time);
  const property = before === undefined ? undefined : propertyOf(before, 'dtend');
  if (given.end !== undefined) {
    const end = readTime(given.end, allDay, zone, { ...zones, floats: start.zone === undefined });
    return [timeProperty('dtend', checkedEnd(start, end, given.end.path, zones), property, zones)];
  }
  if (old === undefined)
    return allDay ? [timeProperty('dtend', { time: dayAfter(start.time, 1) }, undefined, zones)] : [];
  const duration = before === undefined ? undefined : propertyOf(before, 'duration');
  const wasAllDay = isDay(old.start.time);
  if (wasAllDay === allDay && property === undefined) return duration === undefined ? [] : [duration];
  if (wasAllDay && !allDay) throw fieldProblem('dtend', 'is required for an event that was of whole days');
  // What had no length has none.
  if (!allDay && old.startAt === old.endAt) return [];
  const end =
    given.start === undefined && wasAllDay === allDay ? keptEnd(old.end, zone) : laterEnd(start, old, zone, zones);
  if (!inReach(end.time))
    throw fieldProblem(given.start?.path ?? 'dtend', 'must be earlier: it would end after the year 9998');
  return [timeProperty('dtend', checkedEnd(start, end, given.start?.path ?? 'dtend', zones), property, zones)];
}

function keptEnd({ time }: EventTime, zone: string | undefined): EventTime {
  return isDay(time) || zone === undefined ? { time } : { time, zone };
}

/** The end is in the zone of the start, unless it was in another one. */
function endZoneOf(start: EventTime, old: EventSpan | undefined): string | undefined {
  const apart = old !== undefined && !isDay(old.end.time) && old.end.zone !== old.start.zone;
  return apart ? old.end.zone : start.zone;
}

function checkedEnd(start: EventTime, end: EventTime, path: string, zones: FieldZones): EventTime {
  if (isDay(start.time)) {
    if (end.time < start.time) throw fieldProblem(path, 'must not end before it begins');
    return end.time === start.time ? { time: dayAfter(start.time, 1) } : end;
  }
  if (instantOfTime(end, zones) > instantOfTime(start, zones)) return end;
  throw fieldProblem(
    path,
    path.startsWith('dtend') || path.startsWith('end') ? 'must be after the begin' : 'must be before the end',
  );
}
