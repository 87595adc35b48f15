import { describe, expect, it } from 'vitest';
import { publicAddresses } from '../../../src/platform/outbound/public-addresses.ts';
import { openPushService } from '../../shared/notifications/push-service.ts';
import { openHouse } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask, call, contents, idOf, notified, refusal, withdrawn } from './notifying.ts';
import { jobRows, openPushScene, subscriptions } from './push-scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe.each(engines)('push messages on %s', (engine) => {
  it('reach every browser of the member, which decrypts them; the push service learns nothing else', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const [ann, bob] = [await house.register(), await house.register()];
    const { publicKey } = await ask(house, ann, 'GET', '/vapid-key');
    expect(Buffer.from(publicKey, 'base64url')).toHaveLength(65);
    expect(await ask(house, bob, 'GET', '/vapid-key')).toEqual({ publicKey });
    const [one, two, other] = [await scene.subscribe(ann), await scene.subscribe(ann), await scene.subscribe(bob)];
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Bob mentioned you.' });
    expect(service.received).toEqual([]);
    await scene.deliver();
    expect(service.received.map(({ path }) => path).toSorted()).toEqual([one.path, two.path].toSorted());
    const [notification] = (await ask(house, ann, 'GET')).notifications;
    for (const { message, headers, body } of service.received) {
      expect(message).toEqual({ id: idOf(notification), type: 'mention', count: 1, content: 'Bob mentioned you.' });
      expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal' });
      expect(headers['topic']).toMatch(/^[\w-]{32}$/);
      expect(headers['topic']).not.toContain(idOf(notification));
      expect(body).toHaveLength(1_024 + 103);
      const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
      expect(key).toBe(publicKey);
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      const expires = Math.floor(house.clock.now() / 1_000) + 12 * 3_600;
      expect(claims).toEqual({ aud: `https://push.example.net:${service.port}`, exp: expires });
    }
    expect(await jobRows(scene)).toEqual([]);
    await notified(house, { recipientId: bob.memberId, type: 'security_alert', content: 'New device' });
    service.received.length = 0;
    await scene.deliver();
    expect(service.received).toMatchObject([{ path: other.path, headers: { urgency: 'high' } }]);
  });

  it('are not in the database, nor are the endpoints', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const ann = await house.register();
    const browser = await scene.subscribe(ann);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'Secret sentence' });
    const rows = await house.ctx.db.selectFrom('push_subscriptions').selectAll().execute();
    const text = JSON.stringify([rows, Buffer.from(rows[0]?.sealed ?? []).toString('latin1'), await jobRows(scene)]);
    expect(text).not.toContain(browser.path);
    expect(text).not.toContain('Secret sentence');
  });

  it('are shown and ended by their member alone', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const [ann, bob] = [await house.register(), await house.register()];
    const [one, two] = [await scene.subscribe(ann), await scene.subscribe(ann)];
    const own = (await ask(house, ann, 'GET', subscriptions)).subscriptions;
    expect(own.map(({ id }: { id: string }) => id).toSorted()).toEqual([one.id, two.id].toSorted());
    expect(own[0]).toMatchObject({ userAgent: 'house-test', current: true, pushedAt: null });
    expect(JSON.stringify(own)).not.toMatch(/wpush/);
    const again = { ...ann, token: await house.signIn(ann) };
    expect((await ask(house, again, 'GET', subscriptions)).subscriptions[0].current).toBe(false);
    expect(await ask(house, bob, 'GET', subscriptions)).toEqual({ subscriptions: [] });
    for (const body of [
      { subscriptionId: one.id },
      { endpoint: one.subscription.endpoint },
      { subscriptionId: 'f'.repeat(32) },
    ])
      expect(refusal(await call(house, bob, 'DELETE', subscriptions, body))).toEqual([
        '404 PUSH_SUBSCRIPTION_NOT_FOUND',
        'You have no such push subscription.',
      ]);
    for (const body of [{}, { subscriptionId: one.id, endpoint: one.subscription.endpoint }])
      expect(refusal(await call(house, ann, 'DELETE', subscriptions, body))[0]).toBe('400 VALIDATION_ERROR');
    expect(await ask(house, ann, 'DELETE', subscriptions, { subscriptionId: one.id })).toEqual({
      subscriptionId: one.id,
    });
    const { endpoint } = two.subscription;
    expect(await ask(house, ann, 'DELETE', subscriptions, { endpoint })).toEqual({ subscriptionId: two.id });
    expect((await call(house, ann, 'DELETE', subscriptions, { endpoint })).status).toBe(404);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await scene.deliver();
    expect(scene.came()).toEqual([]);
  });

  it('of one endpoint are one: the same again replaces the keys, and another member has their own', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const [ann, bob] = [await house.register(), await house.register()];
    const first = await scene.subscribe(ann);
    const body = first.subscription;
    const replaced = await ask(house, ann, 'POST', subscriptions, { ...body, expirationTime: null });
    expect(replaced.subscription.id).toBe(first.id);
    const ofBob = await ask(house, bob, 'POST', subscriptions, body);
    expect(ofBob.subscription.id).not.toBe(first.id);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'For Ann' });
    await scene.deliver();
    expect(scene.came()).toEqual([[first.path, 'For Ann']]);
    const same = service.browser().subscription;
    const twice = await Promise.all(
      Array.from({ length: 4 }, async () => await call(house, ann, 'POST', subscriptions, same)),
    );
    expect(twice.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await ask(house, ann, 'GET', subscriptions)).subscriptions).toHaveLength(2);
    const many = Array.from({ length: 30 }, async () => {
      return (await call(house, bob, 'POST', subscriptions, service.browser().subscription)).status;
    });
    const answered = await Promise.all(many);
    expect(answered.filter((status) => status === 201)).toHaveLength(19);
    expect(answered.filter((status) => status === 409)).toHaveLength(11);
    expect(refusal(await call(house, bob, 'POST', subscriptions, service.browser().subscription))).toEqual([
      '409 PUSH_SUBSCRIPTIONS_FULL',
      'You have 20 browsers that get push messages. End one first.',
    ]);
    expect((await call(house, bob, 'POST', subscriptions, body)).status).toBe(201);
  });

  it('check 22: go to https at public addresses alone, and the answer tells nothing of other networks', async () => {
    await using service = await openPushService();
    const names: Record<string, string[]> = { inside: ['10.1.2.3'], 'both.example': ['9.9.9.9', '127.0.0.1'] };
    const outgoing = {
      ...service.outgoing,
      allows: publicAddresses(),
      lookup: async (name: string) => names[name] ?? [],
    };
    await using house = await openHouse(engine, { context: { outgoing } });
    const ann = await house.register();
    const { keys } = service.browser().subscription;
    for (const endpoint of [
      'http://9.9.9.9/x',
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://169.254.169.254/latest/meta-data',
      'https://inside/x',
      'https://both.example/x',
      'https://unknown.example/x',
      'https://user:word@9.9.9.9/x',
      'https://0x7f000001/',
      'nothing',
    ])
      expect(refusal(await call(house, ann, 'POST', subscriptions, { endpoint, keys }))).toEqual([
        '400 PUSH_ENDPOINT_REFUSED',
        'endpoint: must be an https URL at a public address',
      ]);
    expect((await call(house, ann, 'POST', subscriptions, { endpoint: 'https://9.9.9.9/x', keys })).status).toBe(201);
    const wrong = async (more: object) =>
      refusal(
        await call(house, ann, 'POST', subscriptions, { endpoint: 'https://9.9.9.9/x', keys: { ...keys, ...more } }),
      );
    const nowhere = Buffer.alloc(65, 4).toString('base64url');
    expect(await wrong({ p256dh: nowhere })).toEqual(['400 VALIDATION_ERROR', 'keys.p256dh: must be a point on P-256']);
    expect(await wrong({ p256dh: keys.auth })).toEqual([
      '400 VALIDATION_ERROR',
      'keys.p256dh: must be 65 bytes as base64url',
    ]);
    expect(await wrong({ auth: `${keys.auth}A` })).toEqual([
      '400 VALIDATION_ERROR',
      'keys.auth: must be 16 bytes as base64url',
    ]);
    const long = { endpoint: `https://9.9.9.9/${'x'.repeat(2_048)}`, keys };
    expect(refusal(await call(house, ann, 'POST', subscriptions, long))).toEqual([
      '400 VALIDATION_ERROR',
      'endpoint: must be at most 2048 characters',
    ]);
    const operator = { token: await house.operatorToken(), memberId: '' };
    const asked = await house.api('POST', `/api/social/notifications${subscriptions}`, {
      token: operator.token,
      trusted: true,
      body: { endpoint: 'https://9.9.9.9/x', keys },
    });
    expect(refusal(asked)[0]).toBe('403 FORBIDDEN');
  });

  it('check 22: go nowhere when the name of a push service points into a private network later', async () => {
    await using scene = await openPushScene(engine);
    const { house, service } = scene;
    const ann = await house.register();
    await scene.subscribe(ann);
    service.resolveTo(['10.0.0.1']);
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    expect(await jobRows(scene)).toMatchObject([{ payload: expect.stringContaining('"tries":1') }]);
    service.resolveTo(['127.0.0.1']);
    house.clock.advance(HOUR);
    await scene.deliver();
    expect(scene.came()).toMatchObject([[expect.any(String), 'One']]);
  });

  it('say what is unread when they are sent, and nothing of what was read, withdrawn, silenced or put off', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const [ann, bob] = [await house.register(), await house.register()];
    const { path } = await scene.subscribe(ann);
    const about = { recipientId: ann.memberId, type: 'file_shared', actorId: bob.memberId } as const;
    const onePush = async (content: string) => await notified(house, { ...about, targetId: content, content });
    await onePush('Withdrawn');
    await withdrawn(house, { targetId: 'Withdrawn' });
    await onePush('Read');
    await ask(house, ann, 'POST', '/read-all');
    await onePush('Deleted');
    await ask(house, ann, 'DELETE');
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    await onePush('Silenced');
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    await onePush('Held');
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    await scene.deliver();
    expect(scene.came()).toEqual([[path, 'Held']]);
    await onePush('Unwanted');
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { push: false } });
    await scene.deliver();
    expect(scene.came()).toEqual([]);
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { push: true, in_app: false, email: false } });
    await onePush('Pushed alone');
    await scene.deliver();
    expect(scene.came()).toEqual([[path, 'Pushed alone']]);
    expect(await contents(house, ann)).not.toContain('Pushed alone');
  });

  it('of a group come at once and then once a minute, with what it says then', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const [ann, ...others] = await Promise.all([1, 2, 3, 4].map(async () => await house.register()));
    const { path } = await scene.subscribe(ann as HouseMember);
    const like = { recipientId: (ann as HouseMember).memberId, type: 'like', targetId: 'post' } as const;
    for (const [index, { memberId: actorId }] of others.entries()) {
      await notified(house, { ...like, actorId, content: `Number ${index} likes it.` });
      await scene.deliver();
    }
    expect(scene.came()).toEqual([[path, 'Number 0 likes it.']]);
    house.clock.advance(MINUTE);
    await scene.deliver();
    expect(scene.came()).toEqual([[path, 'Number 2 likes it. (and 2 others)']]);
    house.clock.advance(HOUR);
    await scene.deliver();
    expect(scene.came()).toEqual([]);
  });

  it('after a night are the latest ten', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const ann = await house.register();
    await scene.subscribe(ann);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    for (let number = 1; number <= 13; number += 1) {
      await notified(house, { recipientId: ann.memberId, type: 'mention', content: `Number ${number}` });
      house.clock.advance(1);
    }
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    await scene.deliver();
    const said = scene.came().map(([, content]) => content);
    expect(said).toHaveLength(10);
    expect(said).not.toContain('Number 3');
    expect(said).toContain('Number 4');
    expect(await contents(house, ann)).toHaveLength(13);
  });
});
