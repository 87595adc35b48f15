import { describe, expect, it } from 'vitest';
import { openPushService } from '../../shared/notifications/push-service.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { call, notified, refusal } from './notifying.ts';
import { jobRows, openPushScene, subscriptionRows, subscriptions } from './push-scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe.each(engines)('the end of push messages on %s', (engine) => {
  it('check 13: end with the session, the suspension and the account of their member', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const administrator = await house.administrator();
    const [ann, bob, cy] = [await house.register(), await house.register(), await house.register()];
    for (const who of [ann, bob, cy]) await scene.subscribe(who);
    for (const { memberId: recipientId } of [ann, bob, cy])
      await notified(house, { recipientId, type: 'mention', content: 'One' });
    expect(await jobRows(scene)).toHaveLength(3);
    expect((await house.api('POST', '/api/user/logout', { token: ann.token })).status).toBeLessThan(300);
    const suspended = await house.api('POST', `/api/admin/members/${bob.memberId}/suspend`, {
      token: administrator.token,
    });
    expect(suspended.status).toBe(200);
    expect(await subscriptionRows(scene)).toHaveLength(1);
    house.clock.advance(400 * 24 * HOUR);
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    await house.ctx.db.deleteFrom('members').where('id', '=', cy.memberId).execute();
    expect(await subscriptionRows(scene)).toEqual([]);
  });

  it.each([404, 410])('end when the push service answers %i', async (status) => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const ann = await house.register();
    const browsers = [await scene.subscribe(ann), await scene.subscribe(ann)];
    service.answers.push(status);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await scene.deliver();
    expect(service.received).toHaveLength(2);
    const kept = browsers.filter(({ path }) => path !== service.received[0]?.path);
    expect((await subscriptionRows(scene)).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(await jobRows(scene)).toEqual([]);
  });

  it('are tried again when the push service is busy or broken, not before it says, and not for ever', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const ann = await house.register();
    const { path } = await scene.subscribe(ann);
    service.answers.push({ status: 429, headers: { 'retry-after': '1800' } }, 503);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await scene.deliver();
    expect(scene.came()).toHaveLength(1);
    house.clock.advance(29 * MINUTE);
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    house.clock.advance(MINUTE);
    await scene.deliver();
    expect(scene.came()).toHaveLength(1);
    house.clock.advance(HOUR);
    await scene.deliver();
    expect(scene.came()).toEqual([[path, 'One']]);
    expect(await jobRows(scene)).toEqual([]);
    service.answers.push(...Array.from({ length: 8 }, () => 500));
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Two' });
    for (let hours = 0; hours < 12; hours += 1) {
      await scene.deliver();
      house.clock.advance(HOUR);
    }
    expect(scene.came()).toHaveLength(8);
    expect(await jobRows(scene)).toEqual([]);
    expect(await subscriptionRows(scene)).toMatchObject([{ failures: 1 }]);
    expect(JSON.stringify(house.log.lines)).not.toContain(path);
  });

  it('end after ten messages that could not be delivered, redirects among them', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const ann = await house.register();
    await scene.subscribe(ann);
    const location = `https://push.example.net:${service.port}/elsewhere`;
    for (let number = 1; number <= 10; number += 1) {
      expect(await subscriptionRows(scene)).toHaveLength(1);
      service.answers.push(number % 2 === 0 ? 403 : { status: 307, headers: { location } });
      await notified(house, { recipientId: ann.memberId, type: 'mention', content: `Number ${number}` });
      await scene.deliver();
    }
    expect(scene.came()).toHaveLength(10);
    expect(await subscriptionRows(scene)).toEqual([]);
  });

  it('are under way to one member four at a time, and reach all of their browsers', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const ann = await house.register();
    for (let left = 9; left > 0; left -= 1) await scene.subscribe(ann);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    for (let turns = 0; turns < 4; turns += 1) {
      await scene.deliver();
      house.clock.advance(5_000);
    }
    expect(new Set(service.received.map(({ path }) => path)).size).toBe(9);
    expect(service.received).toHaveLength(9);
  });

  it('are planned in the transaction of the notification, or not at all', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const ann = await house.register();
    await scene.subscribe(ann);
    house.spoil();
    const failing = notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Undone' });
    await expect(failing).rejects.toThrow('made by a test');
    expect(await jobRows(scene)).toEqual([]);
    await scene.deliver();
    expect(scene.came()).toEqual([]);
  });

  it('are off where the node is configured so', async () => {
    await using service = await openPushService();
    await using other = await openHouse(engine);
    const { config } = other.ctx;
    const notifications = { ...config.notifications, push: false };
    await using house = await openHouse(engine, { config: { notifications }, context: { outgoing: service.outgoing } });
    const ann = await house.register();
    const { subscription } = service.browser();
    expect(refusal(await call(house, ann, 'POST', subscriptions, subscription))).toEqual([
      '409 PUSH_DISABLED',
      'This node sends no push messages.',
    ]);
    expect(refusal(await call(house, ann, 'GET', '/vapid-key'))[0]).toBe('409 PUSH_DISABLED');
    expect(service.lookups()).toBe(0);
  });
});
