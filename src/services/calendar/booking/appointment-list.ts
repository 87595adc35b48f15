import type { Context } from '../../../service/context.ts';
import type { appointments } from '../../../contract/calendar/appointments.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { asc, readPage } from '../../../platform/store/page.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import { assertRange, momentIn } from '../events/range.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { MINUTE } from '../recurrence/civil.ts';
import { zoneOfMember } from '../zones.ts';
import { openAppointment, toAppointment } from './guest-data.ts';
import { conflictCalendars, eventsIn } from './occupied.ts';
import { pageById, requireOwnPage, type OpenPage } from './page-rows.ts';

type Contract = typeof appointments;

/** An appointment that is not over did not begin longer ago. */
const LONGEST = bookingLimits.longest * MINUTE;

const order = [asc<AppointmentRow>('start_at', (row) => row.start_at), asc<AppointmentRow>('id', (row) => row.id)];

/** What guests have booked with a member, in pages. */
export async function listOf(
  ctx: Context,
  memberId: string,
  { start, end, status, page: slug, limit, cursor }: InputOf<Contract['listAppointments']>,
): Promise<ReplyOf<Contract['listAppointments']>> {
  const zone = await zoneOfMember(ctx, memberId);
  const zones = zonesOf(ctx);
  const from = start === undefined ? undefined : momentIn(start, 'start', zone, zones);
  const to = end === undefined ? undefined : momentIn(end, 'end', zone, zones);
  if (from !== undefined && to !== undefined) assertRange({ from, to });
  const pageId = slug === undefined ? undefined : (await requireOwnPage(ctx, memberId, slug)).row.id;
  const listing = { list: 'calendar.appointments', memberId, filter: { from, to, status, pageId }, by: order };
  const { rows, next } = await readPage(
    ctx,
    (asOf) => {
      let query = ctx.db.selectFrom('appointments').selectAll().where('host_id', '=', memberId);
      if (from !== undefined) query = query.where('start_at', '>=', from);
      if (to !== undefined) query = query.where('start_at', '<', to);
      if (from === undefined && to === undefined)
        query = query.where('start_at', '>', asOf - LONGEST).where('end_at', '>', asOf);
      if (status !== undefined) query = query.where('status', '=', status);
      if (pageId !== undefined) query = query.where('page_id', '=', pageId);
      return query;
    },
    listing,
    { limit, cursor },
  );
  return { appointments: await shown(ctx, rows), ...next };
}

async function shown(ctx: Context, rows: readonly AppointmentRow[]) {
  const pages = new Map<string, OpenPage>();
  for (const { page_id: id } of rows) {
    const page = pages.has(id) ? undefined : await pageById(ctx, id);
    if (page !== undefined) pages.set(id, page);
  }
  const busy = new Map<string, Awaited<ReturnType<typeof eventsIn>>>();
  const held = rows.filter(({ seat }) => seat !== null);
  const own = new Set(held.map(({ object_id: id }) => id));
  for (const [id, page] of pages) {
    const times = held.filter((row) => row.page_id === id);
    if (times.length === 0) continue;
    const from = Math.min(...times.map((row) => row.start_at));
    const to = Math.max(...times.map((row) => row.end_at));
    busy.set(id, await eventsIn(ctx, await conflictCalendars(ctx, page), { from, to }));
  }
  return rows.flatMap((row) => {
    const page = pages.get(row.page_id);
    if (page === undefined) return [];
    const inTheWay = (busy.get(row.page_id) ?? []).some(
      (event) => !own.has(event.object_id) && event.start_at < row.end_at && event.end_at > row.start_at,
    );
    return [toAppointment(openAppointment(ctx, page, row), { conflict: row.seat !== null && inTheWay })];
  });
}
