import { transaction, type Context } from '../../../service/context.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import type { AppointmentRow } from '../../../platform/store/tables/booking.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';

/** So long the host finds who came. */
const KEPT_MS = 366 * 24 * 60 * 60 * 1000;
/** Rows of one transaction. Other writers wait for it. */
const TOGETHER = 200;
const CELL_MS = 5 * 60 * 1000;

const old = writtenQuery<Pick<AppointmentRow, 'id'>>(
  `select id from appointments where end_at <= $1 order by end_at limit ${TOGETHER}`,
);
const forget = writtenList(0, (ids) => `delete from appointments where id in ${ids}`);

/** Forgets what guests said long after their appointments. */
export async function forgetAppointments(ctx: Context): Promise<void> {
  const until = ctx.clock.now() - KEPT_MS;
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => {
      const ids = (await db.executeQuery(old(until))).rows.map(({ id }) => id);
      if (ids.length > 0) await db.executeQuery(forget(ids));
      return ids.length;
    });
}

const gone = writtenQuery<{ id: string }>(`
  select p.id from booking_pages p where p.deleted_at <= $1
    and not exists (select 1 from appointments a where a.page_id = p.id and a.end_at > $2)
  order by p.deleted_at limit ${TOGETHER}`);
const removePages = writtenList(0, (ids) => `delete from booking_pages where id in ${ids}`);
const removeAppointments = writtenList(0, (ids) => `delete from appointments where page_id in ${ids}`);

/** Forgets pages that were deleted long ago. Their addresses are free then. */
export async function forgetPages(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => {
      const ids = (await db.executeQuery(gone(now - bookingLimits.slugKeptMs, now))).rows.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await db.executeQuery(removeAppointments(ids));
      await db.executeQuery(removePages(ids));
      return ids.length;
    });
}

const past = writtenQuery<{ host_id: string; cell: number }>(
  `select host_id, cell from booking_cells where cell < $1 limit ${TOGETHER}`,
);
const dropPast = writtenQuery('delete from booking_cells where host_id = $1 and cell < $2');

/** Nobody books time that is over. */
export async function forgetCells(ctx: Context): Promise<void> {
  const before = Math.floor(ctx.clock.now() / CELL_MS) - (24 * 60 * 60 * 1000) / CELL_MS;
  let count = 1;
  while (count > 0)
    count = await transaction(ctx, async ({ db }) => {
      const hosts = [...new Set((await db.executeQuery(past(before))).rows.map((row) => row.host_id))].toSorted();
      for (const host of hosts) await db.executeQuery(dropPast(host, before));
      return hosts.length;
    });
}
