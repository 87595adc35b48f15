import type { EventStatus, Visibility } from '../../../contract/calendar/limits.ts';
import { eventStatuses, visibilities } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { memberParam } from '../icalendar/fields/people.ts';
import { paramOf, propertiesOf, propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { STEPS } from '../recurrence/budget.ts';
import { DAY } from '../recurrence/civil.ts';
import { isEndless, type Occurrence, occurrences } from '../recurrence/expand.ts';
import type { Reader } from '../recurrence/open-series.ts';
import type { Series } from '../recurrence/series.ts';
import type { ObjectZones } from './known-zones.ts';
import { lengthOf } from './periods.ts';
import type { EventInstance } from './runs.ts';
import { seriesOf, type ChangedInstance } from './series.ts';

/** Instances are rows from so long before now until so long after it. */
const written = { back: 366 * DAY, ahead: 2 * 366 * DAY } as const;
/**
 * Of one object, at most so many are rows, enough for one each day: of what happens more often, those from now on. Others are computed when
 * they are asked for.
 */
const MOST_ROWS = 1_400;
/** When there is room for so many, further ones become rows. */
const ROOM = 250;
/** So many of one object become rows in one piece of work: about half of what a step may take. */
const TOGETHER = 100;
type Place = Pick<CalendarObjectRow, 'id' | 'calendar_id'> & {
  /** the owner of the calendar, whom no event keeps busy that they declined */
  readonly ownerId: string;
};

export interface WrittenInstances extends Pick<CalendarObjectRow, 'written_from' | 'written_to'> {
  readonly rows: readonly EventInstance[];
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
  const opened = { place, ...seriesOf(object, zones), reader: readerOf(zones) };
  const { series, master, reader } = opened;
  if (!isSeries(series)) {
    const found = occurrences(series, { ...always, limit: 1 }, reader);
    return { rows: rowsOf(place, found.occurrences, master), written_from: null, written_to: null };
  }
  const [back, to] = [now - written.back, now + written.ahead];
  const all = occurrences(series, { from: back, to, limit: MOST_ROWS }, reader);
  const from = all.complete ? back : now;
  const found = all.complete ? all : occurrences(series, { from, to, limit: MOST_ROWS }, reader);
  return { ...rowsUntil(to, found, opened), written_from: knownFrom(from, opened) };
}

/** Instances that take place at a moment, whether they are rows or not. @throws RuleError as writtenInstances() */
export function instancesFrom(
  place: Place,
  object: JcalComponent,
  zones: ObjectZones,
  moment: number,
): EventInstance[] {
  const { series, master } = seriesOf(object, zones);
  const range = { from: moment, to: moment + 1, limit: MOST_ROWS };
  return rowsOf(place, occurrences(series, range, readerOf(zones)).occurrences, master);
}

export interface Renewal extends WrittenInstances {
  /** what stays of those that there were */
  readonly kept: readonly EventInstance[];
  /** whether another piece of work is left */
  readonly more: boolean;
}

/**
 * What becomes of the rows of an object when time has passed: the first ones go, and some further ones come. If zones have changed, all go, and
 * come again piece by piece.
 *
 * @throws RuleError as writtenInstances()
 */
export function renewal(
  row: CalendarObjectRow & Place,
  object: JcalComponent,
  zones: ObjectZones,
  {
    now,
    instances,
    anew,
  }: { readonly now: number; readonly instances: readonly EventInstance[]; readonly anew: boolean },
): Renewal {
  const opened = { place: row, ...seriesOf(object, zones), reader: readerOf(zones) };
  const { series, reader } = opened;
  const back = now - written.back;
  if (!isSeries(series)) return { ...writtenInstances(row, object, zones, now), kept: [], more: false };
  if (anew) return { rows: [], written_from: back, written_to: back, kept: [], more: true };
  const isFull = instances.length > MOST_ROWS - ROOM;
  const from = Math.max(row.written_from ?? back, isFull ? now : back);
  const reached = row.written_to ?? always.to;
  const kept = instances.filter(({ start_at: start, end_at: end }) => end > from || (end === from && start === end));
  const room = MOST_ROWS - (isFull ? instances.filter(({ end_at: end }) => end > now).length : instances.length);
  const same = { kept, rows: [], written_from: knownFrom(from, opened), written_to: row.written_to, more: false };
  if (room < ROOM || row.written_to === null) return same;
  const range = { from: Math.max(from, reached), to: now + written.ahead };
  let found = occurrences(series, { ...range, limit: TOGETHER }, reader);
  // Many may begin together, or go on since before.
  if (!found.complete && (found.occurrences.at(-1)?.start ?? reached) <= range.from)
    found = occurrences(series, { ...range, limit: MOST_ROWS }, reader);
  const further = rowsUntil(range.to, found, opened);
  return {
    ...same,
    rows: further.rows.filter(({ start_at: at }) => at >= reached),
    written_to: further.written_to === null ? null : Math.max(range.from, further.written_to),
    more: !found.complete && further.written_to !== null && further.written_to > range.from,
  };
}

/** All questions about an object together may cause as much work as one. */
function readerOf({ zones, zone }: ObjectZones): Reader {
  return { zones, zone, budget: { left: STEPS } };
}

type Found = ReturnType<typeof occurrences<ChangedInstance>>;

interface Opened {
  readonly place: Place;
  readonly master: JcalComponent | undefined;
  readonly series: Series<ChangedInstance>;
  readonly reader: Reader;
}

/** Rows of what was found, up to where all that there is was found. */
function rowsUntil(
  to: number,
  { occurrences: found, complete }: Found,
  { place, master, series, reader }: Opened,
): Pick<WrittenInstances, 'rows' | 'written_to'> {
  // Several may begin together with the last one.
  const reached = complete ? to : (found.at(-1)?.start ?? to);
  const goesOn = !complete || isEndless(series) || hasSome(series, { from: to, to: always.to }, reader);
  const before = found.filter(({ start }) => start < reached);
  return { rows: rowsOf(place, before, master), written_to: goesOn ? reached : null };
}

function knownFrom(from: number, { series, reader }: Opened): number | null {
  return hasSome(series, { from: always.from, to: from }, reader) ? from : null;
}

function isSeries({ rules, rdates, overrides }: Series<ChangedInstance>): boolean {
  return rules.length > 0 || rdates.length > 0 || overrides.length > 0;
}

const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

function hasSome(series: Series<ChangedInstance>, range: { from: number; to: number }, reader: Reader): boolean {
  return occurrences(series, { ...range, limit: 1 }, reader).occurrences.length > 0;
}

/** What instances of one component have alike. */
type Alike = Pick<EventInstance, 'opaque' | 'status' | 'visibility'>;

/** @param master of the series; an instance that was changed has its own component */
export function rowsOf(
  { id, calendar_id: calendarId, ownerId }: Place,
  found: readonly Occurrence<ChangedInstance>[],
  master: JcalComponent | undefined,
): EventInstance[] {
  const ordinary = alikeOf(master, ownerId);
  return found.map(({ key, start, end, override }) => {
    const { opaque, status, visibility } = override === undefined ? ordinary : alikeOf(override.component, ownerId);
    return {
      object_id: id,
      recurrence: key,
      calendar_id: calendarId,
      start_at: start,
      end_at: end,
      long: lengthOf(end - start),
      opaque,
      status,
      visibility,
    };
  });
}

function alikeOf(component: JcalComponent | undefined, ownerId: string): Alike {
  const status = statusOf(component);
  return {
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
