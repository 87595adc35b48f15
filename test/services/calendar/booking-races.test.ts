import { describe, expect, it } from 'vitest';
import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import type { House } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { withTwoProcesses } from '../../support/two-processes.ts';
import { aType, asGuest, at, book, codeOf, eventsOn, monday, pageOf, wanted } from './booking-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { bookAppointment, createBookingPage } = booking;
const MINUTE = 60_000;

/** How often each answer came. */
function counted(answers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

const once = { '201 undefined': 1, '409 SLOT_UNAVAILABLE': 49 };

async function together(
  scene: Pick<CalendarScene, 'house'>,
  wishes: readonly ReturnType<typeof wanted>[],
): Promise<Record<string, number>> {
  return counted(await Promise.all(wishes.map(async (one) => codeOf(await asGuest(scene, bookAppointment, one)))));
}

const fifty = Array.from({ length: 50 }, (_, index) => index);

async function held(scene: Pick<CalendarScene, 'house'>): Promise<{ seats: number; cells: number }> {
  const { db } = scene.house.ctx;
  const seats = await db.selectFrom('appointments').select('id').where('seat', 'is not', null).execute();
  return { seats: seats.length, cells: (await db.selectFrom('booking_cells').select('cell').execute()).length };
}

describe.each(bothEngines)('fifty bookings at once on %s', (engine) => {
  it('of one time give one', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann);
    expect(
      await together(
        scene,
        fifty.map(() => wanted(page.slug, at('09:00'))),
      ),
    ).toEqual(once);
    expect(await held(scene)).toEqual({ seats: 1, cells: 12 });
    expect(await eventsOn(scene, scene.ann)).toHaveLength(1);
  });

  it('of times that overlap, of two pages and kinds with different buffers, give one', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { slotIntervalMinutes: 5 });
    const more = { name: 'Talk', bufferMinutes: 30, durationMinutes: 30 };
    const other = await pageOf(scene, ann, {}, { slug: 'ann-other', appointmentTypes: [aType(more)] });
    const times = ['09:30', '09:35', '09:40', '09:45', '09:50'];
    const wishes = fifty.map((index) =>
      index % 2 === 0 ? wanted(other.slug, at('10:00')) : wanted(page.slug, at(times[index % 5] as string)),
    );
    expect(await together(scene, wishes)).toEqual(once);
    expect((await held(scene)).seats).toBe(1);
  });

  it('give as many as there are seats', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann, { seats: 3 });
    const counts = await together(
      scene,
      fifty.map(() => wanted(page.slug, at('09:00'))),
    );
    expect(counts).toEqual({ '201 undefined': 3, '409 SLOT_UNAVAILABLE': 47 });
    expect(await held(scene)).toEqual({ seats: 3, cells: 12 });
  });

  it('keep the caps of a day, a week and the page', async () => {
    for (const [type, more] of [
      [{ maxPerDay: 2 }, {}],
      [{ maxPerWeek: 2 }, {}],
      [{}, { maxPerDay: 2 }],
    ] as const) {
      await using scene = await openCalendars(engine);
      const page = await pageOf(scene, scene.ann, { durationMinutes: 30, ...type }, more);
      const times = ['09:00', '09:30', '10:00', '10:30', '11:00'];
      const counts = await together(
        scene,
        times.map((time) => wanted(page.slug, at(time))),
      );
      expect({ type, more, counts }).toEqual({ type, more, counts: { '201 undefined': 2, '409 SLOT_UNAVAILABLE': 3 } });
    }
  });

  it('of one request give one appointment and one answer', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann);
    const request = wanted(page.slug, at('09:00'), { requestId: '5a'.repeat(16) });
    const answers = await Promise.all(
      fifty.slice(0, 10).map(async () => await asGuest(scene, bookAppointment, request)),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
  });

  it('of one address give three, and of one page thirty', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann, {
      durationMinutes: 5,
      availableWindows: [{ dayOfWeek: 1, startTime: '00:00', endTime: '24:00' }],
    });
    const time = (index: number) => new Date(Date.parse(at('00:00')) + index * 5 * MINUTE).toISOString();
    const one = { bookerEmail: 'eve@else.example' };
    const few = await together(
      scene,
      fifty.slice(0, 8).map((index) => wanted(page.slug, time(index), one)),
    );
    expect(few).toEqual({ '201 undefined': 3, '429 RATE_LIMITED': 5 });
    const many = await together(
      scene,
      fifty.slice(10).map((index) => wanted(page.slug, time(index))),
    );
    expect(many).toEqual({ '201 undefined': 27, '429 RATE_LIMITED': 13 });
  });

  it('never land on an event that is made at the same time', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { durationMinutes: 30 });
    const times = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
    await Promise.all(
      times.flatMap((time) => [
        asGuest(scene, bookAppointment, wanted(page.slug, at(time))),
        scene.done(events.createEvent, ann, { summary: 'Mine', dtstart: at(time), duration: 'PT30M' }),
      ]),
    );
    const { events: found } = await scene.done(events.listEvents, ann, { start: monday, end: '2026-01-20' });
    // Where both are, the booking was first: its calendar counted it earlier.
    const { db } = scene.house.ctx;
    const rows = await db.selectFrom('calendar_objects').select(['id', 'change_seq']).execute();
    const seq = new Map(rows.map((row) => [row.id, row.change_seq]));
    for (const time of times) {
      const here = found.filter(({ start }) => start === at(time));
      const booked = here.find(({ summary }) => summary !== 'Mine');
      const mine = here.find(({ summary }) => summary === 'Mine');
      expect(mine).toBeDefined();
      if (booked !== undefined) expect(seq.get(booked.id)).toBeLessThan(seq.get(mine!.id) ?? 0);
    }
  });

  it('and moves to one time give one, and what moved away is free', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { durationMinutes: 30 });
    const times = ['09:00', '09:30', '10:00', '10:30'];
    const made = [];
    for (const time of times) made.push(await book(scene, page.slug, at(time)));
    const moves = made.map(async ({ appointment: { id }, manageToken: token }) =>
      codeOf(await asGuest(scene, appointments.rescheduleAppointment, { id, token, startTime: at('11:00') })),
    );
    const more = fifty
      .slice(0, 5)
      .map(async () => codeOf(await asGuest(scene, bookAppointment, wanted(page.slug, at('11:00')))));
    const counts = counted((await Promise.all([...moves, ...more])).map((answer) => answer.slice(0, 3)));
    expect((counts['200'] ?? 0) + (counts['201'] ?? 0)).toBe(1);
    expect(counts['409']).toBe(8);
    const { seats, cells } = await held(scene);
    expect(cells).toBe(seats * 6);
  });

  it('and cancellations leave no cell behind', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const page = await pageOf(scene, ann, { seats: 2 });
    const one = await book(scene, page.slug, at('09:00'));
    const two = await book(scene, page.slug, at('09:00'));
    const cancels = [one, two, one, two].map(async ({ appointment: { id }, manageToken: token }) =>
      codeOf(await asGuest(scene, appointments.cancelAppointment, { id, token })),
    );
    expect(counted(await Promise.all(cancels))).toEqual({ '200 undefined': 2, '409 APPOINTMENT_CLOSED': 2 });
    expect(await held(scene)).toEqual({ seats: 0, cells: 0 });
  });
});

describe('bookings of two processes', () => {
  it('of one time give one', async () => {
    await withTwoProcesses(async (one: House, other: House) => {
      const ann = await one.register({ username: 'ann' });
      const page = { slug: 'ann-talks', title: 'Talk', timezone: 'UTC', appointmentTypes: [aType()] };
      expect((await one.perform(createBookingPage, page, ann.token)).status).toBe(201);
      const wishes = fifty.map((index) =>
        asGuest({ house: index % 2 === 0 ? one : other }, bookAppointment, wanted(page.slug, at('09:00'))),
      );
      expect(counted((await Promise.all(wishes)).map(codeOf))).toEqual(once);
      // Each of them sees at once what the other one has taken.
      for (const house of [one, other]) {
        const ask = { slug: page.slug, appointmentType: 'Talk', date: monday, days: 1 };
        const { body } = await asGuest({ house }, booking.listSlots, ask);
        expect(body.slots).toHaveLength(2);
      }
      await asGuest({ house: other }, bookAppointment, wanted(page.slug, at('10:00')));
      const after = await asGuest({ house: one }, booking.listSlots, {
        slug: page.slug,
        appointmentType: 'Talk',
        date: monday,
        days: 1,
      });
      expect(after.body.slots).toHaveLength(1);
    });
  });
});
