import type { Actor, Guest } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { booking } from '../../contract/calendar/booking.ts';
import type { Slot } from '../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { BookingPageRow } from '../../platform/store/tables/booking.ts';
import { isUniqueViolation } from '../../platform/store/violation.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { once } from '../../service/repeats.ts';
import { sealedContentKey } from '../../shared/content-keys/content-keys.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { book, requireType } from './booking/book.ts';
import { bookableSlots } from './booking/find-slots.ts';
import { checkCalendars, checkedTypes } from './booking/page-input.ts';
import {
  openPage,
  pageKeyPurpose,
  requireOwnPage,
  requirePublicPage,
  sealJson,
  settingsPurpose,
  toPage,
  toPublicPage,
  type PageSettings,
} from './booking/page-rows.ts';
import type { FreeSlot, Interval } from './booking/slots.ts';
import { assertRange, momentIn } from './events/range.ts';
import { DAY, MINUTE } from './recurrence/civil.ts';
import { zonesOf } from './objects/known-zones.ts';
import type { Zones } from './recurrence/zones.ts';
import { requireZone, zoneOfMember } from './zones.ts';

type Contract = typeof booking;

const pagesOf = writtenQuery<BookingPageRow>(
  'select * from booking_pages where owner_id = $1 and deleted_at is null order by id',
);
const bySlug = writtenQuery<{ id: string }>('select id from booking_pages where slug = $1');

/** Not the page of its own time: a slug that is kept for a while is taken as well. */
function slugTaken(): Problem {
  return new Problem('conflict', 'SLUG_TAKEN', 'Another booking page has this address. Choose another one.');
}

export async function createBookingPage(
  ctx: Context,
  actor: Actor,
  { slug, active, ...given }: InputOf<Contract['createBookingPage']>,
): Promise<ReplyOf<Contract['createBookingPage']>> {
  const { memberId } = actor;
  const timezone =
    given.timezone === undefined ? await zoneOfMember(ctx, memberId) : requireZone(given.timezone, 'timezone');
  try {
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      await checkCalendars(tx, memberId, given);
      return await once(tx, async () => {
        // Two requests at once count one after the other.
        await lockMembers(tx, [memberId]);
        const { rows } = await tx.db.executeQuery(pagesOf(memberId));
        if (rows.length >= bookingLimits.pages)
          throw new Problem(
            'conflict',
            'PAGES_FULL',
            `You have ${bookingLimits.pages} booking pages, the most there can be. Delete one first.`,
          );
        if ((await tx.db.executeQuery(bySlug(slug))).rows.length > 0) throw slugTaken();
        const settings: PageSettings = {
          ...given,
          timezone,
          appointmentTypes: checkedTypes(tx, given.appointmentTypes),
        };
        const row = await insertPage(tx, memberId, { slug, active: active ? 1 : 0 }, settings);
        return { page: toPage(tx, { row, settings }) };
      });
    });
  } catch (error) {
    // Somebody else was faster.
    if (isUniqueViolation(error, 'slug')) throw slugTaken();
    throw error;
  }
}

async function insertPage(
  tx: Context,
  ownerId: string,
  named: Pick<BookingPageRow, 'slug' | 'active'>,
  settings: PageSettings,
): Promise<BookingPageRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const place = { id, content_key: sealedContentKey(tx, pageKeyPurpose(id)) };
  const row: BookingPageRow = {
    ...place,
    owner_id: ownerId,
    ...named,
    created_at: now,
    modified_at: now,
    deleted_at: null,
    sealed: sealJson(tx, place, settingsPurpose(id), settings),
  };
  await insertRows(tx.db, 'booking_pages', [row]);
  return row;
}

export async function listBookingPages(
  ctx: Context,
  { memberId }: Actor,
): Promise<ReplyOf<Contract['listBookingPages']>> {
  const { rows } = await ctx.db.executeQuery(pagesOf(memberId));
  return { pages: rows.map((row) => toPage(ctx, openPage(ctx, row))) };
}

export async function showPageSettings(
  ctx: Context,
  { memberId }: Actor,
  { slug }: InputOf<Contract['showPageSettings']>,
): Promise<ReplyOf<Contract['showPageSettings']>> {
  return { page: toPage(ctx, await requireOwnPage(ctx, memberId, slug)) };
}

const change = writtenQuery('update booking_pages set active = $1, sealed = $2, modified_at = $3 where id = $4');

export async function updateBookingPage(
  ctx: Context,
  actor: Actor,
  { slug, active, ...given }: InputOf<Contract['updateBookingPage']>,
): Promise<ReplyOf<Contract['updateBookingPage']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnPage(tx, memberId, slug);
    await lockMembers(tx, [memberId]);
    const { row: before, settings } = await requireOwnPage(tx, memberId, slug);
    const { timezone, calendarId, conflictCalendarIds, appointmentTypes, maxPerDay, ...plain } = given;
    await checkCalendars(tx, memberId, {
      calendarId: calendarId ?? undefined,
      conflictCalendarIds: conflictCalendarIds ?? undefined,
    });
    const changed: PageSettings = {
      ...settings,
      ...withoutMissing(plain),
      ...(timezone !== undefined && { timezone: requireZone(timezone, 'timezone') }),
      ...(calendarId !== undefined && { calendarId: calendarId ?? undefined }),
      ...(conflictCalendarIds !== undefined && { conflictCalendarIds: conflictCalendarIds ?? undefined }),
      ...(maxPerDay !== undefined && { maxPerDay: maxPerDay ?? undefined }),
      ...(appointmentTypes !== undefined && {
        appointmentTypes: checkedTypes(tx, appointmentTypes, settings.appointmentTypes),
      }),
    };
    const row: BookingPageRow = {
      ...before,
      active: active === undefined ? before.active : active ? 1 : 0,
      sealed: sealJson(tx, before, settingsPurpose(before.id), changed),
      // What is kept of slots goes by it: two changes within a millisecond are two.
      modified_at: Math.max(tx.clock.now(), before.modified_at + 1),
    };
    await tx.db.executeQuery(change(row.active, row.sealed, row.modified_at, row.id));
    return { page: toPage(tx, { row, settings: changed }) };
  });
}

function withoutMissing<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

const markDeleted = writtenQuery('update booking_pages set deleted_at = $1, active = 0 where id = $2');

export async function deleteBookingPage(
  ctx: Context,
  actor: Actor,
  { slug }: InputOf<Contract['deleteBookingPage']>,
): Promise<{ success: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnPage(tx, actor.memberId, slug);
    await lockMembers(tx, [actor.memberId]);
    const { row } = await requireOwnPage(tx, actor.memberId, slug);
    await tx.db.executeQuery(markDeleted(tx.clock.now(), row.id));
  });
  return { success: true };
}

export async function showBookingPage(
  ctx: Context,
  _guest: Guest,
  { slug }: InputOf<Contract['showBookingPage']>,
): Promise<ReplyOf<Contract['showBookingPage']>> {
  return { page: toPublicPage(await requirePublicPage(ctx, slug)) };
}

export async function listSlots(
  ctx: Context,
  _guest: Guest,
  input: InputOf<Contract['listSlots']>,
): Promise<ReplyOf<Contract['listSlots']>> {
  const page = await requirePublicPage(ctx, input.slug);
  const type = requireType(page, input.appointmentType);
  const timezone = input.timezone === undefined ? page.settings.timezone : requireZone(input.timezone, 'timezone');
  const zones = zonesOf(ctx);
  const range = rangeOf(input, timezone, zones, ctx.clock.now());
  const found = await bookableSlots(ctx, page, type, range);
  const slots = found.map((slot) => toSlot(slot, timezone, zones, type.seats > 1));
  const days: Record<string, Slot[]> = {};
  for (const slot of slots) (days[slot.startLocal.slice(0, 10)] ??= []).push(slot);
  return { slots, timezone, days };
}

function rangeOf(
  { date, days, start, end }: InputOf<Contract['listSlots']>,
  zone: string,
  zones: Zones,
  now: number,
): Interval {
  const most = bookingLimits.slotDays;
  if (date === undefined && start === undefined) {
    if (end !== undefined) throw fieldProblem('start', 'is required together with end');
    // From a whole minute on, so that those who ask within it get what was computed for the first.
    const from = Math.floor(now / MINUTE) * MINUTE;
    return { from, to: from + (days ?? 7) * DAY };
  }
  if (date === undefined) {
    if (end === undefined || start === undefined) throw fieldProblem('end', 'is required together with start');
    const range = { from: momentIn(start, 'start', zone, zones), to: momentIn(end, 'end', zone, zones) };
    assertRange(range);
    // A day more for the change of the clocks.
    if (range.to - range.from > (most + 1) * DAY) throw fieldProblem('end', `must be at most ${most} days later`);
    return range;
  }
  if (start !== undefined || end !== undefined)
    throw fieldProblem('date', 'cannot be given together with start and end');
  const from = momentIn(date, 'date', zone, zones);
  const last = new Date(Date.parse(`${date}T00:00:00Z`) + (days ?? 7) * DAY).toISOString().slice(0, 10);
  return { from, to: momentIn(last, 'date', zone, zones) };
}

function toSlot({ start, end, seatsLeft }: FreeSlot, zone: string, zones: Zones, hasSeats: boolean): Slot {
  const offset = zones.offset(zone, start);
  const wall = new Date(start + offset).toISOString().slice(0, 19);
  return {
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    startLocal: `${wall}${offsetText(offset)}`,
    ...(hasSeats && { seatsLeft }),
  };
}

function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export async function bookAppointment(
  ctx: Context,
  guest: Guest,
  input: InputOf<Contract['bookAppointment']>,
): Promise<ReplyOf<Contract['bookAppointment']>> {
  return await book(ctx, guest, input);
}
