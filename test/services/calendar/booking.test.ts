import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { bothEngines } from '../../support/stores.ts';
import { addEvent, aType, asGuest, at, book, codeOf, freeOn, monday, pageOf, wanted } from './booking-scene.ts';
import { openCalendars } from './calendar-scene.ts';

const { createBookingPage, listBookingPages, showPageSettings, updateBookingPage, deleteBookingPage } = booking;
const { showBookingPage, listSlots, bookAppointment } = booking;
const DAY = 86_400_000;

describe.each(bothEngines)('booking pages on %s', (engine) => {
  it('are made, listed, changed and deleted by their host', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const page = await pageOf(scene, ann, { bufferMinutes: 10, questions: [{ label: 'Topic', type: 'text' }] });
    expect(page).toMatchObject({
      slug: 'ann-talks',
      url: expect.stringMatching(/\/book\/ann-talks$/),
      minNoticeMinutes: 240,
      maxAdvanceDays: 60,
      active: true,
      appointmentTypes: [
        {
          name: 'Talk',
          slotIntervalMinutes: 60,
          bufferBeforeMinutes: 10,
          bufferAfterMinutes: 10,
          seats: 1,
          active: true,
        },
      ],
    });
    const [type] = page.appointmentTypes;
    expect(type?.questions).toEqual([{ id: 'q1', label: 'Topic', type: 'text', required: false }]);
    expect((await scene.done(listBookingPages, ann, {})).pages).toEqual([page]);
    expect((await scene.done(listBookingPages, bob, {})).pages).toEqual([]);
    expect((await scene.done(showPageSettings, ann, { slug: 'ANN-talks' })).page).toEqual(page);
    for (const operation of [showPageSettings, deleteBookingPage] as const)
      expect(await scene.refused(operation, bob, { slug: page.slug })).toBe('404 NOT_FOUND');
    expect(await scene.refused(updateBookingPage, bob, { slug: page.slug, title: 'Mine' })).toBe('404 NOT_FOUND');
    const changed = await scene.done(updateBookingPage, ann, {
      slug: page.slug,
      title: 'Other',
      maxPerDay: 3,
      appointmentTypes: [aType({ id: type!.id, name: 'Long talk', durationMinutes: 90 }), aType({ name: 'Short' })],
    });
    expect(changed.page).toMatchObject({ title: 'Other', maxPerDay: 3, minNoticeMinutes: 240 });
    expect(changed.page.appointmentTypes.map(({ id, name }) => [id === type!.id, name])).toEqual([
      [true, 'Long talk'],
      [false, 'Short'],
    ]);
    const { page: without } = await scene.done(updateBookingPage, ann, { slug: page.slug, maxPerDay: null });
    expect(without.maxPerDay).toBeUndefined();
    expect(await scene.done(deleteBookingPage, ann, { slug: page.slug })).toEqual({ success: true });
    expect(await scene.refused(showPageSettings, ann, { slug: page.slug })).toBe('404 NOT_FOUND');
  });

  it('keep their address for 90 days after they were deleted, and nobody has one twice', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const { slug } = await pageOf(scene, ann);
    const again = { slug, title: 'Mine', appointmentTypes: [aType()] };
    expect(await scene.refused(createBookingPage, bob, again)).toBe('409 SLUG_TAKEN');
    expect(await scene.refused(createBookingPage, ann, again)).toBe('409 SLUG_TAKEN');
    await scene.done(deleteBookingPage, ann, { slug });
    expect(await scene.refused(createBookingPage, bob, again)).toBe('409 SLUG_TAKEN');
    const { purgeCalendars } = await import('../../../src/services/calendar/purge.ts');
    scene.house.clock.advance(90 * DAY - 1);
    await purgeCalendars(scene.house.ctx);
    const answer = async () => await scene.refused(createBookingPage, { token: await scene.house.signIn(bob) }, again);
    expect(await answer()).toBe('409 SLUG_TAKEN');
    scene.house.clock.advance(1);
    await purgeCalendars(scene.house.ctx);
    expect(await answer()).toBe('201 undefined');
  });

  it.each([
    ['slug', { slug: 'Ann' }],
    ['slug', { slug: '-ann' }],
    ['slug', { slug: 'admin' }],
    ['slug', { slug: 'a/../b' }],
    ['timezone', { timezone: 'Moon/Sea' }],
    ['appointmentTypes', { appointmentTypes: [] }],
    ['appointmentTypes.0.durationMinutes', { appointmentTypes: [aType({ durationMinutes: 4 })] }],
    ['appointmentTypes.1.name', { appointmentTypes: [aType(), aType({ name: 'TALK' })] }],
    ['appointmentTypes.0.id', { appointmentTypes: [aType({ id: '0'.repeat(32) })] }],
    [
      'appointmentTypes.0.dateOverrides.0.date',
      { appointmentTypes: [aType({ dateOverrides: [{ date: '2026-02-30', windows: [] }] })] },
    ],
    [
      'appointmentTypes.0.questions.0.options',
      { appointmentTypes: [aType({ questions: [{ label: 'Which', type: 'select' }] })] },
    ],
    [
      'appointmentTypes.0.availableWindows.0.startTime',
      { appointmentTypes: [aType({ availableWindows: [{ dayOfWeek: 1, startTime: '9:00', endTime: '10:00' }] })] },
    ],
  ])('are refused for their %s', async (path, wrong) => {
    await using scene = await openCalendars(engine);
    const given = { slug: 'ann-talks', title: 'Talk', appointmentTypes: [aType()], ...wrong };
    const { status, body } = await scene.house.perform(createBookingPage, given, scene.ann.token);
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(body)).toContain(path);
    expect((await scene.done(listBookingPages, scene.ann, {})).pages).toEqual([]);
  });

  it('take events into calendars of the host alone, and look at those that the host sees', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const { id: foreign } = await scene.calendarOf(bob);
    const given = { slug: 'ann-talks', title: 'Talk', appointmentTypes: [aType()], timezone: 'UTC' };
    expect(await scene.refused(createBookingPage, ann, { ...given, calendarId: foreign })).toBe('404 NOT_FOUND');
    expect(await scene.refused(createBookingPage, ann, { ...given, conflictCalendarIds: [foreign] })).toBe(
      '404 NOT_FOUND',
    );
    await scene.share(bob, foreign, ann, 'freebusy');
    expect(await scene.refused(createBookingPage, ann, { ...given, calendarId: foreign })).toBe('403 FORBIDDEN');
    await scene.done(createBookingPage, ann, { ...given, conflictCalendarIds: [foreign] });
    await addEvent(scene, bob, '2026-01-19T09:00:00', '2026-01-19T10:00:00', { calendarId: foreign });
    await addEvent(scene, ann, '2026-01-19T10:00:00', '2026-01-19T11:00:00');
    expect(await freeOn(scene, 'ann-talks')).toEqual(['10:00', '11:00']);
    await scene.done(updateBookingPage, ann, { slug: 'ann-talks', conflictCalendarIds: null });
    expect(await freeOn(scene, 'ann-talks')).toEqual(['09:00', '11:00']);
  });

  it('show guests neither ids nor caps nor what is switched off', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const types = [
      aType({ maxPerDay: 2, conferenceUri: 'https://meet.example/secret' }),
      aType({ name: 'Off', active: false }),
    ];
    const page = await pageOf(scene, ann, {}, { calendarId: id, conflictCalendarIds: [id], appointmentTypes: types });
    const { status, body } = await asGuest(scene, showBookingPage, { slug: page.slug });
    expect(status).toBe(200);
    expect(body.page).toMatchObject({ slug: page.slug, host: { displayName: 'ann' } });
    expect(body.page.appointmentTypes.map((type: { name: string }) => type.name)).toEqual(['Talk']);
    for (const hidden of [id, ann.memberId, page.id, 'meet.example', 'maxPer'])
      expect(JSON.stringify(body)).not.toContain(hidden);
    await scene.done(updateBookingPage, ann, { slug: page.slug, active: false });
    expect(codeOf(await asGuest(scene, showBookingPage, { slug: page.slug }))).toBe('404 NOT_FOUND');
    await scene.done(updateBookingPage, ann, { slug: page.slug, active: true });
    expect((await asGuest(scene, showBookingPage, { slug: page.slug })).status).toBe(200);
    await scene.suspend(ann);
    for (const operation of [showBookingPage, listSlots, bookAppointment] as const)
      expect(codeOf(await house.perform(operation, wanted(page.slug, at('09:00'))))).toBe('404 NOT_FOUND');
  });

  it('are made by no app password', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const made = await house.perform(accounts.createAppPassword, { name: 'Phone', scopes: ['calendar'] }, ann.token);
    const basic = `Basic ${Buffer.from(`ann:${made.body.password}`).toString('base64')}`;
    const headers = { authorization: basic };
    expect((await house.perform(calendars.listCalendars, {}, undefined, { headers })).status).toBe(200);
    const page = { slug: 'ann-talks', title: 'Talk', appointmentTypes: [aType()] };
    expect(codeOf(await house.perform(createBookingPage, page, undefined, { headers }))).toBe('403 INSUFFICIENT_SCOPE');
  });
});

describe.each(bothEngines)('slots of pages on %s', (engine) => {
  it('are days in the zone of the guest, and carry its offset', async () => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann, {}, { timezone: 'America/New_York' });
    const ask = { slug: page.slug, appointmentType: 'Talk', date: '2026-03-06', days: 4, timezone: 'Europe/Berlin' };
    const { body } = await asGuest(scene, listSlots, ask);
    expect(body.timezone).toBe('Europe/Berlin');
    expect(Object.keys(body.days)).toEqual(['2026-03-06', '2026-03-09']);
    expect(body.days['2026-03-06'][0]).toMatchObject({
      start: '2026-03-06T14:00:00.000Z',
      startLocal: '2026-03-06T15:00:00+01:00',
    });
    // New York is in summer by then, and Berlin is not.
    expect(body.days['2026-03-09'][0]).toMatchObject({
      start: '2026-03-09T13:00:00.000Z',
      startLocal: '2026-03-09T14:00:00+01:00',
    });
  });

  it.each([
    ['date', { date: '2026-02-30' }],
    ['days', { date: monday, days: 63 }],
    ['end', { start: monday }],
    ['end', { start: monday, end: '2026-03-25' }],
    ['start', { end: monday }],
    ['date', { date: monday, start: monday, end: '2026-01-20' }],
    ['timezone', { timezone: 'Moon/Sea' }],
    ['appointmentType', { appointmentType: 'Walk' }],
  ])('are refused for %s', async (path, wrong) => {
    await using scene = await openCalendars(engine);
    const page = await pageOf(scene, scene.ann);
    const answer = await asGuest(scene, listSlots, { slug: page.slug, appointmentType: 'Talk', ...wrong });
    expect(codeOf(answer)).toBe('400 VALIDATION_ERROR');
    expect(JSON.stringify(answer.body)).toContain(path);
  });

  it('are computed once for those who ask the same, and anew after any change', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const page = await pageOf(scene, ann);
    expect(await freeOn(scene, page.slug)).toHaveLength(3);
    // What was written past the service is not seen until what is kept is old.
    await addEvent(scene, ann, '2026-01-19T09:00:00', '2026-01-19T10:00:00');
    expect(await freeOn(scene, page.slug)).toHaveLength(2);
    await house.ctx.db.deleteFrom('event_runs').execute();
    expect(await freeOn(scene, page.slug)).toHaveLength(2);
    house.clock.advance(5_000);
    expect(await freeOn(scene, page.slug)).toHaveLength(3);
    await scene.done(updateBookingPage, ann, { slug: page.slug, minNoticeMinutes: 14 * 24 * 60 });
    expect(await freeOn(scene, page.slug)).toHaveLength(0);
    await scene.done(updateBookingPage, ann, { slug: page.slug, minNoticeMinutes: 0 });
    await book(scene, page.slug, at('11:00'));
    expect(await freeOn(scene, page.slug)).toEqual(['09:00', '10:00']);
  });
});
