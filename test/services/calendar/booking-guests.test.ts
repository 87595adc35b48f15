import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import {
  addEvent,
  aType,
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
  wanted,
} from './booking-scene.ts';
import { openCalendars } from './calendar-scene.ts';

const { listSlots, bookAppointment } = booking;
const DAY = 86_400_000;
const MINUTE = 60_000;

describe.each(bothEngines)('bookings on %s', (engine) => {
  it('take time, and write an event with what the guest said', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const questions = [
      { id: 'topic', label: 'Topic', type: 'text' as const, required: true },
      { id: 'news', label: 'Send news', type: 'checkbox' as const },
    ];
    const page = await pageOf(scene, ann, { questions, location: 'Room 7' });
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00', '11:00']);
    const answers = { topic: 'Tides', news: true };
    const booked = await book(scene, page.slug, at('10:00'), {
      bookerName: 'Eve',
      bookerEmail: 'eve@else.example',
      timezone: 'Asia/Tokyo',
      answers,
      notes: 'Until then',
      guests: ['dan@else.example'],
    });
    expect(booked).toMatchObject({
      delivery: 'NO_ROUTE',
      manageToken: expect.stringMatching(/^[\w-]{43}$/),
      appointment: {
        status: 'confirmed',
        page: page.slug,
        host: { displayName: 'ann' },
        startTime: at('10:00'),
        endTime: at('11:00'),
        timezone: 'Asia/Tokyo',
        appointmentType: 'Talk',
        bookerName: 'Eve',
        answers,
        notes: 'Until then',
        guests: ['dan@else.example'],
        location: 'Room 7',
      },
    });
    expect(booked.manageUrl).toContain(`/book/${page.slug}/${booked.appointment.id}?token=${booked.manageToken}`);
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '11:00']);
    const { events: found } = await scene.done(events.listEvents, ann, { start: monday, end: '2026-01-20' });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      uid: booked.appointment.eventUid,
      summary: 'Talk: Eve',
      location: 'Room 7',
      transparency: 'OPAQUE',
      dtstartTzid: 'UTC',
      description: expect.stringMatching(
        /Eve <eve@else\.example>\nWith dan@else\.example\nTopic: Tides\nSend news: yes\n\nUntil then/,
      ),
    });
    const told = await noticesOf(scene, ann);
    expect(told.map(({ type, category, content }) => [type, category, content])).toEqual([
      ['booking_created', 'calendar', 'Eve booked Talk.'],
    ]);
    // Nothing of it can be read in the store.
    const [row] = await scene.house.ctx.db.selectFrom('appointments').selectAll().execute();
    const stored = JSON.stringify({ ...row, sealed: Buffer.from(row!.sealed).toString('latin1') });
    for (const text of ['Eve', 'eve@', 'Tides', booked.manageToken]) expect(stored).not.toContain(text);
  });

  it('are refused where the time is not free, whoever has it', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann);
    await book(scene, page.slug, at('09:00'));
    expect(await refusal(scene, page.slug, at('09:00'))).toBe('409 SLOT_UNAVAILABLE');
    await addEvent(scene, ann, '2026-01-19T10:30:00', '2026-01-19T10:45:00');
    expect(await refusal(scene, page.slug, at('10:00'))).toBe('409 SLOT_UNAVAILABLE');
    expect(await freeOn(scene, page.slug)).toEqual(['11:00']);
    // Neither in a window, nor in a step of one, nor in time.
    for (const time of [
      at('13:00'),
      at('11:30'),
      at('11:00', '2026-01-18'),
      at('09:00', '2026-06-15'),
      '2026-01-15T13:00:00Z',
    ])
      expect(await refusal(scene, page.slug, time)).toBe('409 SLOT_UNAVAILABLE');
    const second = await pageOf(scene, ann, {}, { slug: 'ann-other' });
    expect(await freeOn(scene, second.slug)).toEqual(['11:00']);
    expect(await refusal(scene, second.slug, at('09:00'))).toBe('409 SLOT_UNAVAILABLE');
  });

  it('do not mind events that take no time', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann);
    await addEvent(scene, ann, '2026-01-19T09:00:00', '2026-01-19T10:00:00', { transparency: 'TRANSPARENT' });
    await addEvent(scene, ann, '2026-01-19T10:00:00', '2026-01-19T11:00:00', { status: 'CANCELLED' });
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00', '11:00']);
    await addEvent(scene, ann, '2026-01-12T11:00:00', '2026-01-12T11:30:00', {
      rrule: 'FREQ=WEEKLY',
      status: 'TENTATIVE',
    });
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00']);
    await addEvent(scene, ann, '2026-01-20', '2026-01-21', { allDay: true, dtstartTzid: undefined });
    expect(await freeOn(scene, page.slug, '2026-01-20')).toEqual([]);
  });

  it('are shown as a conflict to the host when an event comes into their time, which is allowed', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann);
    const { appointment, manageToken: token } = await book(scene, page.slug, at('09:00'));
    const ask = async () => (await scene.done(appointments.showAppointment, ann, { id: appointment.id })).appointment;
    expect((await ask()).conflict).toBeUndefined();
    const { id } = await addEvent(scene, ann, '2026-01-19T09:30:00', '2026-01-19T10:30:00');
    expect((await ask()).conflict).toBe(true);
    const listed = await scene.done(appointments.listAppointments, ann, {});
    expect(listed.appointments.map(({ conflict }) => conflict)).toEqual([true]);
    const seen = await asGuest(scene, appointments.showAppointment, { id: appointment.id, token });
    expect(seen.body.appointment.conflict).toBeUndefined();
    await scene.done(events.deleteEvent, ann, { id });
    expect((await ask()).conflict).toBeUndefined();
  });

  it('end with the caps', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const other = aType({ name: 'Other', maxPerWeek: 1 });
    const page = await pageOf(scene, ann, {}, { maxPerDay: 2, appointmentTypes: [aType({ maxPerDay: 1 }), other] });
    await book(scene, page.slug, at('09:00'));
    expect(await refusal(scene, page.slug, at('11:00'))).toBe('409 SLOT_UNAVAILABLE');
    await book(scene, page.slug, at('10:00'), { appointmentType: 'Other' });
    expect(await freeOn(scene, page.slug, monday, 'Other')).toEqual([]);
    expect(await freeOn(scene, page.slug, '2026-01-20', 'Other')).toEqual([]);
    expect(await freeOn(scene, page.slug, '2026-01-26', 'Other')).toEqual(['09:00', '10:00', '11:00']);
    expect(await freeOn(scene, page.slug, '2026-01-20')).toEqual(['09:00', '10:00', '11:00']);
  });

  it('share their time where there are seats', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { seats: 2 });
    const one = await book(scene, page.slug, at('09:00'));
    await book(scene, page.slug, at('09:00'));
    expect(await refusal(scene, page.slug, at('09:00'))).toBe('409 SLOT_UNAVAILABLE');
    const slots = await asGuest(scene, listSlots, { slug: page.slug, appointmentType: 'talk', date: monday, days: 1 });
    expect(slots.body.slots.map((slot: { seatsLeft: number }) => slot.seatsLeft)).toEqual([2, 2]);
    await scene.done(appointments.cancelAppointment, ann, { id: one.appointment.id });
    await book(scene, page.slug, at('09:00'));
    expect(await eventsOn(scene, ann)).toHaveLength(2);
  });

  it('happen once for one request that comes twice, and are another for another one', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann);
    const request = wanted(page.slug, at('09:00'), { requestId: 'ab'.repeat(16) });
    const first = await asGuest(scene, bookAppointment, request);
    expect(first.status).toBe(201);
    expect(await asGuest(scene, bookAppointment, request)).toMatchObject({ status: 201, body: first.body });
    const other = { ...request, bookerEmail: 'mallory@else.example' };
    expect(codeOf(await asGuest(scene, bookAppointment, other))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(await eventsOn(scene, scene.ann)).toHaveLength(1);
  });

  it.each([
    ['answers.q1', { answers: {} }],
    ['answers.q1', { answers: { q1: '  ' } }],
    ['answers.q1', { answers: { q1: true } }],
    ['answers', { answers: { q1: 'a', ['__proto__']: 'x', other: 'b' } }],
    ['answers.q2', { answers: { q1: 'a', q2: 'green' } }],
    ['answers.q3', { answers: { q1: 'a', q3: 'no' } }],
    ['bookerEmail', { bookerEmail: 'eve' }],
    ['bookerName', { bookerName: '\u200b' }],
    ['bookerName', { bookerName: 'Eve\u202e' }],
    ['bookerName', { bookerName: 'Eve\nBcc: x' }],
    ['appointmentType', { appointmentType: 'Walk' }],
    ['timezone', { timezone: 'Moon/Sea' }],
    ['startTime', { startTime: '2026-02-30T09:00:00Z' }],
  ])('are refused for their %s', async (path, wrong) => {
    await using scene = await openCalendars(engine);
    const questions = [
      { label: 'Topic', type: 'text' as const, required: true },
      { label: 'Color', type: 'select' as const, options: ['red', 'blue'] },
      { label: 'Phone', type: 'phone' as const },
    ];
    const page = await pageOf(scene, scene.ann, { questions });
    const answer = await asGuest(scene, bookAppointment, {
      ...wanted(page.slug, at('09:00'), { answers: { q1: 'a' } }),
      ...wrong,
    });
    expect(codeOf(answer)).toBe('400 VALIDATION_ERROR');
    expect(JSON.stringify(answer.body)).toContain(path);
    expect(await eventsOn(scene, scene.ann)).toEqual([]);
  });

  it('are at most three of one address that are not over, and thirty an hour of a page', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const page = await pageOf(scene, ann, {
      durationMinutes: 5,
      availableWindows: [1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, startTime: '09:00', endTime: '18:00' })),
    });
    const time = (number: number) => new Date(Date.parse(at('09:00')) + number * 5 * MINUTE).toISOString();
    const eve = { bookerEmail: 'Eve@else.example' };
    for (const number of [0, 1, 2]) await book(scene, page.slug, time(number), eve);
    expect(await refusal(scene, page.slug, time(3), { bookerEmail: 'eve@ELSE.example' })).toBe('429 RATE_LIMITED');
    for (let number = 3; number < 30; number += 1) await book(scene, page.slug, time(number));
    expect(await refusal(scene, page.slug, time(30))).toBe('429 RATE_LIMITED');
    house.clock.advance(60 * MINUTE);
    await book(scene, page.slug, time(30));
    // Whoever was there may come again.
    house.clock.advance(4 * DAY);
    await book(scene, page.slug, at('12:00', '2026-01-20'), eve);
  });

  it('are counted by the address that they come from, of IPv6 by its network', async () => {
    const { loadConfig } = await import('../../../src/config/load.ts');
    const { config } = await loadConfig({ flags: {}, env: {}, home: '/', cwd: '/' });
    await using scene = await openCalendars(engine, { config: { limits: config.limits } });
    const { slug } = await pageOf(scene, scene.ann);
    const from = async (address: string) =>
      (await scene.house.perform(bookAppointment, wanted(slug, at('20:00')), undefined, { address })).status;
    for (let number = 0; number < 10; number += 1) expect(await from(`2001:db8::${number}`)).toBe(409);
    expect([await from('2001:db8::ffff'), await from('2001:db8:0:1::1'), await from('192.0.2.1')]).toEqual([
      429, 409, 409,
    ]);
  });

  it('say nothing of how much the host stores', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann);
    const { config } = scene.house.ctx;
    Object.assign(config, { storage: { ...config.storage, perMemberBytes: 10 } });
    const answer = await asGuest(scene, bookAppointment, wanted(page.slug, at('09:00')));
    expect([codeOf(answer), answer.body.error?.message]).toEqual([
      '409 SLOT_UNAVAILABLE',
      'This page takes no bookings at the moment. Ask its host.',
    ]);
  });
});
