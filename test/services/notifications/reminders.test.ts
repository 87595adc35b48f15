import { describe, expect, it } from 'vitest';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { call, contents, notified, refusal } from './notifying.ts';

const DAY = 24 * 3_600_000;

async function away({ ctx }: House, memberId: string, days: number): Promise<void> {
  const since = ctx.clock.now() - days * DAY;
  await ctx.db.updateTable('member_profiles').set({ last_active: since }).where('member_id', '=', memberId).execute();
}

describe.each(engines)('reconnect reminders on %s', (engine) => {
  it('go to members who have not been here for so long, once for each absence', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const [ann, bob, cy] = [await house.register(), await house.register(), await house.register()];
    const remind = async (body: object = {}) => await call(house, administrator, 'POST', '/reconnect-reminders', body);
    await away(house, ann.memberId, 34);
    await away(house, bob.memberId, 30);
    await away(house, cy.memberId, 29);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    house.clock.advance(1);
    const { status, body } = await remind();
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'success', message: '2 reminders generated', data: { generated: 2 } });
    // While they are sent, none is generated anew.
    expect((await remind()).body).toMatchObject({ message: '0 reminders generated' });
    await runDueJobs({ house }, 'notifications');
    expect(await contents(house, ann)).toEqual([
      'You have not been here for 34 days. One notification is unread.',
      'One',
    ]);
    expect(await house.ctx.db.selectFrom('notifications').select('id').execute()).toHaveLength(3);
    expect((await remind({ inactiveDays: 30 })).body.data).toEqual({ generated: 0 });
    expect((await remind({ inactiveDays: 29 })).body.message).toBe('1 reminder generated');
    await runDueJobs({ house }, 'notifications');
    // Somebody who came back and left again is reminded anew.
    house.clock.advance(40 * DAY);
    await away(house, bob.memberId, 39);
    for (const { memberId } of [administrator, ann]) await away(house, memberId, 1);
    const again = { ...administrator, token: await house.signIn(administrator) };
    expect((await call(house, again, 'POST', '/reconnect-reminders', {})).body.data).toEqual({ generated: 1 });
  });

  it('are sent in steps', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const members = await Promise.all(Array.from({ length: 60 }, async () => await house.register()));
    for (const { memberId } of members) await away(house, memberId, 100);
    const { body } = await call(house, administrator, 'POST', '/reconnect-reminders', { inactiveDays: 100 });
    expect(body.data).toEqual({ generated: 60 });
    await runDueJobs({ house }, 'notifications');
    const rows = await house.ctx.db.selectFrom('notifications').select(['recipient_id', 'count']).execute();
    expect(new Set(rows.map((row) => row.recipient_id)).size).toBe(60);
    expect(rows).toHaveLength(60);
  });

  it('are for administrators, and for whole days', async () => {
    await using house = await openHouse(engine);
    const [administrator, ann] = [await house.administrator(), await house.register()];
    expect(refusal(await call(house, ann, 'POST', '/reconnect-reminders', {}))).toEqual([
      '403 FORBIDDEN',
      'Your role does not allow this.',
    ]);
    for (const inactiveDays of [0, -1, 1.5, 3_651, 'soon', 1e9])
      expect(refusal(await call(house, administrator, 'POST', '/reconnect-reminders', { inactiveDays }))).toEqual([
        '400 VALIDATION_ERROR',
        'inactiveDays: must be a whole number from 1 to 3650',
      ]);
    expect((await house.api('POST', '/api/social/notifications/reconnect-reminders', { body: {} })).status).toBe(401);
  });

  it('are not for suspended members, nor for those who do not want them', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const [ann, bob] = [await house.register(), await house.register()];
    for (const { memberId } of [ann, bob]) await away(house, memberId, 50);
    await house.ctx.db.updateTable('members').set({ status: 'suspended' }).where('id', '=', ann.memberId).execute();
    await call(house, bob, 'PUT', '/preferences', {
      categorySettings: { connections: { enabled: false, channels: [] } },
    });
    await away(house, bob.memberId, 50);
    expect((await call(house, administrator, 'POST', '/reconnect-reminders', {})).body.data).toEqual({ generated: 1 });
    await runDueJobs({ house }, 'notifications');
    expect(await house.ctx.db.selectFrom('notifications').select('id').execute()).toEqual([]);
  });
});
