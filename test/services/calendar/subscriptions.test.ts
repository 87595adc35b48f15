import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { bothEngines } from '../../support/stores.ts';
import { HOUR, ics, openSubscriptions, vevent } from './subscription-scene.ts';

const { createCalendar, updateCalendar, deleteCalendar } = calendars;
const { createEvent, deleteEvent, listEvents, updateEvent } = events;
const path = '/a.ics';

describe.each(bothEngines)('calendars from elsewhere on %s', (engine) => {
  it('have what the address has, and only what differs is written', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world } = scene;
    let [tag, file] = ['"1"', ics(vevent('one'), vevent('two', 'RRULE:FREQ=DAILY;COUNT=3'), vevent('three'))];
    world.answers.set(path, (headers) =>
      headers['if-none-match'] === tag ? { status: 304 } : { headers: { etag: tag }, body: file },
    );
    const made = await scene.calendarOf(ann, { subscriptionUrl: world.url(path).replace('https:', 'webcal:') });
    expect(made).toMatchObject({
      isSubscription: true,
      subscriptionUrl: world.url(path),
      subscriptionRefreshInterval: 'PT6H',
      subscriptionStatus: { state: 'pending', failures: 0, leftOut: 0, nextAt: '2026-01-15T12:00:00.000Z' },
    });
    await scene.later(0);
    const { id } = made;
    expect(await scene.titles(ann, id)).toEqual(['one', 'three', 'two']);
    const range = { calendarId: id, start: '2026-03-01', end: '2026-04-01' };
    expect((await scene.done(listEvents, ann, range)).events).toHaveLength(5);
    const first = await scene.shown(ann, id);
    const at = '2026-01-15T12:00:00.000Z';
    expect(first.subscriptionStatus).toMatchObject({ state: 'current', fetchedAt: at, changedAt: at });
    await scene.share(ann, id, bob);
    expect(await scene.titles(bob, id)).toEqual(['one', 'three', 'two']);

    await scene.later(7 * HOUR);
    const second = await scene.shown(ann, id);
    expect([world.received.length, second.ctag]).toEqual([2, first.ctag]);
    expect(second.subscriptionStatus).toMatchObject({ fetchedAt: '2026-01-15T19:00:00.000Z', changedAt: at });
    // The moment of the answer in each event is no change of it.
    tag = '"2"';
    file = file.replaceAll('DTSTAMP:20260101', 'DTSTAMP:20260115');
    await scene.later(7 * HOUR);
    expect((await scene.shown(ann, id)).ctag).toBe(first.ctag);

    const { syncToken } = await scene.done(listEvents, ann, { calendarId: id });
    tag = '"3"';
    file = ics(vevent('one'), vevent('two', 'LOCATION:Hall'), vevent('four'));
    await scene.later(7 * HOUR);
    const changes = await scene.done(listEvents, ann, { calendarId: id, syncToken });
    expect(changes.events.map(({ summary }) => summary).toSorted()).toEqual(['four', 'two']);
    expect(changes.deleted).toHaveLength(1);
    expect((await scene.done(listEvents, ann, range)).events.map(({ summary }) => summary).toSorted()).toEqual([
      'four',
      'one',
      'two',
    ]);
    expect((await scene.shown(ann, id)).subscriptionStatus?.changedAt).toBe('2026-01-16T09:00:00.000Z');
  });

  it('are written in parts, count to the storage of the owner, and give it back', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world, house } = scene;
    const stored = async () =>
      (
        await house.ctx.db
          .selectFrom('member_storage')
          .select('bytes')
          .where('member_id', '=', ann.memberId)
          .executeTakeFirst()
      )?.bytes ?? 0;
    const many = Array.from({ length: 130 }, (_, at) => vevent(`event-${at}`));
    world.answers.set(path, { body: ics(...many) });
    const { id } = await scene.follow(ann, path);
    expect(await scene.titles(ann, id)).toHaveLength(130);
    const full = await stored();
    expect(full).toBeGreaterThan(130 * 100);
    world.answers.set(path, { body: ics(...many.slice(0, 10)) });
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toHaveLength(10);
    expect(await stored()).toBeLessThan(full / 10);
    await scene.done(deleteCalendar, ann, { id });
    await scene.later(0);
    expect(await stored()).toBe(0);
    const asked = world.received.length;
    await scene.later(48 * HOUR);
    expect(world.received).toHaveLength(asked);
  });

  it('fail by single events, and keep what they have of those', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world } = scene;
    const noStart = (uid: string) => vevent(uid).replace(/DTSTART.*\r\n/, '');
    world.answers.set(path, {
      body: ics(vevent('good'), vevent('later bad'), noStart('bad'), vevent('task').replaceAll('VEVENT', 'VTODO')),
    });
    const { id, subscriptionStatus } = await scene.follow(ann, path);
    expect(subscriptionStatus).toMatchObject({ state: 'current', leftOut: 1 });
    expect(await scene.titles(ann, id)).toEqual(['good', 'later bad']);
    world.answers.set(path, { body: ics(noStart('later bad'), vevent('new')) });
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(['later bad', 'new']);
  });

  it('are changed by nobody here, not by an editor either', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, cleo, world, house } = scene;
    world.answers.set(path, { body: ics(vevent('one')) });
    const { id: calendarId } = await scene.follow(ann, path);
    await scene.share(ann, calendarId, bob, 'editor');
    await scene.share(ann, calendarId, cleo, 'viewer');
    const [event] = (await scene.done(listEvents, ann, { calendarId })).events;
    const id = event?.id ?? '';
    for (const { token } of [ann, bob]) {
      const refusals = [
        await house.perform(createEvent, { calendarId, dtstart: '2026-03-01', allDay: true, summary: 'x' }, token),
        await house.perform(updateEvent, { id, summary: 'x' }, token),
        await house.perform(deleteEvent, { id }, token),
        await house.api('POST', `/api/cal/export/${calendarId}/import`, {
          token,
          rawBody: ics(vevent('two')),
          headers: { 'content-type': 'text/calendar' },
        }),
      ];
      for (const { status, body } of refusals)
        expect([status, body.error?.code, body.error?.message]).toEqual([
          403,
          'FORBIDDEN',
          expect.stringContaining('come from an address elsewhere'),
        ]);
    }
    const byViewer = await house.perform(updateEvent, { id, summary: 'x' }, cleo.token);
    expect(byViewer.body.error?.message).toContain('You may read this calendar');
    expect(await scene.titles(ann, calendarId)).toEqual(['one']);
  });

  it('remind nobody, and holidays take no time', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world } = scene;
    const day = (uid: string, ...lines: readonly string[]) =>
      vevent(uid, ...lines).replace('DTSTART:20260301T100000Z', 'DTSTART;VALUE=DATE:20260301');
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT15M', 'DESCRIPTION:x', 'END:VALARM'];
    world.answers.set(path, {
      body: ics(
        day('feast', 'CATEGORIES:Public Holiday'),
        day('own word', 'CATEGORIES:Holiday', 'TRANSP:OPAQUE'),
        day('leave'),
        vevent('talk', ...alarm),
      ),
    });
    const { id } = await scene.follow(ann, path);
    const { events: found } = await scene.done(listEvents, ann, { calendarId: id });
    expect(
      Object.fromEntries(
        found.map(({ summary, transparency, reminders }) => [summary, [transparency, reminders.length]]),
      ),
    ).toEqual({
      feast: ['TRANSPARENT', 0],
      'own word': ['OPAQUE', 0],
      leave: ['OPAQUE', 0],
      talk: ['OPAQUE', 0],
    });
  });

  it('follow the holidays of the node itself, which asks nobody for them, also where the option is off', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world } = scene;
    scene.turn(false);
    const base = 'http://localhost/api/cal/holiday-catalog';
    const { id } = await scene.calendarOf(ann, { subscriptionUrl: `${base}/de-by.ics` });
    const wrong = await scene.calendarOf(ann, { subscriptionUrl: `${base}/xx.ics` });
    await scene.later(0);
    const { events: found } = await scene.done(listEvents, ann, { calendarId: id, limit: 1_000 });
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter(({ transparency }) => transparency !== 'TRANSPARENT')).toEqual([]);
    expect((await scene.shown(ann, id)).subscriptionStatus?.state).toBe('current');
    expect((await scene.shown(ann, wrong.id)).subscriptionStatus?.error?.reason).toBe('STATUS_404');
    const { ctag } = await scene.shown(ann, id);
    await scene.later(7 * HOUR);
    expect((await scene.shown(ann, id)).ctag).toBe(ctag);
    expect(world.received).toEqual([]);
  });

  it('get another address or interval, are read at once, or stay as they are; others do not become one', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world } = scene;
    world.answers.set(path, { headers: { etag: '"1"' }, body: ics(vevent('one')) });
    world.answers.set('/b.ics', (headers) =>
      headers['if-none-match'] === undefined ? { body: ics(vevent('two')) } : { status: 304 },
    );
    const { id } = await scene.follow(ann, path, { subscriptionRefreshInterval: 'P2D' });
    await scene.share(ann, id, bob, 'editor');
    expect(await scene.refused(updateCalendar, bob, { id, subscriptionUrl: world.url('/b.ics') })).toBe(
      '403 FORBIDDEN',
    );
    // What named the content of another address names none of this one.
    const moved = await scene.done(updateCalendar, ann, { id, subscriptionUrl: world.url('/b.ics') });
    expect(moved.calendar).toMatchObject({ subscriptionUrl: world.url('/b.ics'), subscriptionRefreshInterval: 'P2D' });
    await scene.later(0);
    expect(await scene.titles(ann, id)).toEqual(['two']);
    const asked = world.received.length;
    await scene.done(updateCalendar, ann, { id, subscriptionUrl: world.url('/b.ics') });
    await scene.later(0);
    expect(world.received).toHaveLength(asked + 1);
    const quicker = await scene.done(updateCalendar, ann, { id, subscriptionRefreshInterval: 'PT1H' });
    expect(quicker.calendar.subscriptionStatus?.nextAt).toBe('2026-01-15T13:00:00.000Z');
    await scene.later(HOUR);
    expect(world.received).toHaveLength(asked + 2);
    expect(await scene.refused(updateCalendar, ann, { id, isDefault: true })).toBe('400 VALIDATION_ERROR');

    const { calendar } = await scene.done(updateCalendar, ann, { id, subscriptionUrl: null });
    expect([calendar.isSubscription, calendar.subscriptionUrl, calendar.subscriptionStatus]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    await scene.later(48 * HOUR);
    expect(world.received).toHaveLength(asked + 2);
    expect(await scene.titles(ann, id)).toEqual(['two']);
    await scene.done(createEvent, ann, { calendarId: id, dtstart: '2026-03-01', allDay: true, summary: 'own' });
    for (const more of [{ subscriptionUrl: world.url(path) }, { subscriptionRefreshInterval: 'PT2H' }])
      expect(await scene.refused(updateCalendar, ann, { id, ...more })).toBe('400 VALIDATION_ERROR');
    for (const more of [
      { subscriptionRefreshInterval: 'PT2H' },
      { subscriptionUrl: world.url(path), isDefault: true },
      { subscriptionUrl: world.url(path), subscriptionRefreshInterval: 'PT59M' },
      { subscriptionUrl: world.url(path), subscriptionRefreshInterval: 'P31D' },
      { subscriptionUrl: world.url(path), subscriptionRefreshInterval: 'P' },
    ])
      expect([more, await scene.refused(createCalendar, ann, { displayName: 'x', ...more })]).toEqual([
        more,
        '400 VALIDATION_ERROR',
      ]);
  });
});
