import { describe, expect, it } from 'vitest';
import { hubFrames } from '../../../src/services/social/hubs/topics.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openHeard } from './heard-scene.ts';
import { openHubs } from './hub-scene.ts';

type Five = [HouseMember, HouseMember, HouseMember, HouseMember, HouseMember];

const openHubsHeard = async (engine: EngineName) =>
  await openHeard(async (options) => await openHubs(engine, 5, options));

describe.each(engines)('events of hubs on %s', (engine) => {
  it('tell nobody whom a block parts from the author, at once and when they are sent again', async () => {
    await using setting = await openHubsHeard(engine);
    const { scene, listen } = setting;
    const [ada, bob, cyd, dan, eve] = scene.people as Five;
    const hub = await scene.hub(ada, [bob, cyd, dan]);
    const topic = `hub:${hub.id}`;
    const block = async (who: HouseMember, whom: HouseMember) =>
      await scene.house.api('POST', `/api/social/users/${whom.memberId}/block`, { token: who.token });
    for (const [who, whom] of [
      [ada, bob],
      [cyd, ada],
      [ada, eve],
    ] as const)
      expect((await block(who, whom)).status).toBeLessThan(300);
    const everybody = [bob, cyd, dan];
    const heard = await Promise.all(everybody.map(async (who) => (await listen(who, topic))!));
    const write = async (author: HouseMember) => {
      const options = { token: author.token, body: { content: 'words', hubIds: [hub.id] } };
      const { _id: id } = (await scene.house.api('POST', '/api/social/posts', options)).body.data;
      return id as string;
    };
    const [first, second] = [await write(ada), await write(dan)];
    const toldOf = (listener: (typeof heard)[number]) =>
      listener.heard.flatMap(({ type, data }) => (type === 'hub:post:new' ? [Object.values(data.post)[0]] : []));
    const shown = [[second], [second], [first, second]];
    for (const [at, listener] of heard.entries()) await eventually(() => expect(toldOf(listener)).toEqual(shown[at]));
    const again = await Promise.all(everybody.map(async (who) => (await listen(who, topic, 0))!));
    for (const [at, listener] of again.entries()) {
      await eventually(() => expect(toldOf(listener)).toEqual(shown[at]));
      // Nobody is asked to read everything anew, and nothing tells for whom it was withheld.
      expect(JSON.stringify(listener.heard)).not.toMatch(/resync|withheld/);
    }
  });

  it('check 12: tell members of new posts, and end with the membership in whatever way', async () => {
    await using setting = await openHubsHeard(engine);
    const { scene, sockets, listen } = setting;
    const [ada, bob, cyd, dan, eve] = scene.people as Five;
    const hub = await scene.hub(ada, [bob, cyd, dan]);
    const below = await scene.hub(ada, [cyd], { parentHubId: hub.id });
    const topic = `hub:${hub.id}`;
    expect(await listen(eve, topic)).toBeUndefined();
    expect(await listen(ada, 'hub:nowhere')).toBeUndefined();
    expect(await listen(ada, `${topic}:more`)).toBeUndefined();
    const heard = await Promise.all([bob, cyd, dan].map(async (who) => await listen(who, topic)));
    const fromBelow = await listen(cyd, `hub:${below.id}`);
    const [toBob, toCyd, toDan] = heard.map((listener) => listener!);
    const write = async (content: string) => {
      const options = { token: ada.token, body: { content, hubIds: [hub.id, below.id] } };
      const { _id: id, createdAt } = (await scene.house.api('POST', '/api/social/posts', options)).body.data;
      return { _id: id, hubIds: [hub.id], createdAt };
    };
    const first = await write('Secret words');
    for (const listener of [toBob, toCyd, toDan])
      await eventually(() =>
        expect(listener!.heard).toMatchObject([{ type: 'hub:post:new', topic, data: { post: first } }]),
      );
    expect(JSON.stringify(toBob!.heard)).not.toContain('Secret');
    expect(JSON.stringify(toBob!.heard)).not.toContain(below.id);

    await scene.ask(bob, 'POST', `/${hub.id}/leave`);
    await scene.ask(ada, 'POST', `/${hub.id}/ban`, { userId: cyd.memberId });
    await scene.ask(ada, 'DELETE', `/${hub.id}/members`, { userIds: [dan.memberId] });
    for (const listener of [toBob, toCyd, toDan, fromBelow]) expect(sockets.topics.subscriptionsOf(listener!)).toBe(0);
    await write('Later');
    for (const who of [bob, cyd, dan]) expect(await listen(who, topic)).toBeUndefined();
    expect(await listen(cyd, `hub:${below.id}`)).toBeUndefined();
    for (const listener of [toBob, toCyd, toDan]) expect(listener!.heard).toHaveLength(1);
  });

  it('are subscribed to by frames of their own too', async () => {
    const [subscribe, unsubscribe] = hubFrames();
    const hubId = 'ab'.repeat(16);
    const seen: string[] = [];
    const sender = (allowed: boolean) => ({
      listener: listenerOf('ada'),
      subscribe: async (topic: string) => seen.push(topic) > 0 && allowed,
      unsubscribe: (topic: string) => void seen.push(`not ${topic}`),
    });
    expect(await subscribe!.perform(sender(true), { hubId })).toEqual({ count: 1, refused: 0, refusedTopics: [] });
    expect(await subscribe!.perform(sender(false), { hubId })).toEqual({
      count: 0,
      refused: 1,
      refusedTopics: [`hub:${hubId}`],
    });
    expect(await unsubscribe!.perform(sender(true), { hubId })).toEqual({ count: 1 });
    expect(seen).toEqual([`hub:${hubId}`, `hub:${hubId}`, `not hub:${hubId}`]);
  });

  it('check 15: are sent again to newcomers too, but in an encrypted hub from when they joined', async () => {
    await using setting = await openHubsHeard(engine);
    const { scene, sockets } = setting;
    const [ada, bob] = scene.people as Five;
    const tiers = ['open', 'encrypted'] as const;
    for (const trustTier of tiers) {
      const hub = await scene.hub(ada, [], { trustTier });
      const write = async (content: string) => {
        scene.house.clock.advance(1);
        const options = { token: ada.token, body: { content, hubIds: [hub.id] } };
        return (await scene.house.api('POST', '/api/social/posts', options)).body.data['_id'] as string;
      };
      const before = await write('Before');
      await scene.ask(bob, 'POST', `/${hub.id}/join`);
      const after = await write('After');
      const listener = listenerOf(bob.memberId);
      expect(await sockets.topics.subscribe(listener, `hub:${hub.id}`, 0)).toBeDefined();
      const live = await write('Live');
      const wanted = trustTier === 'encrypted' ? [after, live] : [before, after, live];
      const ids = () =>
        listener.heard.flatMap(({ type, data }) => (type === 'hub:post:new' ? [data.post['_id'] as string] : []));
      await eventually(() => expect(ids()).toEqual(wanted));
    }
  });

  it('end for all with the hub', async () => {
    await using setting = await openHubsHeard(engine);
    const { scene, sockets, listen } = setting;
    const [ada, bob] = scene.people as Five;
    const hub = await scene.hub(ada, [bob]);
    const below = await scene.hub(ada, [bob], { parentHubId: hub.id });
    const both = [await listen(bob, `hub:${hub.id}`), await listen(bob, `hub:${below.id}`)];
    await scene.ask(ada, 'DELETE', `/${hub.id}`);
    for (const listener of both) expect(sockets.topics.subscriptionsOf(listener!)).toBe(0);
    expect(await listen(ada, `hub:${hub.id}`)).toBeUndefined();
  });
});
