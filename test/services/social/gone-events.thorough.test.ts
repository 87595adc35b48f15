import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { hubHiddenHandler } from '../../../src/services/social/hubs/hidden-notices.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { engines } from '../../support/stores.ts';
import { ask, idOf } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openHeard } from './heard-scene.ts';
import { openSocial } from './scene.ts';

async function openGone(engine: EngineName, ...names: string[]) {
  const setting = await openHeard(async (options) => await openSocial(engine, options));
  const { scene } = setting;
  const members = Object.fromEntries(
    await Promise.all(names.map(async (username) => [username, await scene.house.register({ username })] as const)),
  ) as Record<string, HouseMember>;
  const listen = async (who: HouseMember, topic = `notifications:${who.memberId}`, after?: number) =>
    (await setting.listen(who, topic, after))!;
  return {
    ...setting,
    members,
    listen,
    /** a hub of the first one, with the others, who join one after another */
    async hub([owner, ...others]: HouseMember[], more: object = {}) {
      scene.house.clock.advance(1);
      const { _id: id } = await scene.ask(owner!, 'POST', '/hubs', { name: `Hub ${scene.house.clock.now()}`, ...more });
      for (const who of others) await scene.ask(who, 'POST', `/hubs/${id}/join`, {});
      return id as string;
    },
    /** what listeners heard since the last time, after the jobs, without what is known to have come before */
    async expectHeard(listeners: readonly TestListener[], expected: readonly (readonly unknown[])[]) {
      for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
      const frames = () => listeners.map(({ heard }) => heard.map(({ type, data }) => [type, data]));
      await eventually(() => expect(frames()).toEqual(expected));
      for (const { heard } of listeners) heard.length = 0;
    },
  };
}

const removed = (postId: string, hubId: string) => ['hub:post:removed', { postId, hubId }];
const hidden = (who: HouseMember, hubId: string) => ['hub:author:hidden', { hubId, authorId: who.memberId }];
const deleted = (notificationId: string) => ['notification:deleted', { notificationId }];
const count = (unreadCount: number) => ['notification:count', { unreadCount }];

describe.each(engines)('posts that go out of a hub on %s', (engine) => {
  it('are told to those who saw them alone, whoever takes them out, and once', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan', 'eve');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob, cleo, dan, eve } = members as Record<'ada' | 'bob' | 'cleo' | 'dan' | 'eve', HouseMember>;
    const [hub, other] = [await setting.hub([ada, bob, cleo, dan]), await setting.hub([ada, bob, eve])];
    await scene.ask(cleo, 'POST', '/users/bob/block', {});
    const post = await scene.post(bob, 'Rude', { hubIds: [hub, other] });
    const second = await scene.post(bob, 'Fine', { hubIds: [hub] });
    const third = await scene.post(bob, 'Later', { hubIds: [hub] });
    const repost = (await scene.ask(dan, 'POST', `/posts/${third}/repost`))['_id'] as string;
    const topic = `hub:${hub}`;
    const listeners = [
      await listen(dan, topic),
      await listen(bob, topic),
      await listen(cleo, topic),
      await listen(eve, `hub:${other}`),
    ];
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: post });
    await expectHeard(listeners, [[removed(post, hub)], [removed(post, hub)], [], []]);
    // In the other hub it stays, until its author deletes it.
    await scene.ask(bob, 'DELETE', `/posts/${post}`);
    await expectHeard(listeners, [[], [], [], [removed(post, other)]]);
    await scene.ask(bob, 'DELETE', `/posts/${second}`);
    await expectHeard(listeners, [[removed(second, hub)], [removed(second, hub)], [], []]);
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: repost });
    await expectHeard(listeners, [[removed(repost, hub)], [removed(repost, hub)], [], []]);
    const again = await listen(cleo, topic, 0);
    await eventually(() => expect(again.heard).toEqual([]));
    // Of what is hidden from everybody nobody hears.
    await scene.suspend(bob);
    await expectHeard(listeners, [[hidden(bob, hub)], [hidden(bob, hub)], [], []]);
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: third });
    await expectHeard(listeners, [[], [], [], []]);
  });

  it('are told in an encrypted hub to those who have the key of that time', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob, cleo, dan } = members as Record<'ada' | 'bob' | 'cleo' | 'dan', HouseMember>;
    const hub = await setting.hub([ada, bob], { trustTier: 'encrypted' });
    const first = await scene.post(bob, 'Secret', { hubIds: [hub] });
    await scene.ask(cleo, 'POST', `/hubs/${hub}/join`, {});
    await scene.post(bob, 'Another', { hubIds: [hub] });
    await scene.ask(dan, 'POST', `/hubs/${hub}/join`, {});
    const listeners = [
      await listen(ada, `hub:${hub}`),
      await listen(cleo, `hub:${hub}`),
      await listen(dan, `hub:${hub}`),
    ];
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: first });
    await expectHeard(listeners, [[removed(first, hub)], [], []]);
    await scene.suspend(bob);
    await expectHeard(listeners, [[hidden(bob, hub)], [hidden(bob, hub)], []]);
  });
});

describe.each(engines)('a member who is hidden, on %s', (engine) => {
  it('has everybody told, who saw anything of theirs in a hub, when they are suspended or leave', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan', 'eve');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob, cleo, dan, eve } = members as Record<'ada' | 'bob' | 'cleo' | 'dan' | 'eve', HouseMember>;
    const [hub, empty, left] = [
      await setting.hub([ada, bob, cleo, dan, eve]),
      await setting.hub([ada, bob, dan]),
      await setting.hub([ada, bob, dan]),
    ];
    const first = await scene.post(bob, 'In two', { hubIds: [hub, left] });
    // More than one look reads; the last of them is in another hub.
    const last = await setting.hub([ada, dan]);
    const { db } = scene.house.ctx;
    const row = await db.selectFrom('social_posts').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    const ids = Array.from({ length: 1_001 }, (_, at) => `f${String(at).padStart(31, '0')}`);
    for (let from = 0; from < ids.length; from += 500)
      await insertRows(
        db,
        'social_posts',
        Array.from(ids.slice(from, from + 500), (id) => ({ ...row, id })),
      );
    await insertRows(db, 'social_post_hubs', [
      { hub_id: last, post_id: ids.at(-1)!, listed: 1, engagement: 0, controversy: 0 },
    ]);
    const hers = await scene.post(eve, 'In one', { hubIds: [hub] });
    const gone = await scene.post(bob, 'Gone', { hubIds: [empty] });
    await scene.ask(bob, 'DELETE', `/posts/${gone}`);
    await scene.ask(bob, 'POST', `/hubs/${left}/leave`, {});
    await scene.ask(bob, 'POST', '/users/cleo/block', {});
    const listeners = [
      await listen(dan, `hub:${hub}`),
      await listen(dan, `hub:${empty}`),
      await listen(dan, `hub:${left}`),
      await listen(cleo, `hub:${hub}`),
      await listen(dan, `hub:${last}`),
    ];
    // Protection hides nothing in hubs.
    await scene.protect(bob);
    await expectHeard(listeners, [[], [], [], [], []]);
    await scene.suspend(bob);
    await expectHeard(listeners, [[hidden(bob, hub)], [], [hidden(bob, left)], [], [hidden(bob, last)]]);
    await scene.ask(eve, 'DELETE', '/users/eve', { password: eve.password });
    await expectHeard(listeners, [[removed(hers, hub)], [], [], [removed(hers, hub)], []]);
  });

  it('has nobody told, who was restored before', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob } = members as Record<'ada' | 'bob', HouseMember>;
    const hub = await setting.hub([ada, bob]);
    await scene.post(bob, 'For @ada', { hubIds: [hub] });
    await runDueJobs(scene, 'notifications');
    const listeners = [await listen(ada, `hub:${hub}`), await listen(ada)];
    await scene.suspend(bob);
    const token = await scene.house.operatorToken();
    const path = `/api/admin/members/${bob.memberId}/restore`;
    expect((await scene.house.api('POST', path, { token, trusted: true, body: {} })).status).toBe(200);
    await expectHeard(listeners, [[], []]);
  });
});

describe.each(engines)('notifications that lose what they are about on %s', (engine) => {
  it('are told to be gone, or who is left of them, when a member is protected or suspended', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan', 'eve');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob, cleo, dan, eve } = members as Record<'ada' | 'bob' | 'cleo' | 'dan' | 'eve', HouseMember>;
    await scene.follow(eve, bob);
    const [hers, theirs] = [await scene.post(ada, 'Tea is ready'), await scene.post(eve, 'Cake')];
    for (const who of [bob, cleo]) await scene.ask(who, 'POST', `/posts/${hers}/repost`);
    await scene.post(bob, 'For @ada and @eve');
    await scene.ask(bob, 'POST', `/posts/${theirs}/like`);
    for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
    const { notifications } = await ask(scene.house, ada, 'GET', '');
    const [mention, reposts] = notifications;
    expect([mention.type, reposts.type, reposts.actorCount]).toEqual(['mention', 'repost', 2]);
    // More than one look reads.
    const row = await scene.house.ctx.db.selectFrom('notifications').selectAll().executeTakeFirstOrThrow();
    for (const { memberId: recipient_id } of [cleo, dan])
      await insertRows(
        scene.house.ctx.db,
        'notifications',
        Array.from({ length: 600 }, (_, at) => ({
          ...row,
          id: `${recipient_id}${1000 + at}`,
          recipient_id,
          actor_id: null,
        })),
      );
    const [ofAda, ofEve] = [await listen(ada), await listen(eve)];
    await scene.protect(bob);
    // She follows him, and sees what he writes.
    for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
    await eventually(() => expect(ofAda.heard).toHaveLength(3));
    const [left] = (await ask(scene.house, ada, 'GET', '')).notifications;
    expect(left).toMatchObject({ _id: idOf(reposts), actorId: cleo.memberId, count: 1 });
    await expectHeard(
      [ofAda, ofEve],
      [[deleted(idOf(mention)), ['notification:new', { notification: left }], count(1)], []],
    );
    expect(JSON.stringify(left)).not.toContain(bob.memberId);
    // To change something else, or to be protected once more, hides nothing.
    await scene.ask(bob, 'PUT', `/users/${bob.memberId}`, { isProtected: true, bio: 'Hidden' });
    await expectHeard([ofAda, ofEve], [[], []]);
    const ofBob = (await ask(scene.house, eve, 'GET', '')).notifications.filter(
      ({ actorId }: { actorId: string }) => actorId === bob.memberId,
    );
    await scene.suspend(bob);
    await expectHeard([ofEve], [[...ofBob.map((one: { _id: string }) => deleted(idOf(one))), count(0)]]);
  });

  it('are told to be gone, when their post is taken out of its hub, or the hub is deleted', async () => {
    await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan');
    const { scene, members, listen, expectHeard } = setting;
    const { ada, bob, cleo, dan } = members as Record<'ada' | 'bob' | 'cleo' | 'dan', HouseMember>;
    const hub = await setting.hub([ada, bob, cleo, dan]);
    const below = await setting.hub([ada, bob, cleo, dan], { parentHubId: hub });
    const write = async (who: HouseMember, content: string, hubIds: string[], more: object = {}) => {
      scene.house.clock.advance(1);
      return await scene.post(who, content, { hubIds, ...more });
    };
    const latest = async (who: HouseMember) => {
      for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
      return idOf((await ask(scene.house, who, 'GET', '')).notifications[0]);
    };
    const own = await write(cleo, 'Tea', [hub]);
    const other = await write(bob, 'For @cleo elsewhere', []);
    await latest(cleo);
    const rude = await write(bob, 'For @cleo and @dan', [hub]);
    const [hers, his] = [await latest(cleo), await latest(dan)];
    const listeners = [await listen(cleo), await listen(dan)];
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: rude });
    await expectHeard(listeners, [
      [deleted(hers), count(1)],
      [deleted(his), count(0)],
    ]);
    // Of those who repost one post who is left is told. What was hidden before is told again.
    const [ofCleo] = listeners as [TestListener];
    for (const who of [bob, dan]) {
      scene.house.clock.advance(1);
      await scene.ask(who, 'POST', `/posts/${own}/repost`);
    }
    await latest(cleo);
    const { id: repost } = await scene.house.ctx.db
      .selectFrom('social_posts')
      .select('id')
      .where('subject_id', '=', own)
      .where('author_id', '=', dan.memberId)
      .executeTakeFirstOrThrow();
    ofCleo.heard.length = 0;
    await scene.ask(ada, 'POST', `/hubs/${hub}/remove-post`, { postId: repost });
    await latest(cleo);
    const [left] = (await ask(scene.house, cleo, 'GET', '')).notifications;
    expect(left).toMatchObject({ type: 'repost', actorId: bob.memberId, count: 1 });
    await expectHeard([ofCleo], [[deleted(hers), ['notification:new', { notification: left }], count(2)]]);

    await write(dan, 'For @cleo', [hub]);
    const first = await latest(cleo);
    await write(bob, 'For @cleo, below', [below]);
    const second = await latest(cleo);
    // More than one look reads.
    const { db } = scene.house.ctx;
    const row = await db.selectFrom('social_posts').selectAll().where('id', '=', other).executeTakeFirstOrThrow();
    const ids = Array.from({ length: 150 }, (_, at) => `0${String(at).padStart(31, '0')}`);
    await insertRows(
      db,
      'social_posts',
      ids.map((id) => ({ ...row, id })),
    );
    await insertRows(
      db,
      'social_post_hubs',
      ids.map((id) => ({ hub_id: hub, post_id: id, listed: 1, engagement: 0, controversy: 0 })),
    );
    ofCleo.heard.length = 0;
    await scene.ask(ada, 'DELETE', `/hubs/${hub}`, {});
    // A process that ends between two looks leaves the job, which begins anew.
    const ending = new AbortController();
    const job = { id: '', attempt: 1, signal: ending.signal, finish: async () => {} };
    const looking = hubHiddenHandler(scene.house.ctx)({ hubId: hub }, job);
    ending.abort(new Error('the process ends'));
    await expect(looking).rejects.toThrow('the process ends');
    const gone = [second, first, idOf(left), hers];
    await expectHeard([ofCleo], [[...gone.map(deleted), count(1)]]);
    expect((await ask(scene.house, cleo, 'GET', '')).notifications).toHaveLength(1);
  });

  it(
    'of a group say who is left, when one takes back what they did, blocks, is blocked, or is no more followed',
    { tags: 'soak' },
    async () => {
      await using setting = await openGone(engine, 'ada', 'bob', 'cleo', 'dan', 'eve', 'fay');
      const { scene, members, listen, expectHeard } = setting;
      const { house } = scene;
      const { ada, bob, cleo, dan, eve, fay } = members as Record<
        'ada' | 'bob' | 'cleo' | 'dan' | 'eve' | 'fay',
        HouseMember
      >;
      const post = await scene.post(ada, 'Tea is ready');
      for (const who of [bob, cleo, dan, eve]) {
        house.clock.advance(1);
        await scene.ask(who, 'POST', `/posts/${post}/like`);
      }
      await runDueJobs(scene, 'social');
      const open = await listen(ada);
      const state = async () => (await ask(house, ada, 'GET', '')).notifications[0];
      const told = async (who: HouseMember, actorCount: number) => {
        const notification = await state();
        expect([notification.actorCount ?? 1, notification.count]).toEqual([actorCount, actorCount]);
        expect(JSON.stringify(notification)).not.toContain(who.memberId);
        await expectHeard([open], [[['notification:new', { notification }], count(1)]]);
      };
      await scene.ask(eve, 'DELETE', `/posts/${post}/like`);
      await told(eve, 3);
      await scene.ask(ada, 'POST', '/users/dan/block', {});
      await told(dan, 2);
      await scene.ask(cleo, 'POST', '/users/ada/block', {});
      await told(cleo, 1);
      const { _id: last } = await state();
      await scene.ask(bob, 'DELETE', `/posts/${post}/like`);
      await expectHeard([open], [[deleted(last), count(0)]]);

      await scene.protect(fay);
      await scene.follow(ada, fay);
      for (const who of [bob, fay]) {
        house.clock.advance(1);
        await scene.ask(who, 'POST', `/posts/${post}/repost`);
      }
      // The request that was approved, and the two reposts.
      await eventually(() => expect(open.heard).toHaveLength(6));
      open.heard.length = 0;
      await scene.ask(ada, 'DELETE', '/users/fay/follow');
      await runDueJobs(scene, 'notifications');
      const reposts = (await ask(house, ada, 'GET', '')).notifications.find(
        ({ type }: { type: string }) => type === 'repost',
      );
      expect(reposts).toMatchObject({ actorId: bob.memberId, count: 1 });
      await eventually(() =>
        expect(open.heard.map(({ type, data }) => [type, data])).toContainEqual([
          'notification:new',
          { notification: reposts },
        ]),
      );
      expect(JSON.stringify(open.heard)).not.toContain(fay.memberId);
    },
  );
});
