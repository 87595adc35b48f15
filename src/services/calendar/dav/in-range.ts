import type { Context } from '../../../service/context.ts';
import type { DavRange } from '../../../service/ports/dav-filters.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import type { ObjectZones } from '../objects/known-zones.ts';
import { earliestOf, lengths, periodOf, periodText } from '../objects/periods.ts';
import { openRows } from '../objects/read.ts';
import { happensText } from '../objects/runs.ts';
import type { ObjectSeries } from '../objects/series.ts';
import { expand } from '../recurrence/expand.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { createTurns } from '../turns.ts';

const rowsIn = writtenQuery<{ object_id: string }>(`
  select distinct object_id from event_runs
  where calendar_id = $1 and long = $2 and ${periodText} between $3 and $4 and ${happensText('$5', '$6')}`);

const beyond = writtenQuery<Pick<CalendarObjectRow, 'id'>>(`
  select id from calendar_objects where calendar_id = $1 and written_to < $2
  union select id from calendar_objects where calendar_id = $1 and written_from > $3`);
const byIds = writtenList<CalendarObjectRow>(0, (ids) => `select * from calendar_objects where id in ${ids}`);

/** Objects that are opened together. */
const TOGETHER = 20;

/** Ids of the objects that have an instance in a range, each once. Either end may be open. */
export async function objectsInRange(
  ctx: Context,
  calendar: OpenCalendar,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: DavRange,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const long of lengths) {
    const earliest = earliestOf(long, from);
    const { rows } = await ctx.db.executeQuery(rowsIn(calendar.id, long, periodOf(earliest), periodOf(to), to, from));
    for (const { object_id: id } of rows) found.add(id);
  }
  const { rows } = await ctx.db.executeQuery(beyond(calendar.id, to, from));
  const calendars = new Map([[calendar.id, calendar]]);
  const unknown = rows.flatMap(({ id }) => (found.has(id) ? [] : id));
  const turns = createTurns();
  for (let at = 0; at < unknown.length; at += TOGETHER) {
    const objects = await ctx.db.executeQuery(byIds(unknown.slice(at, at + TOGETHER)));
    for (const row of objects.rows) {
      openRows(ctx, calendars, [row], ({ series, zones }) => {
        if (happensIn(series, zones, { from, to })) found.add(row.id);
      });
      await turns.take();
    }
  }
  return found;
}

/** Whether a series has an instance in a range. One whose rule takes too much work may have one: it is given rather than lost. */
export function happensIn(
  series: ObjectSeries['series'],
  { zones, zone }: Pick<ObjectZones, 'zones' | 'zone'>,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: DavRange,
): boolean {
  try {
    return expand(series, { from, to, limit: 1 }, { zones, zone }).instances.length > 0;
  } catch (error) {
    if (error instanceof RuleError) return true;
    throw error;
  }
}
