import type { Context } from '../../../service/context.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow, EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { LONG, rowOf } from '../objects/instances.ts';
import { openRows } from '../objects/read.ts';
import type { ChangedInstance } from '../objects/series.ts';
import { expand, type Expansion } from '../recurrence/expand.ts';
import { unlessTooComplex } from '../recurrence/rule-error.ts';
import type { TimeRange } from './range.ts';

/** Where an instance stands among others: by its begin, then its object, then the time of its rule. */
export type InstancePlace = Pick<EventInstanceRow, 'start_at' | 'object_id' | 'recurrence'>;

const beginning: InstancePlace = { start_at: Number.MIN_SAFE_INTEGER, object_id: '', recurrence: 0 };

const inRange = writtenQuery<EventInstanceRow>(`
  select * from event_instances
  where calendar_id = $1 and long = $2 and (start_at, object_id, recurrence) > ($3, $4, $5) and start_at < $6
    and (end_at > $7 or (end_at = start_at and start_at >= $7))
  order by start_at, object_id, recurrence limit $8`);

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
  const { from, to } = range;
  const found = await computedIn(ctx, calendars, range);
  const wanted = found.filter((row) => compare(row, after) > 0);
  for (const { id } of calendars)
    for (const long of [0, 1]) {
      const earliest = long === 1 ? Number.MIN_SAFE_INTEGER : from - LONG - 1;
      const place = after.start_at >= earliest ? after : { ...beginning, start_at: earliest };
      const { rows } = await ctx.db.executeQuery(
        inRange(id, long, place.start_at, place.object_id, place.recurrence, to, from, most),
      );
      wanted.push(...rows);
    }
  return wanted.sort(compare).slice(0, most);
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
    const none: Expansion<ChangedInstance> = { instances: [], complete: true };
    const { instances, complete } = unlessTooComplex(() => expand(series, { from, to, limit }, reader), none);
    if (!complete) throw fieldProblem('end', `is too late: the range has more than ${calendarLimits.instances} events`);
    const ownerId = byId.get(row.calendar_id)?.owner_id ?? '';
    for (const instance of instances) {
      const { start, end } = instance;
      const isRow = (first === null || end > first || start === first) && (last === null || start < last);
      if (!isRow) found.push(rowOf({ ...row, ownerId }, instance, master));
    }
  });
  return found;
}
