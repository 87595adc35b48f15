import type { Context } from '../../../service/context.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow, EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { namedQuery, writtenList } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { rowsOf } from '../objects/instances.ts';
import { earliestOf, lengths, periodOf, periodText } from '../objects/periods.ts';
import { openRows } from '../objects/read.ts';
import { occurrences } from '../recurrence/expand.ts';
import { unlessTooComplex } from '../recurrence/rule-error.ts';
import type { TimeRange } from './range.ts';
import { instancesOf, nextText, type EventInstance } from '../objects/runs.ts';

/** Where an instance stands among others: by its begin, then its object, then the time of its rule. */
export type InstancePlace = Pick<EventInstance, 'start_at' | 'object_id' | 'recurrence'>;

/** It is looked through at first; then twice as many each time, until there are enough instances. */
const FEW_PERIODS = 1;
/** When there are so many times as many as are wanted, only these are kept: of what happens all the time there may be thousands in one run. */
const MANY = 4;

const beginning: InstancePlace = { start_at: Number.MIN_SAFE_INTEGER, object_id: '', recurrence: 0 };

/** SQL: the first moment at which an instance of a run may begin that comes behind a place: its begin, or just after it. */
const behind = `(cast(:at as bigint)
  + case when object_id < :object or (object_id = :object and :at - start_at + recurrence <= :recurrence) then 1 else 0 end)`;

/** More than any store has. Without a limit SQLite puts the text of a column wherever the column is named, and works it out each time. */
const EVERY = 1_000_000_000_000;

// Those that begin first stand in the runs whose next ones begin first. Only these are read whole: the index has all that decides.
const inRange = namedQuery<
  EventRunRow & { readonly next_at: number },
  'id' | 'long' | 'first' | 'until' | 'from' | 'to' | 'at' | 'object' | 'recurrence' | 'most'
>(`
  select r.*, wanted.next_at from (
    select object_id, recurrence, next_at from (
      select object_id, recurrence, start_at, end_at - duration as last_at, ${nextText(':from', behind)} as next_at
      from event_runs
      where calendar_id = :id and long = :long and ${periodText} between :first and :until and start_at < :to
        and end_at >= :from limit ${EVERY}) some_runs
    where next_at <= last_at and next_at < :to
    order by next_at, object_id, next_at - start_at + recurrence limit :most) wanted
  cross join event_runs r where r.object_id = wanted.object_id and r.recurrence = wanted.recurrence`);

/**
 * Instances that overlap a range, in their order: those that are rows, and those beyond them, which are computed now.
 *
 * @param after the place behind which they begin
 * @param most of them
 * @throws Problem invalid VALIDATION_ERROR for a range with too many that have to be computed
 */
export async function instancesIn(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  range: TimeRange,
  most: number,
  after: InstancePlace = beginning,
): Promise<EventInstance[]> {
  const found = await computedIn(ctx, calendars, range);
  const wanted = found.filter((row) => compare(row, after) > 0);
  for (const { id } of calendars)
    for (const long of lengths) for (const row of await rowsIn(ctx, { id, long, range, after }, most)) wanted.push(row);
  return wanted.sort(compare).slice(0, most);
}

interface Sought {
  readonly id: string;
  readonly long: (typeof lengths)[number];
  readonly range: TimeRange;
  readonly after: InstancePlace;
}

/** The first rows of a calendar. */
async function rowsIn(
  { db }: Pick<Context, 'db'>,
  { id, long, range: { from, to }, after }: Sought,
  most: number,
): Promise<EventInstance[]> {
  const earliest = earliestOf(long, from);
  const place = after.start_at >= earliest ? after : { ...beginning, start_at: earliest };
  const { start_at: at, object_id: object, recurrence } = place;
  const found: EventInstance[] = [];
  const last = periodOf(to);
  // What begins in a later period comes later. Of long ones there are few, in any period.
  let width = long === lengths.at(-1) ? Number.POSITIVE_INFINITY : FEW_PERIODS;
  for (let first = periodOf(at); first <= last && found.length < most; width *= 2) {
    const until = Math.min(last, first + width - 1);
    const left = most - found.length;
    const wanted = { id, long, first, until, from, to, at, object, recurrence, most: left };
    const { rows } = await db.executeQuery(inRange(wanted));
    rows.sort((one, other) => one.next_at - other.next_at);
    // If there are enough, none is wanted that begins behind all of them.
    let end = rows.length < left ? to : (rows.at(-1)?.next_at ?? to) + 1;
    for (const { next_at: next, ...run } of rows) {
      for (const one of instancesOf(run, { from, to: end })) if (one.start_at >= next) found.push(one);
      if (found.length < MANY * most) continue;
      found.sort(compare).splice(most);
      end = Math.min(end, (found.at(-1)?.start_at ?? end) + 1);
    }
    first = until + 1;
  }
  return found;
}

function compare(one: InstancePlace, other: InstancePlace): number {
  if (one.start_at !== other.start_at) return one.start_at - other.start_at;
  if (one.object_id !== other.object_id) return one.object_id < other.object_id ? -1 : 1;
  return one.recurrence - other.recurrence;
}

const beyond = (column: 'written_to' | 'written_from', is: '<' | '>') =>
  writtenList<CalendarObjectRow>(
    1,
    (ids) => `select * from calendar_objects where ${column} ${is} $1 and calendar_id in ${ids}`,
  );
const later = beyond('written_to', '<');
const earlier = beyond('written_from', '>');

/**
 * Instances that are no rows.
 * @throws Problem invalid VALIDATION_ERROR for a range with too many
 */
export async function computedIn(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  { from, to }: TimeRange,
): Promise<EventInstance[]> {
  const found: EventInstance[] = [];
  if (calendars.length === 0) return found;
  const byId = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  const after = await ctx.db.executeQuery(later([...byId.keys()], to));
  const before = await ctx.db.executeQuery(earlier([...byId.keys()], from));
  const rows = new Map([...after.rows, ...before.rows].map((row) => [row.id, row]));
  openRows(ctx, byId, [...rows.values()], ({ row, series, master, zones }) => {
    const { written_from: first, written_to: last } = row;
    const reader = { zones: zones.zones, zone: zones.zone };
    const limit = calendarLimits.instances - found.length;
    // What takes too long to work out stops no other.
    const none = { occurrences: [], complete: true };
    const computed = unlessTooComplex(() => occurrences(series, { from, to, limit }, reader), none);
    if (!computed.complete)
      throw fieldProblem('end', `is too late: the range has more than ${calendarLimits.instances} events`);
    const others = computed.occurrences.filter(({ start, end }) => {
      const isRow = (first === null || end > first || start === first) && (last === null || start < last);
      return !isRow;
    });
    const ownerId = byId.get(row.calendar_id)?.owner_id ?? '';
    found.push(...rowsOf({ ...row, ownerId }, others, master));
  });
  return found;
}
