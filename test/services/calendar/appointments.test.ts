import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import {
  addEvent,
  appointmentsOf,
  asGuest,
  at,
  book,
  codeOf,
  eventsOn,
  freeOn,
  monday,
  noticesOf,
  pageOf,
  refusal,
} from './booking-scene.ts';
import { openCalendars } from './calendar-scene.ts';

const { showAppointment, listAppointments, cancelAppointment, rescheduleAppointment } = appointments;
const { confirmAppointment, rejectAppointment } = appointments;
const MINUTE = 60_000;

describe.each(bothEngines)('appointments on %s', (engine) => {
  it('are seen, moved and cancelled by whoever has their token, and by nobody else', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const page = await pageOf(scene, ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    const other = await book(scene, page.slug, at('10:00'));
    const { id } = appointment;
    const named = { id, token };
    expect((await asGuest(scene, showAppointment, named)).body.appointment).toEqual(appointment);
    const wrong = [
      {},
      { token: '' },
      { token: other.manageToken },
      { token: token.slice(1) },
      { token: `${token} ` },
      { token: token.toLowerCase() },
    ];
    for (const one of wrong) {
      expect(codeOf(await asGuest(scene, showAppointment, { id, ...one }))).toBe('404 NOT_FOUND');
      expect(codeOf(await asGuest(scene, cancelAppointment, { id, ...one }))).toBe('404 NOT_FOUND');
      const move = { id, ...one, startTime: at('11:00') };
      expect(codeOf(await asGuest(scene, rescheduleAppointment, move))).toBe('404 NOT_FOUND');
      expect(
        (await house.api('GET', `/api/cal/booking/appointments/${id}/ics?token=${encodeURIComponent(one.token ?? '')}`))
          .status,
      ).toBe(404);
    }
    for (const operation of [showAppointment, cancelAppointment, confirmAppointment, rejectAppointment] as const)
      expect(await scene.refused(operation, bob, { id })).toBe('404 NOT_FOUND');
    // A wrong token opens nothing to the host either.
    expect(await scene.refused(showAppointment, ann, { id, token: other.manageToken })).toBe('404 NOT_FOUND');
    expect(codeOf(await asGuest(scene, showAppointment, { id: '0'.repeat(32), token }))).toBe('404 NOT_FOUND');
    const moved = await asGuest(scene, rescheduleAppointment, { ...named, startTime: at('11:00') });
    expect(moved.body.appointment).toMatchObject({
      id,
      status: 'confirmed',
      startTime: at('11:00'),
      eventUid: appointment.eventUid,
    });
    expect(await freeOn(scene, page.slug)).toEqual(['09:00']);
    expect(await eventsOn(scene, ann)).toEqual([
      `10:00 Talk: ${other.appointment.bookerName} CONFIRMED`,
      `11:00 Talk: ${appointment.bookerName} CONFIRMED`,
    ]);
    const cancelled = await asGuest(scene, cancelAppointment, { ...named, reason: 'Ill' });
    expect(cancelled.body.appointment.status).toBe('cancelled');
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '11:00']);
    expect(await eventsOn(scene, ann)).toHaveLength(1);
    expect(codeOf(await asGuest(scene, cancelAppointment, named))).toBe('409 APPOINTMENT_CLOSED');
    expect(codeOf(await asGuest(scene, rescheduleAppointment, { ...named, startTime: at('09:00') }))).toBe(
      '409 APPOINTMENT_CLOSED',
    );
    const told = await noticesOf(scene, ann);
    expect(told.map(({ type, content }) => `${type}: ${content}`).toSorted()).toEqual([
      `booking_cancelled: ${appointment.bookerName} cancelled Talk.`,
      `booking_created: ${appointment.bookerName} moved Talk.`,
      `booking_created: ${other.appointment.bookerName} booked Talk.`,
    ]);
  });

  it('move only to times that are free, and stay where they are otherwise', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { slotIntervalMinutes: 30, durationMinutes: 60 });
    const one = await book(scene, page.slug, at('09:00'));
    await book(scene, page.slug, at('10:30'));
    const move = async (startTime: string) =>
      await asGuest(scene, rescheduleAppointment, { id: one.appointment.id, token: one.manageToken, startTime });
    for (const time of [at('10:00'), at('10:30'), at('11:00'), at('08:30'), at('09:10')])
      expect(codeOf(await move(time))).toBe('409 SLOT_UNAVAILABLE');
    expect(await freeOn(scene, page.slug)).toEqual([]);
    // Over a part of its own time.
    expect((await move(at('09:30'))).body.appointment.startTime).toBe(at('09:30'));
    expect((await move(at('09:30'))).status).toBe(200);
    expect(await refusal(scene, page.slug, at('09:00'))).toBe('409 SLOT_UNAVAILABLE');
    expect((await eventsOn(scene, ann))[0]).toContain('09:30');
  });

  it('wait for their host, who is asked again whether the time is free', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { requiresConfirmation: true, conferenceUri: 'https://meet.example/x' });
    const one = await book(scene, page.slug, at('09:00'));
    const { id } = one.appointment;
    expect(one.appointment).toMatchObject({ status: 'pending' });
    expect(one.appointment.conferenceUri).toBeUndefined();
    expect(await freeOn(scene, page.slug)).toEqual(['10:00', '11:00']);
    expect((await eventsOn(scene, ann))[0]).toContain('TENTATIVE');
    const { id: event } = await addEvent(scene, ann, '2026-01-19T09:30:00', '2026-01-19T10:00:00');
    expect(await scene.refused(confirmAppointment, ann, { id })).toBe('409 SLOT_UNAVAILABLE');
    await scene.done(events.deleteEvent, ann, { id: event });
    const { appointment } = await scene.done(confirmAppointment, ann, { id });
    expect(appointment).toMatchObject({ status: 'confirmed', conferenceUri: 'https://meet.example/x' });
    expect((await eventsOn(scene, ann))[0]).toContain('CONFIRMED');
    for (const operation of [confirmAppointment, rejectAppointment] as const)
      expect(await scene.refused(operation, ann, { id })).toBe('409 APPOINTMENT_CLOSED');
    // Moved by the guest, it needs the word of the host again.
    const again = { id, token: one.manageToken, startTime: at('11:00') };
    expect((await asGuest(scene, rescheduleAppointment, again)).body.appointment.status).toBe('pending');
    expect((await scene.done(rejectAppointment, ann, { id, reason: 'No' })).appointment.status).toBe('rejected');
    expect(await eventsOn(scene, ann)).toEqual([]);
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00', '11:00']);
  });

  it('are listed for their host in pages, by range, state and page', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const page = await pageOf(scene, ann);
    const second = await pageOf(scene, ann, {}, { slug: 'ann-other' });
    await pageOf(scene, bob);
    const made = [
      await book(scene, page.slug, at('09:00')),
      await book(scene, second.slug, at('11:00')),
      await book(scene, page.slug, at('10:00', '2026-01-20')),
      await book(scene, 'bob-talks', at('09:00')),
    ].map(({ appointment: { id } }) => id);
    const list = async (input: Parameters<typeof scene.done<typeof listAppointments>>[2], who = ann) =>
      (await scene.done(listAppointments, who, input)).appointments.map(({ id }) => made.indexOf(id));
    expect(await list({})).toEqual([0, 1, 2]);
    expect(await list({}, bob)).toEqual([3]);
    expect(await list({ start: '2026-01-20', end: '2026-01-21' })).toEqual([2]);
    expect(await list({ page: 'ann-other' })).toEqual([1]);
    expect(await scene.refused(listAppointments, ann, { page: 'bob-talks' })).toBe('404 NOT_FOUND');
    await scene.done(cancelAppointment, ann, { id: made[0]! });
    expect(await list({ status: 'cancelled' })).toEqual([0]);
    const first = await scene.done(listAppointments, ann, { limit: 2 });
    const rest = await scene.done(listAppointments, ann, { limit: 2, cursor: first.cursor });
    expect([first.appointments.length, rest.appointments.map(({ id }) => id), rest.hasMore]).toEqual([
      2,
      [made[2]],
      false,
    ]);
    expect(await scene.refused(listAppointments, bob, { cursor: first.cursor })).toBe('400 INVALID_CURSOR');
  });

  it('outlive their page and the deletion of their event, and not the suspension of their host', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const page = await pageOf(scene, ann);
    const one = await book(scene, page.slug, at('09:00'));
    const two = await book(scene, page.slug, at('10:00'));
    const { events: found } = await scene.done(events.listEvents, ann, { start: monday, end: '2026-01-20' });
    for (const { id } of found) await scene.done(events.deleteEvent, ann, { id });
    expect(await freeOn(scene, page.slug)).toEqual(['11:00']);
    const back = { id: one.appointment.id, startTime: at('11:00') };
    expect((await scene.done(rescheduleAppointment, ann, back)).appointment.startTime).toBe(at('11:00'));
    expect(await eventsOn(scene, ann)).toHaveLength(1);
    await scene.done(booking.deleteBookingPage, ann, { slug: page.slug });
    const guest = { id: two.appointment.id, token: two.manageToken };
    expect((await asGuest(scene, showAppointment, guest)).status).toBe(200);
    expect((await asGuest(scene, cancelAppointment, guest)).body.appointment.status).toBe('cancelled');
    expect(await appointmentsOf(scene, ann)).toHaveLength(2);
    await scene.suspend(ann);
    expect(codeOf(await asGuest(scene, showAppointment, guest))).toBe('404 NOT_FOUND');
    expect((await house.api('GET', `/api/cal/booking/appointments/${guest.id}/ics?token=${guest.token}`)).status).toBe(
      404,
    );
  });

  it('are closed when they are over, and forgotten after a year', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const page = await pageOf(scene, ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    house.clock.advance(Date.parse(at('10:00')) - house.clock.now() - 1);
    const named = { id: appointment.id, token };
    const move = { ...named, startTime: at('11:00', '2026-01-20') };
    expect((await asGuest(scene, rescheduleAppointment, move)).status).toBe(200);
    expect(
      (await asGuest(scene, rescheduleAppointment, { ...move, startTime: at('09:00', '2026-01-20') })).status,
    ).toBe(200);
    house.clock.advance(24 * 60 * MINUTE + 1);
    expect(codeOf(await asGuest(scene, cancelAppointment, named))).toBe('409 APPOINTMENT_CLOSED');
    const { purgeCalendars } = await import('../../../src/services/calendar/purge.ts');
    const rows = async () => ({
      appointments: (await house.ctx.db.selectFrom('appointments').select('id').execute()).length,
      cells: (await house.ctx.db.selectFrom('booking_cells').select('cell').execute()).length,
    });
    await purgeCalendars(house.ctx);
    expect(await rows()).toEqual({ appointments: 1, cells: 12 });
    house.clock.advance(366 * 24 * 60 * MINUTE);
    await purgeCalendars(house.ctx);
    expect(await rows()).toEqual({ appointments: 0, cells: 0 });
  });

  it('come as a file for calendars, in which nothing that somebody wrote is more than text', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann, { location: 'A;B,C\\D', name: 'Talk' });
    const { appointment, icsUrl } = await book(scene, page.slug, at('09:00'), { bookerName: 'Eve;X,Y\\nEND:VEVENT' });
    const { pathname, search } = new URL(icsUrl);
    const answer = await scene.house.fetch(new Request(`http://localhost${pathname}${search}`));
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const text = (await answer.text()).replaceAll('\r\n ', '');
    expect(text.split('\r\n')).toEqual(
      expect.arrayContaining([
        'METHOD:PUBLISH',
        `UID:${appointment.eventUid}`,
        'SUMMARY:Talk (ann)',
        'STATUS:CONFIRMED',
        String.raw`LOCATION:A\;B\,C\\D`,
        'SEQUENCE:0',
      ]),
    );
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(1);
    const exported = await scene.done(events.listEvents, scene.ann, { start: monday, end: '2026-01-20' });
    expect(exported.events[0]?.summary).toBe('Talk: Eve;X,Y\\nEND:VEVENT');
  });
});
