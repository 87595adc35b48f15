import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { links } from '../../../src/contract/calendar/links.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createPublicLink, listPublicLinks, revokePublicLink } = links;
const { deleteCalendar, updateCalendar } = calendars;
const { createEvent, updateEvent } = events;
const HOUR = 3_600_000;

async function add(scene: CalendarScene, calendarId: string, more: object): Promise<string> {
  const given = { calendarId, dtstart: '2026-03-10T09:00:00', tzid: 'Europe/Berlin', duration: 'PT1H', ...more };
  return (await scene.done(createEvent, scene.ann, { summary: 'Event', ...given })).event.id;
}

const pathOf = (url: string) => url.replace('http://house.test', '');
const read = async ({ house }: CalendarScene, url: string, headers: Record<string, string> = {}) =>
  await house.api('GET', pathOf(url), { headers });

describe.each(bothEngines)('secret addresses of calendars on %s', (engine) => {
  it('are made, listed, renewed and revoked by the owner alone', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    await scene.share(ann, calendarId, bob, 'editor');
    const { link, token, url, webcalUrl } = await scene.done(createPublicLink, ann, { calendarId });
    expect(link).toEqual({ calendarId, detail: 'viewer', createdAt: '2026-01-15T12:00:00.000Z' });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect([url, webcalUrl]).toEqual([
      `http://house.test/api/cal/public/${token}.ics`,
      `webcal://house.test/api/cal/public/${token}.ics`,
    ]);
    const expiresAt = '2026-01-16T12:00:00.000Z';
    const busy = await scene.done(createPublicLink, ann, { calendarId, detail: 'freebusy', expiresAt });
    expect(await scene.done(listPublicLinks, ann, { calendarId })).toEqual({
      links: [link, { ...link, detail: 'freebusy', expiresAt }],
    });
    for (const operation of [createPublicLink, listPublicLinks, revokePublicLink]) {
      expect(await scene.refused(operation, bob, { calendarId })).toBe('403 FORBIDDEN');
      expect(await scene.refused(operation, cleo, { calendarId })).toBe('404 NOT_FOUND');
    }
    const past = { calendarId, expiresAt: '2026-01-15T12:00:00Z' };
    expect(await scene.refused(createPublicLink, ann, past)).toBe('400 VALIDATION_ERROR');
    const renewed = await scene.done(createPublicLink, ann, { calendarId });
    expect([(await read(scene, url)).status, (await read(scene, renewed.url)).status]).toEqual([404, 200]);
    await scene.done(revokePublicLink, ann, { calendarId, detail: 'viewer' });
    expect([(await read(scene, renewed.url)).status, (await read(scene, busy.url)).status]).toEqual([404, 200]);
    await scene.done(revokePublicLink, ann, { calendarId });
    expect((await read(scene, busy.url)).status).toBe(404);
    expect(await scene.refused(revokePublicLink, ann, { calendarId })).toBe('404 NOT_FOUND');
    const rows = await house.ctx.db.selectFrom('calendar_links').selectAll().execute();
    expect(rows).toEqual([]);
  });

  it('are not made with an app password, and nobody finds them in the store or the log', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    const { body } = await house.perform(
      accounts.createAppPassword,
      { name: 'Phone', scopes: ['calendar'] },
      ann.token,
    );
    const authorization = `Basic ${Buffer.from(`ann:${body.password}`).toString('base64')}`;
    for (const operation of [createPublicLink, listPublicLinks, revokePublicLink]) {
      const answer = await house.perform(operation, { calendarId }, undefined, { headers: { authorization } });
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    }
    const { token, url } = await scene.done(createPublicLink, ann, { calendarId });
    await read(scene, url);
    await read(scene, url.replace('.ics', 'x.ics'));
    expect(JSON.stringify(await house.ctx.db.selectFrom('calendar_links').selectAll().execute())).not.toContain(token);
    expect(JSON.stringify(house.log.lines)).not.toContain(token);
  });

  it('show what a viewer sees, without reminders, and tell whoever has it already that nothing changed', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann, { displayName: 'Club', description: 'What we do' });
    const id = await add(scene, calendarId, {
      summary: 'Open day',
      location: 'Hall',
      reminders: [{ action: 'DISPLAY', triggerMinutesBefore: 15 }],
    });
    await add(scene, calendarId, { summary: 'Doctor', description: 'hidden', visibility: 'PRIVATE' });
    await add(scene, calendarId, { summary: 'Merger', description: 'hidden', visibility: 'CONFIDENTIAL' });
    const { url } = await scene.done(createPublicLink, ann, { calendarId });
    const first = await read(scene, url);
    expect(first.status).toBe(200);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment; filename="Club.ics"',
      'x-robots-tag': 'noindex, nofollow',
    });
    for (const part of [
      'X-WR-CALNAME:Club',
      'X-WR-CALDESC:What we do',
      'SUMMARY:Open day',
      'LOCATION:Hall',
      'SUMMARY:Merger',
      'SUMMARY:Busy',
      'TZID:Europe/Berlin',
    ])
      expect(first.body).toContain(part);
    expect(first.body).not.toMatch(/Doctor|hidden|VALARM/);
    const etag = first.headers.get('etag') ?? '';
    const same = await read(scene, url, { 'if-none-match': `W/${etag}` });
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await house.api('HEAD' as 'GET', pathOf(url))).status).toBe(200);
    const changes = [
      async () => await scene.done(updateEvent, ann, { id, summary: 'Closed day' }),
      async () => {
        house.clock.advance(1);
        await scene.done(updateCalendar, ann, { id: calendarId, displayName: 'Society' });
      },
    ];
    let before = etag;
    for (const change of changes) {
      await change();
      const after = await read(scene, url, { 'if-none-match': before });
      expect(after.status).toBe(200);
      before = after.headers.get('etag') ?? '';
    }
    expect((await read(scene, url)).body).toContain('SUMMARY:Closed day');
  });

  it('of free and busy show when time is taken, and nothing else', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann, { displayName: 'Club', description: 'hidden' });
    const id = await add(scene, calendarId, { summary: 'hidden', location: 'hidden', rrule: 'FREQ=DAILY;COUNT=3' });
    await add(scene, calendarId, { summary: 'hidden', transparency: 'TRANSPARENT' });
    await add(scene, calendarId, { summary: 'hidden', status: 'CANCELLED' });
    const days = { calendarId, summary: 'hidden', allDay: true, dtstart: '2026-04-01', dtend: '2026-06-01' };
    await scene.done(createEvent, ann, { ...days, status: 'TENTATIVE' });
    const { url } = await scene.done(createPublicLink, ann, { calendarId, detail: 'freebusy' });
    const { body, headers } = await read(scene, url);
    expect((body as string).match(/^(?:DTSTART|DTEND|SUMMARY|STATUS|RRULE).*$/gm)).toEqual([
      ...['10', '11', '12'].flatMap((day) => [
        `DTSTART:202603${day}T080000Z`,
        `DTEND:202603${day}T090000Z`,
        'SUMMARY:Busy',
      ]),
      'DTSTART:20260401T000000Z',
      'DTEND:20260601T000000Z',
      'SUMMARY:Busy',
      'STATUS:TENTATIVE',
    ]);
    expect(body).not.toContain('hidden');
    const uids = (body as string).match(/^UID:.*$/gm) ?? [];
    expect(new Set(uids).size).toBe(4);
    expect(uids.join()).not.toContain(id);
    expect((await read(scene, url)).body).toBe(body);
    house.clock.advance(7 * 24 * HOUR);
    expect((await read(scene, url)).headers.get('etag')).not.toBe(headers.get('etag'));
  });

  it('answer alike when they are unknown, malformed or over, and when the calendar or its owner is gone', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const make = async (who: typeof ann, more: object = {}) => {
      const { id: calendarId } = await scene.calendarOf(who);
      return { calendarId, ...(await scene.done(createPublicLink, who, { calendarId, ...more })) };
    };
    const [deleted, suspended, expired, revoked, kept] = [
      await make(ann),
      await make(bob),
      await make(cleo, { expiresAt: '2026-01-15T13:00:00Z' }),
      await make(cleo),
      await make(cleo),
    ];
    for (const { url } of [deleted, suspended, expired, revoked, kept])
      expect((await read(scene, url)).status).toBe(200);
    await scene.done(deleteCalendar, ann, { id: deleted.calendarId });
    await scene.suspend(bob);
    await scene.done(revokePublicLink, cleo, { calendarId: revoked.calendarId });
    await scene.later(HOUR);
    expect(await scene.done(listPublicLinks, cleo, { calendarId: expired.calendarId })).toEqual({ links: [] });
    const unknown = await read(scene, `/api/cal/public/${'A'.repeat(43)}.ics`);
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    const others = [deleted, suspended, expired, revoked].map(({ url }) => url);
    for (const url of [
      ...others,
      '/api/cal/public/x',
      kept.url.replace('.ics', ''),
      kept.url.replace('.ics', '.ICS'),
    ]) {
      const { status, body } = await read(scene, url);
      expect([url, status, body]).toEqual([url, 404, unknown.body]);
    }
    expect((await read(scene, kept.url)).status).toBe(200);
  });

  it('are read so often from one address, guesses included, and then from others only', async () => {
    const env = { CONCLAVE_LIMITS_CALENDAR_LINK_PER_ADDRESS: '4/5m' };
    const { config } = await loadConfig({ flags: {}, env, home: '/nowhere', cwd: '/' });
    await using scene = await openCalendars(engine, { config: { limits: config.limits } });
    const { ann, house } = scene;
    const { id: calendarId } = await scene.calendarOf(ann);
    const { url } = await scene.done(createPublicLink, ann, { calendarId });
    const ask = async (path: string, address: string) => {
      const { status, body, headers } = await house.api('GET', path, { address });
      return [status, body?.error?.code ?? 'read', Number(headers.get('retry-after')) > 0];
    };
    const guess = `/api/cal/public/${'A'.repeat(43)}.ics`;
    for (let count = 0; count < 3; count += 1) await ask(guess, '192.0.2.1');
    expect(await ask(pathOf(url), '192.0.2.1')).toEqual([200, 'read', false]);
    expect(await ask(pathOf(url), '192.0.2.1')).toEqual([429, 'RATE_LIMITED', true]);
    expect(await ask(guess, '192.0.2.1')).toEqual([429, 'RATE_LIMITED', true]);
    expect(await ask(pathOf(url), '192.0.2.2')).toEqual([200, 'read', false]);
  });
});
