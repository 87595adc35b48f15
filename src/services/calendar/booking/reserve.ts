import type { Context } from '../../../service/context.ts';
import type { AppointmentType } from '../../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { AppointmentRow, BookingCellRow } from '../../../platform/store/tables/booking.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { computedSlots } from './find-slots.ts';
import { MINUTE } from '../recurrence/civil.ts';
import { conflictCalendars } from './occupied.ts';
import type { OpenPage } from './page-rows.ts';
import { busyOf, CELL, cellsOf, type Interval } from './slots.ts';

/** Time of a host, as appointments take it. The schema lets two never take the same. */

/**
 * Keeps others from booking with the host, and from changing the page and the calendars that count, until the transaction ends: whoever writes an
 * event locks the owner of its calendar. What was read before may have changed until the lock was there.
 */
export async function lockHost(tx: Context, page: OpenPage): Promise<void> {
  const calendars = await conflictCalendars(tx, page);
  await lockMembers(tx, [page.row.owner_id, ...calendars.map((calendar) => calendar.owner_id)]);
}

/** What of an appointment its time is. */
export type TakenTime = Pick<AppointmentRow, 'start_at' | 'end_at' | 'busy_from' | 'busy_to' | 'seat'>;

/**
 * Takes time of a host whom `lockHost` has locked.
 * @param moving the appointment that moves there, and gives its own time back
 * @throws Problem conflict SLOT_UNAVAILABLE
 */
export async function takeTime(
  tx: Context,
  page: OpenPage,
  type: AppointmentType,
  start: number,
  moving?: AppointmentRow,
): Promise<TakenTime> {
  const calendars = await conflictCalendars(tx, page);
  const slots = await computedSlots(tx, page, type, { from: start, to: start + 1 }, calendars, moving?.id);
  const slot = slots.find((one) => one.start === start);
  if (slot === undefined) throw slotTaken();
  if (moving !== undefined) await freeTime(tx, moving, moving.status);
  const busy = busyOf(type, start);
  const seat = await freeSeat(tx, type, start);
  await takeCells(tx, page.row.owner_id, type, start, cellsOf(busy));
  return { start_at: start, end_at: slot.end, busy_from: busy.from, busy_to: busy.to, seat };
}

const seatsOf = writtenQuery<{ seat: number }>(
  'select seat from appointments where type_id = $1 and start_at = $2 and seat is not null order by seat',
);

async function freeSeat({ db }: Pick<Context, 'db'>, type: AppointmentType, start: number): Promise<number> {
  const { rows } = await db.executeQuery(seatsOf(type.id, start));
  const taken = new Set(rows.map(({ seat }) => seat));
  for (let seat = 0; seat < type.seats; seat += 1) if (!taken.has(seat)) return seat;
  throw slotTaken();
}

const cellsIn = writtenQuery<BookingCellRow>(
  'select * from booking_cells where host_id = $1 and cell >= $2 and cell < $3',
);

/** Those who have seats at one time share its cells. */
async function takeCells(
  { db }: Pick<Context, 'db'>,
  hostId: string,
  { id: typeId }: AppointmentType,
  start: number,
  { from, to }: Interval,
): Promise<void> {
  const [first, end] = [from / CELL, to / CELL];
  const there = (await db.executeQuery(cellsIn(hostId, first, end))).rows;
  if (there.some((cell) => cell.type_id !== typeId || cell.start_at !== start)) throw slotTaken();
  const known = new Set(there.map(({ cell }) => cell));
  const rows: BookingCellRow[] = [];
  for (let cell = first; cell < end; cell += 1)
    if (!known.has(cell)) rows.push({ host_id: hostId, cell, type_id: typeId, start_at: start });
  await insertRows(db, 'booking_cells', rows);
}

const release = writtenQuery('update appointments set seat = null, status = $1, modified_at = $2 where id = $3');
const others = writtenQuery<{ count: number }>(
  'select count(*) as count from appointments where type_id = $1 and start_at = $2 and seat is not null',
);
const dropCells = writtenQuery(
  'delete from booking_cells where host_id = $1 and type_id = $2 and start_at = $3 and cell >= $4 and cell < $5',
);
/** No appointment takes time longer before or after its begin. */
const BEFORE = bookingLimits.buffer * MINUTE;
const AFTER = (bookingLimits.longest + bookingLimits.buffer) * MINUTE;

/**
 * Gives the time of an appointment back, and with the last seat also cells of others who had one when buffers were longer.
 * @param status that it has then
 */
export async function freeTime(tx: Context, row: AppointmentRow, status: string): Promise<void> {
  await tx.db.executeQuery(release(status, tx.clock.now(), row.id));
  const { count } = onlyRow((await tx.db.executeQuery(others(row.type_id, row.start_at))).rows);
  if (count > 0) return;
  const { from, to } = cellsOf({ from: row.start_at - BEFORE, to: row.start_at + AFTER });
  await tx.db.executeQuery(dropCells(row.host_id, row.type_id, row.start_at, from / CELL, to / CELL));
}

export function slotTaken(): Problem {
  return new Problem(
    'conflict',
    'SLOT_UNAVAILABLE',
    'This time cannot be booked, or not any more. Choose another one.',
  );
}
