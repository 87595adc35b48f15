import type { Actor, Guest } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Download } from '../../service/raw-bodies.ts';
import type { appointments } from '../../contract/calendar/appointments.ts';
import type { Appointment, AppointmentType } from '../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import type { AppointmentRow } from '../../platform/store/tables/booking.ts';
import { isUniqueViolation } from '../../platform/store/violation.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { notThere } from './access.ts';
import { listOf } from './booking/appointment-list.ts';
import { withinQuota } from './booking/book.ts';
import {
  isTokenOf,
  manageUrl,
  openAppointment,
  sealGuest,
  toAppointment,
  type GuestData,
  type OpenAppointment,
} from './booking/guest-data.ts';
import { dropEvent, guestIcs, putEvent } from './booking/guest-event.ts';
import { planGuestMail, type GuestNews } from './booking/guest-mail.ts';
import { tellHost } from './booking/notices.ts';
import { conflictCalendars, eventsIn } from './booking/occupied.ts';
import { activeHost, pageById } from './booking/page-rows.ts';
import { freeTime, lockHost, slotTaken, takeTime } from './booking/reserve.ts';

type Contract = typeof appointments;
type Who = Actor | Guest;
interface Named {
  readonly id: string;
  readonly token?: string | undefined;
}

export async function listAppointments(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['listAppointments']>,
): Promise<ReplyOf<Contract['listAppointments']>> {
  return await listOf(ctx, memberId, input);
}

export async function showAppointment(
  ctx: Context,
  who: Who,
  input: InputOf<Contract['showAppointment']>,
): Promise<ReplyOf<Contract['showAppointment']>> {
  const found = await requireAppointment(ctx, who, input);
  return { appointment: await shown(ctx, found.open, found) };
}

export async function appointmentIcs(
  ctx: Context,
  who: Who,
  input: InputOf<Contract['appointmentIcs']>,
): Promise<Download> {
  const { open, isHost, hostName } = await requireAppointment(ctx, who, input);
  const content = guestIcs(ctx, open, hostName, isHost ? undefined : manageUrl(ctx, open));
  return { type: 'text/calendar; charset=utf-8', content, filename: 'appointment.ics' };
}

const byId = writtenQuery<AppointmentRow>('select * from appointments where id = $1');

interface Found {
  readonly open: OpenAppointment;
  readonly isHost: boolean;
  readonly hostName: string;
}

/**
 * An appointment for whoever has its token, and for its host. A wrong token opens nothing, not even to its host.
 * @throws Problem missing NOT_FOUND
 */
async function requireAppointment(ctx: Context, who: Who, { id, token }: Named): Promise<Found> {
  const [row] = (await ctx.db.executeQuery(byId(id))).rows;
  const isHost = token === undefined && who.kind === 'member' && row?.host_id === who.memberId;
  const isGuest = token !== undefined && row !== undefined && isTokenOf(row, token);
  const host = row === undefined || !(isHost || isGuest) ? undefined : await activeHost(ctx, row.host_id);
  const page = row === undefined || host === undefined ? undefined : await pageById(ctx, row.page_id);
  if (row === undefined || host === undefined || page === undefined) throw notThere('appointment');
  return { open: openAppointment(ctx, page, row), isHost, hostName: host.username };
}

async function shown(
  ctx: Context,
  open: OpenAppointment,
  { isHost, hostName }: Pick<Found, 'isHost' | 'hostName'>,
): Promise<Appointment> {
  return isHost ? toAppointment(open, { conflict: await hasConflict(ctx, open) }) : toAppointment(open, { hostName });
}

/** Whether an event of the host takes the time of an appointment. */
async function hasConflict(ctx: Context, { row, page }: OpenAppointment): Promise<boolean> {
  if (row.seat === null) return false;
  const calendars = await conflictCalendars(ctx, page);
  const events = await eventsIn(ctx, calendars, { from: row.start_at, to: row.end_at });
  return await collides(ctx, row, events);
}

const ofTime = writtenQuery<{ object_id: string }>(
  'select object_id from appointments where type_id = $1 and start_at = $2 and seat is not null',
);

/** Those who have seats at one time are in each other's way no more than an appointment is in its own. */
async function collides(
  { db }: Pick<Context, 'db'>,
  row: AppointmentRow,
  events: readonly { readonly object_id: string }[],
): Promise<boolean> {
  const own = new Set((await db.executeQuery(ofTime(row.type_id, row.start_at))).rows.map((one) => one.object_id));
  return events.some((event) => !own.has(event.object_id));
}

/**
 * Changes an appointment while nobody else books with its host.
 * @throws Problem missing NOT_FOUND; conflict APPOINTMENT_CLOSED for one that is over, cancelled or rejected
 */
async function changing(
  ctx: Context,
  who: Who,
  named: Named,
  work: (tx: Context, found: Found) => Promise<OpenAppointment>,
): Promise<{ appointment: Appointment }> {
  return await transaction(ctx, async (tx) => {
    if (who.kind === 'member' && named.token === undefined) await assertStillSignedIn(tx, who);
    const before = await requireAppointment(tx, who, named);
    await lockHost(tx, before.open.page);
    const found = await requireAppointment(tx, who, named);
    const { row } = found.open;
    if (row.seat === null || row.end_at <= tx.clock.now()) throw closed();
    const after = await work(tx, found);
    return { appointment: await shown(tx, after, found) };
  });
}

function closed(): Problem {
  return new Problem('conflict', 'APPOINTMENT_CLOSED', 'This appointment is over, cancelled, or decided already.');
}

export async function cancelAppointment(
  ctx: Context,
  who: Who,
  { reason, ...named }: InputOf<Contract['cancelAppointment']>,
): Promise<{ appointment: Appointment }> {
  return await changing(ctx, who, named, async (tx, { open, isHost }) => {
    const after = await end(tx, open, 'cancelled', { reason, reasonBy: isHost ? 'host' : 'guest' });
    if (!isHost) await tellHost(tx, after, 'cancelled');
    await planGuestMail(tx, after, 'cancelled');
    return after;
  });
}

const reword = writtenQuery('update appointments set sealed = $1, modified_at = $2 where id = $3');

async function end(
  tx: Context,
  open: OpenAppointment,
  status: 'cancelled' | 'rejected',
  said: Pick<GuestData, 'reason' | 'reasonBy'>,
): Promise<OpenAppointment> {
  const { row, page } = open;
  await freeTime(tx, row, status);
  await dropEvent(tx, open);
  const data: GuestData = { ...open.data, ...said, sequence: open.data.sequence + 1 };
  const now = tx.clock.now();
  const sealed = sealGuest(tx, page, row, data);
  await tx.db.executeQuery(reword(sealed, now, row.id));
  return { page, data, row: { ...row, status, seat: null, sealed, modified_at: now } };
}

const move = writtenQuery(`
  update appointments set status = $1, start_at = $2, end_at = $3, busy_from = $4, busy_to = $5, seat = $6,
    calendar_id = $7, object_id = $8, sealed = $9, modified_at = $10 where id = $11`);

export async function rescheduleAppointment(
  ctx: Context,
  who: Who,
  { startTime, ...named }: InputOf<Contract['rescheduleAppointment']>,
): Promise<{ appointment: Appointment }> {
  try {
    return await changing(ctx, who, named, async (tx, { open, isHost }) => {
      const { row, page } = open;
      const start = Date.parse(startTime);
      if (start === row.start_at) return open;
      const type = movableType(open, isHost);
      const time = await takeTime(tx, page, type, start, row);
      const status = type.requiresConfirmation && !isHost ? 'pending' : row.status;
      const after = await rewrite(tx, open, { ...row, ...time, status }, { sequence: open.data.sequence + 1 });
      if (!isHost) await tellHost(tx, after, 'moved');
      await planGuestMail(tx, after, 'moved');
      return after;
    });
  } catch (error) {
    // Somebody else was faster.
    throw isUniqueViolation(error) ? slotTaken() : error;
  }
}

/** What guests moved too often, or what is not offered any more, stays where it is. @throws Problem conflict SLOT_UNAVAILABLE */
function movableType({ row, page, data }: OpenAppointment, isHost: boolean): AppointmentType {
  const type = page.settings.appointmentTypes.find(({ id, active }) => active && id === row.type_id);
  const isOffered = page.row.deleted_at === null && page.row.active === 1;
  if (type === undefined || !isOffered || (!isHost && data.sequence >= bookingLimits.moves)) throw slotTaken();
  return type;
}

/** Writes an appointment as it is now, and its event. */
async function rewrite(
  tx: Context,
  { page, data: before }: OpenAppointment,
  wanted: AppointmentRow,
  changed: Partial<GuestData>,
): Promise<OpenAppointment> {
  const data = { ...before, ...changed };
  const place = await withinQuota(async () => await putEvent(tx, { row: wanted, data, page }));
  const row: AppointmentRow = {
    ...wanted,
    calendar_id: place.calendar_id,
    object_id: place.id,
    sealed: sealGuest(tx, page, wanted, data),
    modified_at: tx.clock.now(),
  };
  await tx.db.executeQuery(
    move(
      row.status,
      row.start_at,
      row.end_at,
      row.busy_from,
      row.busy_to,
      row.seat,
      row.calendar_id,
      row.object_id,
      row.sealed,
      row.modified_at,
      row.id,
    ),
  );
  return { page, data, row };
}

export async function confirmAppointment(
  ctx: Context,
  actor: Actor,
  named: InputOf<Contract['confirmAppointment']>,
): Promise<{ appointment: Appointment }> {
  return await decided(
    ctx,
    actor,
    named,
    async (tx, open) => {
      const { row, page } = open;
      // What came into the calendars since it was asked for.
      const calendars = await conflictCalendars(tx, page);
      const events = await eventsIn(tx, calendars, { from: row.busy_from, to: row.busy_to });
      if (await collides(tx, row, events)) {
        const message = 'An event takes the time by now. Move it, or the appointment, or reject the appointment.';
        throw new Problem('conflict', 'SLOT_UNAVAILABLE', message);
      }
      return await rewrite(tx, open, { ...row, status: 'confirmed' }, { sequence: open.data.sequence + 1 });
    },
    'confirmed',
  );
}

export async function rejectAppointment(
  ctx: Context,
  actor: Actor,
  { reason, ...named }: InputOf<Contract['rejectAppointment']>,
): Promise<{ appointment: Appointment }> {
  return await decided(
    ctx,
    actor,
    named,
    async (tx, open) => await end(tx, open, 'rejected', { reason, reasonBy: 'host' }),
    'rejected',
  );
}

/** What the host says of one that waits. */
async function decided(
  ctx: Context,
  actor: Actor,
  named: Named,
  decide: (tx: Context, open: OpenAppointment) => Promise<OpenAppointment>,
  news: GuestNews,
): Promise<{ appointment: Appointment }> {
  return await changing(ctx, actor, named, async (tx, { open }) => {
    if (open.row.status !== 'pending') throw closed();
    const after = await decide(tx, open);
    await planGuestMail(tx, after, news);
    return after;
  });
}
