import type { Context } from '../../../service/context.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow, EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { rowsOf } from '../objects/instances.ts';
import { earliestOf, lengths, periodOf, periodText } from '../objects/periods.ts';
import { openRows } from '../objects/read.ts';
import { occurrences } from '../recurrence/expand.ts';
import { unlessTooComplex } from '../recurrence/rule-error.ts';
import type { TimeRange } from './range.ts';

/** Where an instance stands among others: by its begin, then its object, then the time of its rule. */
export type InstancePlace = Pick<EventInstanceRow, 'start_at' | 'object_id' | 'recurrence'>;

/** They are looked through at first; then twice as many each time, until there are enough instances. */
const FEW_PERIODS = 2;

const beginning: InstancePlace = { start_at: Number.MIN_SAFE_INTEGER, object_id: '', recurrence: 0 };

// Only those that are wanted are read whole: the index has all that decides.
const inRange = writtenQuery<EventInstanceRow>(`
  select i.* from (
    select object_id, recurrence from event_instances
    where calendar_id = $1 and long = $2 and ${periodText} between $3 and $4
      and (start_at, object_id, recurrence) > ($5, $6, $7) and start_at < $8
      and (end_at > $9 or (end_at = start_at and start_at >= $9))
    order by start_at, object_id, recurrence limit $10) wanted
  cross join event_instances i where i.object_id = wanted.object_id and i.recurrence = wanted.recurrence`);

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
): Promise<EventInstanceRow[]> {
  const found = await computedIn(ctx, calendars, range);
  const wanted = found.filter((row) => compare(row, after) > 0);
  for (const { id } of calendars)
    for (const long of lengths) wanted.push(...(await rowsIn(ctx, { id, long, range, after }, most)));
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
): Promise<EventInstanceRow[]> {
  const earliest = earliestOf(long, from);
  const place = after.start_at >= earliest ? after : { ...beginning, start_at: earliest };
  const { start_at: at, object_id: object, recurrence } = place;
  const found: EventInstanceRow[] = [];
  const last = periodOf(to);
  // What begins in a later period comes later. Of long ones there are few, in any period.
  let width = long === lengths.at(-1) ? Number.POSITIVE_INFINITY : FEW_PERIODS;
  for (let first = periodOf(at); first <= last && found.length < most; width *= 2) {
    const until = Math.min(last, first + width - 1);
    const left = most - found.length;
    const { rows } = await db.executeQuery(inRange(id, long, first, until, at, object, recurrence, to, from, left));
    found.push(...rows);
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
): Promise<EventInstanceRow[]> {
  const found: EventInstanceRow[] = [];
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
