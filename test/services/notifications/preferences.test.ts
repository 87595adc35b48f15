import { describe, expect, it } from 'vitest';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { ask, call, contents, heard, notified, refusal, withdrawn } from './notifying.ts';

const HOUR = 3_600_000;
const all = { enabled: true, channels: ['in_app', 'email', 'push'] };

/** Advances the clock to a moment. */
function until(house: House, moment: string): void {
  house.clock.advance(Date.parse(moment) - house.clock.now());
}

async function deliver(house: House): Promise<void> {
  await runDueJobs({ house }, 'notifications');
}

describe.each(engines)('check 23, preferences of notifications on %s', (engine) => {
  it('are not found until some are stored, and keep what is left out', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    expect(refusal(await call(house, ann, 'GET', '/preferences'))).toEqual([
      '404 PREFERENCES_NOT_FOUND',
      'You have stored no preferences. Everything is on until you do.',
    ]);
    const social = { enabled: false, channels: [] };
    const wanted = { categorySettings: { social }, channelSettings: { push: false }, soundEnabled: false };
    const preferences = {
      userId: ann.memberId,
      categorySettings: {
        social,
        messages: all,
        connections: all,
        system: all,
        quorum: all,
        mail: all,
        files: all,
        calendar: all,
      },
      channelSettings: { in_app: true, email: true, push: false },
      quietHours: { enabled: false, startTime: '22:00', endTime: '07:00', timezone: 'UTC' },
      dndConfig: { enabled: false, expiresAt: null },
      soundEnabled: false,
    };
    expect(await ask(house, ann, 'PUT', '/preferences', { userId: ann.memberId, ...wanted })).toEqual(preferences);
    expect(await ask(house, ann, 'PUT', '/preferences', { channelSettings: { email: false } })).toMatchObject({
      categorySettings: { social },
      channelSettings: { in_app: true, email: false, push: false },
      soundEnabled: false,
    });
    expect(await ask(house, ann, 'GET', '/preferences')).toMatchObject({ soundEnabled: false });
    expect((await call(house, bob, 'GET', '/preferences')).status).toBe(404);
    for (const [method, path, body] of [
      ['PUT', '/preferences', {}],
      ['POST', '/preferences/dnd', { enabled: true }],
      ['POST', '/preferences/quiet-hours', { enabled: false }],
    ] as const)
      expect((await call(house, bob, method, path, { ...body, userId: ann.memberId })).status).toBe(403);
    expect((await call(house, bob, 'GET', '/preferences')).status).toBe(404);
    expect(refusal(await call(house, ann, 'PUT', '/preferences', { soundEnabled: 'yes' }))).toEqual([
      '400 VALIDATION_ERROR',
      'soundEnabled: must be true or false',
    ]);
    const fax = { categorySettings: { social: { enabled: true, channels: ['fax'] } } };
    expect(refusal(await call(house, ann, 'PUT', '/preferences', fax))).toEqual([
      '400 VALIDATION_ERROR',
      'categorySettings.social.channels.0: must be one of in_app, email, push',
    ]);
  });

  it('decide what is stored at all', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const like = { recipientId: ann.memberId, type: 'like', content: 'Like' } as const;
    const put = async (body: object) => await ask(house, ann, 'PUT', '/preferences', body);
    await put({ categorySettings: { social: { enabled: false, channels: ['in_app'] } } });
    expect(await notified(house, like)).toBe(false);
    expect(await notified(house, { ...like, type: 'follow', content: 'Follow' })).toBe(true);
    // Nobody is subscribed to push messages.
    await put({ categorySettings: { social: { enabled: true, channels: ['push'] } } });
    expect(await notified(house, like)).toBe(false);
    await put({ categorySettings: { social: all }, channelSettings: { in_app: false, email: false } });
    expect(await notified(house, like)).toBe(false);
    await put({ channelSettings: { in_app: true } });
    expect(await notified(house, like)).toBe(true);
    expect((await contents(house, ann)).toSorted()).toEqual(['Follow', 'Like']);
  });

  it('switch each channel for itself: without a list there is a digest, and nothing is read, counted or heard', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const like = { recipientId: ann.memberId, type: 'like', targetId: 'post' } as const;
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { in_app: false } });
    expect(await notified(house, { ...like, content: 'One' })).toBe(true);
    expect(await notified(house, { ...like, content: 'Two' })).toBe(true);
    expect(await contents(house, ann)).toEqual([]);
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 0 });
    expect(heard(house, ann)).toEqual([]);
    const rows = await house.ctx.db.selectFrom('notifications').select(['id', 'count', 'digest', 'held']).execute();
    expect(rows).toEqual([{ id: expect.any(String), count: 2, digest: 1, held: 2 }]);
    const path = `/${rows[0]?.id}`;
    expect(refusal(await call(house, ann, 'POST', `${path}/read`))[0]).toBe('404 NOTIFICATION_NOT_FOUND');
    expect(refusal(await call(house, ann, 'DELETE', path))[0]).toBe('404 NOTIFICATION_NOT_FOUND');
    // No digest tells of e-mail.
    expect(await notified(house, { recipientId: ann.memberId, type: 'new_email', content: 'Mail' })).toBe(false);
    // What waits for the end of Do Not Disturb comes by the channels that are wanted then.
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Waits' });
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { in_app: true, email: false } });
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    expect(await contents(house, ann)).toEqual(['Waits']);
  });

  it('have notifications wait during quiet hours and come at the end of them', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const like = { recipientId: ann.memberId, type: 'like', targetId: 'post' } as const;
    const hours = { enabled: true, startTime: '22:00', endTime: '07:00', timezone: 'Europe/Berlin' };
    expect((await ask(house, ann, 'POST', '/preferences/quiet-hours', hours)).quietHours).toEqual(hours);
    until(house, '2026-01-15T20:59:00Z');
    await notified(house, { ...like, content: 'Before' });
    until(house, '2026-01-15T21:00:00Z');
    const [before] = (await ask(house, ann, 'GET')).notifications;
    await notified(house, { ...like, content: 'At night' });
    await notified(house, { ...like, content: 'Later at night' });
    await notified(house, { recipientId: ann.memberId, type: 'reply', content: 'A reply' });
    until(house, '2026-01-16T05:59:59Z');
    await deliver(house);
    expect(await ask(house, ann, 'GET')).toMatchObject({ notifications: [before] });
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 1 });
    const told = heard(house, ann).length;
    expect(told).toBe(2);
    until(house, '2026-01-16T06:00:00Z');
    await deliver(house);
    expect((await contents(house, ann)).toSorted()).toEqual(['A reply', 'Before', 'Later at night']);
    expect(
      heard(house, ann)
        .slice(told)
        .map(([name, data]) => [name, data.unreadCount ?? data.notification.count]),
    ).toEqual(
      expect.arrayContaining([
        ['notification:new', 2],
        ['notification:new', 1],
        ['notification:count', 3],
      ]),
    );
    await notified(house, { ...like, targetId: 'another', content: 'By day' });
    expect(await contents(house, ann)).toContain('By day');
  });

  it('end quiet hours rightly when the clock is put forward and back', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const hours = { enabled: true, startTime: '01:00', endTime: '02:30', timezone: 'Europe/Berlin' };
    await ask(house, ann, 'POST', '/preferences/quiet-hours', hours);
    const waits = async (moment: string) => {
      until(house, moment);
      await deliver(house);
      const signedIn = { ...ann, token: await house.signIn(ann) };
      const before = await contents(house, signedIn);
      await notified(house, { recipientId: ann.memberId, type: 'mention', content: moment });
      return (await contents(house, signedIn)).length === before.length;
    };
    expect(await waits('2026-03-28T23:59:00Z')).toBe(false);
    expect(await waits('2026-03-29T00:10:00Z')).toBe(true);
    expect(await waits('2026-03-29T01:31:00Z')).toBe(false);
    // The clock shows 02:00 to 03:00 twice: 02:30 is first at 00:30 UTC.
    expect(await waits('2026-10-25T00:29:00Z')).toBe(true);
    expect(await waits('2026-10-25T00:31:00Z')).toBe(false);
    expect(await waits('2026-10-25T01:15:00Z')).toBe(false);
    expect(await contents(house, { ...ann, token: await house.signIn(ann) })).toHaveLength(6);
  });

  it('have quiet hours over midnight last an hour less or more on the nights on which the clock changes', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const hours = { enabled: true, startTime: '22:00', endTime: '07:00', timezone: 'Europe/Berlin' };
    await ask(house, ann, 'POST', '/preferences/quiet-hours', hours);
    const nights = [
      // 22:00 in winter to 07:00 in summer
      ['2026-03-28T20:59:59Z', '2026-03-28T21:00:00Z', '2026-03-29T04:59:59Z', '2026-03-29T05:00:00Z'],
      // 22:00 in summer to 07:00 in winter
      ['2026-10-24T19:59:59Z', '2026-10-24T20:00:00Z', '2026-10-25T05:59:59Z', '2026-10-25T06:00:00Z'],
    ] as const;
    for (const [before, begins, late, ends] of nights) {
      const signedIn = async () => ({ ...ann, token: await house.signIn(ann) });
      const told = async (moment: string) => {
        until(house, moment);
        await deliver(house);
        await notified(house, { recipientId: ann.memberId, type: 'mention', content: moment });
        return (await contents(house, await signedIn())).includes(moment);
      };
      expect(await told(before)).toBe(true);
      expect(await told(begins)).toBe(false);
      expect(await told(late)).toBe(false);
      until(house, ends);
      await deliver(house);
      expect(await contents(house, await signedIn())).toEqual(expect.arrayContaining([begins, late]));
      expect(await told(ends)).toBe(true);
    }
  });

  it('have notifications wait for Do Not Disturb to expire or to be turned off', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const mention = { recipientId: ann.memberId, type: 'mention' } as const;
    const expiresAt = new Date(house.clock.now() + HOUR).toISOString();
    const dnd = await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true, expiresAt });
    expect(dnd.dndConfig).toEqual({ enabled: true, expiresAt });
    await notified(house, { ...mention, content: 'One' });
    expect(await contents(house, ann)).toEqual([]);
    house.clock.advance(HOUR);
    await deliver(house);
    expect(await contents(house, ann)).toEqual(['One']);
    expect((await ask(house, ann, 'GET', '/preferences')).dndConfig).toEqual({ enabled: false, expiresAt: null });

    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await notified(house, { ...mention, content: 'Two' });
    house.clock.advance(20 * HOUR);
    await deliver(house);
    expect(await contents(house, ann)).toEqual(['One']);
    const turnedOff = await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    expect(turnedOff.dndConfig).toEqual({ enabled: false, expiresAt: null });
    expect(await contents(house, ann)).toEqual(['Two', 'One']);
  });

  it('have what Do Not Disturb held wait on in quiet hours', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    until(house, '2026-01-15T20:00:00Z');
    const hours = { enabled: true, startTime: '21:00', endTime: '23:00', timezone: 'UTC' };
    await ask(house, ann, 'POST', '/preferences/quiet-hours', hours);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true, expiresAt: '2026-01-15T22:00:00.000Z' });
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    until(house, '2026-01-15T22:00:00Z');
    await deliver(house);
    expect(await contents(house, ann)).toEqual([]);
    until(house, '2026-01-15T23:00:00Z');
    await deliver(house);
    expect(await contents(house, ann)).toEqual(['One']);
  });

  it('keep what waits from being read, deleted or counted, and let it be withdrawn and unwanted', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Waits' });
    await notified(house, { recipientId: ann.memberId, type: 'follow', content: 'Unwanted' });
    await notified(house, { recipientId: ann.memberId, type: 'mention', targetId: 'gone', content: 'Gone' });
    const rows = await house.ctx.db.selectFrom('notifications').select('id').execute();
    for (const { id } of rows)
      for (const [method, path] of [
        ['POST', `/${id}/read`],
        ['DELETE', `/${id}`],
      ] as const)
        expect((await call(house, ann, method, path)).status).toBe(404);
    expect(await ask(house, ann, 'POST', '/read-all')).toEqual({ marked: 0, unreadCount: 0 });
    expect(await ask(house, ann, 'DELETE')).toEqual({ deleted: 0 });
    await withdrawn(house, { targetId: 'gone' });
    await ask(house, ann, 'PUT', '/preferences', {
      categorySettings: { connections: { enabled: false, channels: [] } },
    });
    expect(house.happened).toEqual([]);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    expect(await contents(house, ann)).toEqual(['Waits']);
    expect(heard(house, ann).map(([name]) => name)).toEqual(['notification:new', 'notification:count']);
    expect(await house.ctx.db.selectFrom('notifications').select('id').execute()).toHaveLength(1);
  });

  it('deliver many in several steps', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    for (let left = 230; left > 0; left -= 1)
      await notified(house, { recipientId: ann.memberId, type: 'mention', content: `${left}` });
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 100 });
    await deliver(house);
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 230 });
    const names = heard(house, ann).map(([name]) => name);
    expect(names.filter((name) => name === 'notification:new')).toHaveLength(230);
    expect(names.filter((name) => name === 'notification:count')).toHaveLength(3);
  });

  it('refuse times that mean nothing, and an expiry in the past', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const hours = { enabled: true, startTime: '22:00', endTime: '07:00', timezone: 'Europe/Berlin' };
    const quiet = async (more: object) =>
      refusal(await call(house, ann, 'POST', '/preferences/quiet-hours', { ...hours, ...more }))[1];
    expect(await quiet({ timezone: undefined })).toBe('timezone: is needed to enable quiet hours');
    expect(await quiet({ startTime: undefined, endTime: undefined })).toBe(
      'startTime: is needed to enable quiet hours; endTime: is needed to enable quiet hours',
    );
    expect(await quiet({ startTime: '24:00' })).toBe('startTime: must be a time of the clock, HH:MM');
    expect(await quiet({ endTime: '7:00' })).toBe('endTime: must be a time of the clock, HH:MM');
    expect(await quiet({ endTime: '22:00' })).toBe('endTime: must not be the time at which they start');
    expect(await quiet({ timezone: 'Europe/Nowhere' })).toBe(
      'timezone: must be an IANA time zone, such as Europe/Berlin',
    );
    const dnd = async (expiresAt: unknown) =>
      refusal(await call(house, ann, 'POST', '/preferences/dnd', { enabled: true, expiresAt }));
    const now = new Date(house.clock.now()).toISOString();
    expect(await dnd(now)).toEqual(['400 VALIDATION_ERROR', 'expiresAt: must be in the future']);
    expect((await dnd('soon'))[0]).toBe('400 VALIDATION_ERROR');
    expect((await dnd('2026-99-99T00:00:00Z'))[0]).toBe('400 VALIDATION_ERROR');
    expect((await call(house, ann, 'GET', '/preferences')).status).toBe(404);
  });
});
