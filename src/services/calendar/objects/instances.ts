import type { EventStatus, Visibility } from '../../../contract/calendar/limits.ts';
import { eventStatuses, visibilities } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow, EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { memberParam } from '../icalendar/fields/people.ts';
import { paramOf, propertiesOf, propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { expand, isEndless } from '../recurrence/expand.ts';
import type { Instance, Reader } from '../recurrence/open-series.ts';
import type { Series } from '../recurrence/series.ts';
import type { ObjectZones } from './known-zones.ts';
import { seriesOf, type ChangedInstance } from './series.ts';

export const DAY = 86_400_000;
/** Instances are rows from so long before now until so long after it. */
export const written = { back: 366 * DAY, ahead: 2 * 366 * DAY } as const;
/** Of one object, at most so many are rows. Further ones are computed when they are asked for. */
const MOST_ROWS = 5_000;
/** Longer ones are looked for by themselves, so that a range has to look only so far back for the others. */
export const LONG = 31 * DAY;

type Place = Pick<CalendarObjectRow, 'id' | 'calendar_id'> & {
  /** the owner of the calendar, whom no event keeps busy that they declined */
  readonly ownerId: string;
};

export interface WrittenInstances extends Pick<CalendarObjectRow, 'written_from' | 'written_to'> {
  readonly rows: readonly EventInstanceRow[];
}

/**
 * The instances of an object that are rows.
 * @throws RuleError for a rule that takes too much work, or times that are none
 */
export function writtenInstances(
  place: Place,
  object: JcalComponent,
  zones: ObjectZones,
  now: number,
): WrittenInstances {
  const { master, series } = seriesOf(object, zones);
  const reader: Reader = { zones: zones.zones, zone: zones.zone };
  const isSeries = series.rules.length > 0 || series.rdates.length > 0 || series.overrides.length > 0;
  const range = isSeries ? { from: now - written.back, to: now + written.ahead } : always;
  const { instances, complete } = expand(series, { ...range, limit: MOST_ROWS }, reader);
  const rows = instances.map((instance) => rowOf(place, instance, master));
  if (!isSeries) return { rows, written_from: null, written_to: null };
  const last = instances.at(-1);
  // Several may begin together with the last one.
  const reached = complete || last === undefined ? range.to : last.start;
  return {
    rows: rows.filter(({ start_at: at }) => at < reached),
    written_from: hasSome(series, { from: always.from, to: range.from }, reader) ? range.from : null,
    written_to:
      !complete || isEndless(series) || hasSome(series, { from: range.to, to: always.to }, reader) ? reached : null,
  };
}

const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

function hasSome(series: Series<ChangedInstance>, range: { from: number; to: number }, reader: Reader): boolean {
  return expand(series, { ...range, limit: 1 }, reader).instances.length > 0;
}

/** @param master of the series; an instance that was changed has its own component */
export function rowOf(
  { id, calendar_id: calendarId, ownerId }: Place,
  { recurrence, start, end, override }: Instance<ChangedInstance>,
  master: JcalComponent | undefined,
): EventInstanceRow {
  const component = override?.component ?? master;
  const status = statusOf(component);
  return {
    object_id: id,
    recurrence: recurrence.key,
    calendar_id: calendarId,
    start_at: start,
    end_at: end,
    long: end - start > LONG ? 1 : 0,
    opaque: isOpaque(component) && status !== 'CANCELLED' && !hasDeclined(component, ownerId) ? 1 : 0,
    status,
    visibility: visibilityOf(component),
  };
}

function wordOf(component: JcalComponent | undefined, name: string): string {
  return component === undefined ? '' : textOf(propertyOf(component, name)).toUpperCase();
}

function isOpaque(component: JcalComponent | undefined): boolean {
  return wordOf(component, 'transp') !== 'TRANSPARENT';
}

function hasDeclined(component: JcalComponent | undefined, ownerId: string): boolean {
  if (component === undefined) return false;
  const mine = propertiesOf(component, 'attendee').find((one) => paramOf(one, memberParam) === ownerId);
  return mine !== undefined && paramOf(mine, 'partstat') === 'DECLINED';
}

function statusOf(component: JcalComponent | undefined): EventStatus {
  const word = wordOf(component, 'status');
  return eventStatuses.find((status) => status === word) ?? 'CONFIRMED';
}

/** A class that nobody knows is private (RFC 5545 3.8.1.3). */
export function visibilityOf(component: JcalComponent | undefined): Visibility {
  const word = wordOf(component, 'class');
  return word === '' ? 'PUBLIC' : (visibilities.find((visibility) => visibility === word) ?? 'PRIVATE');
}
