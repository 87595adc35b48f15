import type { Context } from '../../../service/context.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import type { EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { calendarsOf, type OpenCalendar } from '../access.ts';
import { computedIn } from '../events/instances-in.ts';
import { DAY } from '../recurrence/civil.ts';
import { earliestOf, lengths, periodOf, periodText } from '../objects/periods.ts';
import type { OpenPage } from './page-rows.ts';
import type { Booked, Interval, Occupied } from './slots.ts';
import { startsIn, type EventInstance } from '../objects/runs.ts';

/** The longest that an appointment takes, with what is kept free around it. */
const LONGEST = 3 * DAY;
/** Caps count whole weeks in any zone. */
const AROUND = 9 * DAY;

type Held = Pick<
  AppointmentRow,
  'id' | 'page_id' | 'type_id' | 'start_at' | 'end_at' | 'busy_from' | 'busy_to' | 'object_id'
>;

const held = writtenQuery<Held>(`
  select id, page_id, type_id, start_at, end_at, busy_from, busy_to, object_id from appointments
  where host_id = $1 and seat is not null and busy_from > $2 and busy_from < $3`);

type Taken = Pick<EventInstance, 'object_id' | 'start_at' | 'end_at'>;

const taken = writtenQuery<Pick<EventRunRow, 'object_id' | 'start_at' | 'end_at' | 'duration' | 'step'>>(`
  select object_id, start_at, end_at, duration, step from event_runs
  where calendar_id = $1 and long = $2 and ${periodText} between $3 and $4 and start_at < $5 and end_at > $6 and opaque = 1`);

/** Whose events take time of the host: those that the page names, as far as the host still sees them, or all of the host's own. */
export async function conflictCalendars(
  ctx: Pick<Context, 'db' | 'clock'>,
  { row, settings }: OpenPage,
): Promise<OpenCalendar[]> {
  const all = await calendarsOf(ctx, row.owner_id);
  const { conflictCalendarIds: named } = settings;
  return all.filter(({ id, permission }) => (named === undefined ? permission === 'owner' : named.includes(id)));
}

/**
 * What takes time of the host in a range.
 * @param without an appointment that is about to move
 */
export async function occupiedIn(
  ctx: Context,
  { row: page }: Pick<OpenPage, 'row'>,
  calendars: readonly OpenCalendar[],
  { from, to }: Interval,
  without?: string,
): Promise<Occupied> {
  const { rows } = await ctx.db.executeQuery(held(page.owner_id, from - AROUND - LONGEST, to + AROUND));
  // Their events take no more time than they do themselves, as long as they stay where they were put.
  const own = new Set(rows.map(placeOf));
  const range = { from: from - LONGEST, to: to + LONGEST };
  const events = await eventsIn(ctx, calendars, range);
  return {
    events: events
      .filter((event) => !own.has(placeOf(event)))
      .map(({ start_at: at, end_at: end }) => ({ from: at, to: end })),
    booked: rows.flatMap((row) => (row.id === without ? [] : [toBooked(row, page.id)])),
  };
}

function placeOf({ object_id: id, start_at: start, end_at: end }: Taken): string {
  return `${id} ${start} ${end}`;
}

function toBooked(row: Held, pageId: string): Booked {
  return {
    typeId: row.type_id,
    start: row.start_at,
    samePage: row.page_id === pageId,
    busy: { from: row.busy_from, to: row.busy_to },
  };
}

/** Events that take time, of calendars in a range. */
export async function eventsIn(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  { from, to }: Interval,
): Promise<Taken[]> {
  const found: Taken[] = (await computedIn(ctx, calendars, { from, to })).filter(({ opaque }) => opaque === 1);
  for (const { id } of calendars)
    for (const long of lengths) {
      const first = periodOf(earliestOf(long, from));
      const { rows } = await ctx.db.executeQuery(taken(id, long, first, periodOf(to), to, from));
      for (const run of rows)
        for (const start of startsIn(run, { from, to }))
          found.push({ object_id: run.object_id, start_at: start, end_at: start + run.duration });
    }
  return found;
}
