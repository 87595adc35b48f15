import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { bothEngines } from '../../support/stores.ts';
import { HOUR, ics, openSubscriptions, vevent } from './subscription-scene.ts';

const { createCalendar, deleteCalendar, listCalendars, updateCalendar } = calendars;
const path = '/a.ics';
const MINUTE = 60_000;

/** What a table holds, as text that a secret would stand in. */
const textOf = (rows: readonly object[]) =>
  rows
    .flatMap((row) => Object.values(row) as unknown[])
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
    .join('\n');

describe.each(bothEngines)('the node that follows addresses of members, on %s,', (engine) => {
  it('asks only public ones over https, whatever they lead to, and none unless it is wanted', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world } = scene;
    world.answers.set(path, { body: ics(vevent('one')) });
    const asked = async (subscriptionUrl: string) =>
      await scene.refused(createCalendar, ann, { displayName: 'x', subscriptionUrl });
    const good = world.url(path);
    for (const url of [
      good.replace('https:', 'http:'),
      good.replace('https://', 'https://ann:word@'),
      `${good}#part`,
      world.innerUrl(path),
      `https://127.0.0.2:${world.port}${path}`,
      `https://[::1]:${world.port}${path}`,
      'https://nobody.example/',
      'file:///etc/passwd',
      'localhost',
    ])
      expect([url, await asked(url)]).toEqual([url, '400 VALIDATION_ERROR']);
    scene.turn(false);
    expect(await asked(good)).toBe('409 SUBSCRIPTIONS_OFF');
    scene.turn(true);
    expect(world.received).toEqual([]);
    // What is public now may lead elsewhere later.
    const { id } = await scene.follow(ann, path);
    world.answers.set(path, { status: 302, headers: { location: world.innerUrl(path) } });
    await scene.later(7 * HOUR);
    expect((await scene.shown(ann, id)).subscriptionStatus?.error?.reason).toBe('ADDRESS_REFUSED');
    world.resolveTo(['10.0.0.1']);
    const before = world.received.length;
    await scene.later(14 * HOUR);
    expect((await scene.shown(ann, id)).subscriptionStatus).toMatchObject({
      failures: 2,
      error: { reason: 'ADDRESS_REFUSED' },
    });
    expect(world.received).toHaveLength(before);
    expect(await scene.titles(ann, id)).toEqual(['one']);
  });

  it('says what was wrong with an answer, and keeps the events that there are', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world } = scene;
    const whole = ics(vevent('one'));
    const wrong = {
      STATUS_404: { status: 404 },
      STATUS_500: { status: 500 },
      NOT_A_CALENDAR: { body: '<html>Sign in</html>' },
      'NOT_A_CALENDAR cut': { body: whole.slice(0, -20) },
      ANSWER_UNFIT: {
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(Buffer.alloc(calendarLimits.subscriptionBytes + 1, ' ')),
      },
      UNREACHABLE: { headers: { 'content-length': '5000' }, body: whole, breaksOff: true },
    };
    const ids: [string, string][] = [];
    for (const code of Object.keys(wrong)) {
      const own = `/${encodeURIComponent(code)}`;
      world.answers.set(own, { body: whole });
      ids.push([code, (await scene.follow(ann, own)).id]);
    }
    for (const [code, answer] of Object.entries(wrong)) world.answers.set(`/${encodeURIComponent(code)}`, answer);
    await scene.later(7 * HOUR);
    for (const [code, id] of ids) {
      const { subscriptionStatus } = await scene.shown(ann, id);
      expect(subscriptionStatus).toMatchObject({
        state: 'failing',
        failures: 1,
        error: { reason: code.split(' ')[0] },
      });
      expect(subscriptionStatus?.error?.message).toMatch(/^[A-Z].*\.$/);
      expect(await scene.titles(ann, id)).toEqual(['one']);
    }
  });

  it('asks ever more seldom who fails, and not before it was told to', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world, house } = scene;
    world.answers.set(path, { status: 500 });
    const { id } = await scene.follow(ann, path, { subscriptionRefreshInterval: 'PT1H' });
    const wait = async () => {
      const { subscriptionStatus } = await scene.shown(ann, id);
      return (Date.parse(subscriptionStatus?.nextAt ?? '') - house.clock.now()) / HOUR;
    };
    for (const hours of [1, 2, 4]) {
      const waits = await wait();
      expect(waits).toBeGreaterThanOrEqual(hours);
      expect(waits).toBeLessThan(1.1 * hours);
      await scene.later(1.1 * hours * HOUR);
    }
    world.answers.set(path, { status: 503, headers: { 'retry-after': '259200' } });
    await scene.later(8.8 * HOUR);
    expect(await wait()).toBe(72);
    world.answers.set(path, { body: ics(vevent('one')) });
    await scene.later(72 * HOUR);
    expect((await scene.shown(ann, id)).subscriptionStatus).toMatchObject({ state: 'current', failures: 0 });
    expect(await wait()).toBeLessThan(1.1);
    expect(world.received).toHaveLength(6);
  });

  it('stops while the option is off or the owner is suspended, and goes on afterwards', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world, house } = scene;
    world.answers.set(path, { body: ics(vevent('one')) });
    const { id } = await scene.follow(ann, path);
    scene.turn(false);
    await scene.later(7 * HOUR);
    expect((await scene.shown(ann, id)).subscriptionStatus?.state).toBe('off');
    scene.turn(true);
    await scene.suspend(ann);
    await scene.later(7 * HOUR);
    expect(world.received).toHaveLength(1);
    await house.ctx.db.updateTable('members').set({ status: 'active' }).where('id', '=', ann.memberId).execute();
    world.answers.set(path, { body: ics(vevent('two')) });
    await scene.later(7 * HOUR);
    expect([world.received.length, await scene.titles(ann, id)]).toEqual([2, ['two']]);
  });

  it('writes nothing of an answer that came too late: after another address, a suspension, or the end of the calendar', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world, house } = scene;
    world.answers.set(path, { body: ics(vevent('first')) });
    for (const other of ['/b.ics', '/c.ics']) world.answers.set(other, { body: ics(vevent('new')) });
    const { id } = await scene.follow(ann, path);
    const late = (meanwhile: () => Promise<unknown>) => async () => {
      await meanwhile();
      return { body: ics(vevent('late')) };
    };
    world.answers.set(
      path,
      late(async () => await scene.done(updateCalendar, ann, { id, subscriptionUrl: world.url('/b.ics') })),
    );
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(['new']);
    expect((await scene.shown(ann, id)).subscriptionStatus?.state).toBe('current');

    const { id: other } = await scene.follow(bob, '/c.ics');
    world.answers.set(
      '/c.ics',
      late(async () => await scene.suspend(bob)),
    );
    await scene.later(7 * HOUR);
    await house.ctx.db.updateTable('members').set({ status: 'active' }).where('id', '=', bob.memberId).execute();
    expect(await scene.titles(bob, other)).toEqual(['new']);
    world.answers.set('/c.ics', { body: ics(vevent('after')) });
    await scene.later(7 * HOUR);
    expect(await scene.titles(bob, other)).toEqual(['after']);

    world.answers.set(
      '/c.ics',
      late(async () => await scene.done(deleteCalendar, bob, { id: other })),
    );
    await scene.later(7 * HOUR);
    const left = await house.ctx.db
      .selectFrom('calendar_objects')
      .select('id')
      .where('calendar_id', '=', other)
      .execute();
    const rows = await house.ctx.db.selectFrom('calendar_subscriptions').select('calendar_id').execute();
    expect([left, rows]).toEqual([[], [{ calendar_id: id }]]);
  });

  it('keeps the address to itself and to the owner', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world, house } = scene;
    const secret = 'private-5f1d7a84a5f0';
    world.answers.set(`/${secret}/basic.ics`, { status: 302, headers: { location: `/${secret}/to.ics` } });
    world.answers.set(`/${secret}/to.ics`, { headers: { etag: `"${secret}"` }, body: ics(vevent('one')) });
    const { id, subscriptionUrl } = await scene.follow(ann, `/${secret}/basic.ics`);
    expect(subscriptionUrl).toContain(secret);
    world.answers.set(`/${secret}/to.ics`, { status: 302, headers: { location: world.innerUrl(`/${secret}`) } });
    await scene.later(7 * HOUR);
    const { db } = house.ctx;
    for (const table of ['calendar_subscriptions', 'calendars', 'jobs'] as const)
      expect(textOf(await db.selectFrom(table).selectAll().execute())).not.toContain(secret);
    expect(JSON.stringify(house.log.lines)).not.toContain(secret);
    const { subscriptionStatus } = await scene.shown(ann, id);
    expect(JSON.stringify(subscriptionStatus)).not.toContain(secret);
    await scene.share(ann, id, bob, 'editor');
    const seen = await scene.shown(bob, id);
    expect(seen.isSubscription).toBe(true);
    expect(Object.keys(seen).filter((name) => name.startsWith('subscription'))).toEqual([]);
    const { body } = await house.perform(
      accounts.createAppPassword,
      { name: 'Phone', scopes: ['calendar'] },
      ann.token,
    );
    const authorization = `Basic ${Buffer.from(`ann:${body.password}`).toString('base64')}`;
    const program = await house.perform(listCalendars, {}, undefined, { headers: { authorization } });
    expect(JSON.stringify(program.body)).not.toContain(secret);
    expect(program.body.calendars).toContainEqual(expect.objectContaining({ id, subscriptionRefreshInterval: 'PT6H' }));
    const file = await house.api('GET', `/api/cal/export/${id}/json`, { token: ann.token });
    expect([file.status, JSON.stringify(file.body).includes(secret)]).toEqual([200, false]);
  });

  it('reads ten addresses of a member at once and then one a minute, and follows so many', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world } = scene;
    world.answers.set(path, { body: ics() });
    const next = [];
    for (let count = 0; count < calendarLimits.subscriptions; count += 1) {
      const { subscriptionStatus } = await scene.calendarOf(ann, { subscriptionUrl: world.url(path) });
      next.push((Date.parse(subscriptionStatus?.nextAt ?? '') - scene.house.clock.now()) / MINUTE);
    }
    expect(next).toEqual(Array.from({ length: calendarLimits.subscriptions }, (_, at) => Math.max(0, at - 9)));
    const more = { displayName: 'x', subscriptionUrl: world.url(path) };
    expect(await scene.refused(createCalendar, ann, more)).toBe('409 SUBSCRIPTIONS_FULL');
    expect((await scene.calendarOf(bob, more)).subscriptionStatus?.nextAt).toBe('2026-01-15T12:00:00.000Z');
    await scene.later(0);
    expect(world.received).toHaveLength(11);
    await scene.later(MINUTE);
    expect(world.received).toHaveLength(12);
  });

  it('writes no more than the owner has room for, and says so', async () => {
    await using scene = await openSubscriptions(engine, { config: { storage: { perMemberBytes: 20_000 } } });
    const { ann, world } = scene;
    world.answers.set(path, { body: ics(...Array.from({ length: 200 }, (_, at) => vevent(`event-${at}`))) });
    const { id, subscriptionStatus } = await scene.follow(ann, path);
    expect(subscriptionStatus).toMatchObject({ state: 'failing', error: { reason: 'STORAGE_QUOTA_EXCEEDED' } });
    expect((await scene.titles(ann, id)).length).toBeLessThan(100);
    world.answers.set(path, { body: ics(vevent('event-1')) });
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(['event-1']);
  });
});
