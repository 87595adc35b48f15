import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import { aType, asGuest, at, book, codeOf, eventsOn, freeOn, monday, pageOf } from './booking-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { cancelAppointment, rescheduleAppointment, showAppointment } = appointments;

describe.each(bothEngines)('what an appointment leaves behind on %s', (engine) => {
  const day = { start: monday, end: '2026-01-20' };
  const listed = async (scene: CalendarScene, calendarId: string) =>
    (await scene.done(events.listEvents, scene.ann, { ...day, calendarId })).events.map(({ start }) => start);

  it('is one event, wherever the host moved it', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann);
    const { id: other } = await scene.calendarOf(ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    const [event] = (await scene.done(events.listEvents, ann, day)).events;
    await scene.done(events.updateEvent, ann, { id: event!.id, calendarId: other });
    expect(await listed(scene, other)).toEqual([at('09:00')]);
    const named = { id: appointment.id, token };
    expect((await asGuest(scene, rescheduleAppointment, { ...named, startTime: at('11:00') })).status).toBe(200);
    expect(await eventsOn(scene, ann)).toEqual([`11:00 Talk: ${appointment.bookerName} CONFIRMED`]);
    expect(await listed(scene, other)).toHaveLength(1);
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00']);
    expect((await asGuest(scene, cancelAppointment, named)).status).toBe(200);
    expect(await eventsOn(scene, ann)).toEqual([]);
  });

  it('is one event, also if a program has put it anew into another calendar', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann);
    const { id: calendarId } = await scene.calendarOf(ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    const [event] = (await scene.done(events.listEvents, ann, day)).events;
    await scene.done(events.deleteEvent, ann, { id: event!.id });
    const again = { summary: 'Mine', dtstart: `${monday}T09:00:00`, dtend: `${monday}T10:00:00`, tzid: 'UTC' };
    await scene.done(events.createEvent, ann, { ...again, calendarId, uid: appointment.eventUid });
    expect((await asGuest(scene, cancelAppointment, { id: appointment.id, token })).status).toBe(200);
    expect(await eventsOn(scene, ann)).toEqual([]);
  });

  it('takes no time when all have left, also where buffers were longer for some', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const type = { seats: 2, bufferMinutes: 30 };
    const page = await pageOf(scene, ann, type);
    const id = page.appointmentTypes[0]?.id;
    const early = await book(scene, page.slug, at('10:00'));
    await scene.done(booking.updateBookingPage, ann, { slug: page.slug, appointmentTypes: [aType({ id, seats: 2 })] });
    const late = await book(scene, page.slug, at('10:00'));
    for (const { appointment, manageToken: token } of [early, late])
      expect((await asGuest(scene, cancelAppointment, { id: appointment.id, token })).status).toBe(200);
    expect(await house.ctx.db.selectFrom('booking_cells').select('cell').execute()).toEqual([]);
    for (const time of ['09:00', '10:00', '11:00']) await book(scene, page.slug, at(time));
  });

  it('says why to the other side, and shows the host no way in for the guest', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const page = await pageOf(scene, ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    const { id } = appointment;
    const answer = await house.fetch(
      new Request(`http://localhost/api/cal/booking/appointments/${id}/ics`, {
        headers: { authorization: `Bearer ${ann.token}` },
      }),
    );
    const text = await answer.text();
    expect(text).toContain('BEGIN:VEVENT');
    expect(text).not.toContain('token=');
    await asGuest(scene, cancelAppointment, { id, token, reason: 'Ill' });
    const { appointment: seen } = await scene.done(showAppointment, ann, { id });
    expect([seen.status, seen.reason, seen.appointmentTypeId]).toEqual([
      'cancelled',
      'Ill',
      page.appointmentTypes[0]?.id,
    ]);
    const other = await book(scene, page.slug, at('10:00'));
    await scene.done(cancelAppointment, ann, { id: other.appointment.id, reason: 'Away' });
    const named = { id: other.appointment.id, token: other.manageToken };
    expect((await asGuest(scene, showAppointment, named)).body.appointment.reason).toBe('Away');
    expect(codeOf(await asGuest(scene, cancelAppointment, named))).toBe('409 APPOINTMENT_CLOSED');
  });
});
