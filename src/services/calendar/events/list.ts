import type { Context } from '../../../service/context.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { asc, pageOf, type Page, type PageRequest } from '../../../platform/store/page.ts';
import type { OpenCalendar } from '../access.ts';
import { instancesIn, type InstancePlace } from './instances-in.ts';
import type { TimeRange } from './range.ts';
import { showInstances } from './show.ts';
import type { EventInstance } from '../objects/runs.ts';

const order = [
  asc<EventInstance>('start_at', (row) => row.start_at),
  asc<EventInstance>('object_id', (row) => row.object_id),
  asc<EventInstance>('recurrence', (row) => row.recurrence),
];

function placeOf(values: readonly unknown[]): InstancePlace {
  const [start, id, recurrence] = values as [number, string, number];
  return { start_at: start, object_id: id, recurrence };
}

export interface Listed {
  readonly memberId: string;
  readonly calendars: readonly OpenCalendar[];
  readonly range: TimeRange;
}

/** Instances that overlap a range, in pages. @throws Problem invalid VALIDATION_ERROR, INVALID_CURSOR */
export async function listInstances(
  ctx: Context,
  { memberId, calendars, range }: Listed,
  request: PageRequest,
): Promise<Page<Event>> {
  const filter = { ...range, calendars: calendars.map(({ id }) => id).join() };
  const listing = { list: 'calendar.events', memberId, filter, by: order };
  const { rows, next } = await pageOf(ctx, listing, request, async ({ values }, most = calendarLimits.mostOnPage) => {
    return await instancesIn(ctx, calendars, range, most, values.length === 0 ? undefined : placeOf(values));
  });
  return { rows: await showInstances(ctx, memberId, calendars, rows), next };
}
