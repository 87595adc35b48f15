import { expect, it, describe } from 'vitest';
import { openPushService } from '../../shared/notifications/push-service.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask, call, contents, heard, idOf, notified, refusal } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from './scene.ts';

async function cast<Name extends string>({ house }: SocialScene, ...names: Name[]): Promise<Record<Name, HouseMember>> {
  const members: [string, HouseMember][] = [];
  for (const username of names) members.push([username, await house.register({ username })]);
  return Object.fromEntries(members) as Record<Name, HouseMember>;
}

const reinstate = async ({ house }: SocialScene, { memberId }: HouseMember): Promise<void> =>
  void (await house.ctx.db.updateTable('members').set({ status: 'active' }).where('id', '=', memberId).execute());

describe.each(engines)('notifications whose reader may no longer see what they are about, on %s', (engine) => {
  it('are in no list and no number, whatever hid it, and come back with it', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const { ada, bob, cleo, dan, eve, fay, gus } = await cast(scene, 'ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus');
    const { _id: hub } = await scene.ask(fay, 'POST', '/hubs', { name: 'Tea' });
    await scene.ask(ada, 'POST', `/hubs/${hub}/join`, {});
    const hers = await scene.post(ada, 'Tea is ready');
    await scene.ask(bob, 'POST', `/posts/${hers}/repost`);
    await scene.post(cleo, 'Reply', { parentPostId: hers });
    await scene.ask(dan, 'POST', `/posts/${hers}/quote`, { commentary: 'Look' });
    await scene.follow(eve, ada);
    await scene.post(fay, 'For @ada in the hub', { hubIds: [hub] });
    await scene.ask(gus, 'POST', `/posts/${hers}/like`);
    await notified(house, {
      recipientId: ada.memberId,
      type: 'quorum_decision',
      actorId: bob.memberId,
      content: 'A decision.',
    });
    for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
    const told = async () =>
      (await contents(house, ada)).filter((content) => !content.includes('lets you follow')).toSorted();
    const unread = async () => (await ask(house, ada, 'GET', '/unread-count')).unreadCount as number;
    const all = await told();
    expect(all).toEqual([
      'A decision.',
      'bob reposted your post.',
      'cleo replied to your post.',
      'dan quoted your post.',
      'eve follows you.',
      'fay mentioned you.',
      'gus likes your post.',
    ]);
    const { notifications } = await ask(house, ada, 'GET', '');
    const byCleo = idOf(notifications.find(({ content }: { content: string }) => content.startsWith('cleo')));

    const hidden: string[] = [];
    const gone = async (...names: string[]) => {
      hidden.push(...names);
      const left = all.filter((one) => !hidden.some((name) => one.startsWith(name)));
      expect(await told()).toEqual(left);
      expect(await unread()).toBe(left.length);
      // Pages have no holes that would tell how many are hidden.
      const page = await ask(house, ada, 'GET', '?limit=3');
      expect(page.notifications).toHaveLength(Math.min(3, left.length));
    };
    await scene.protect(bob);
    await gone('bob');
    await scene.protect(cleo);
    await gone('cleo');
    for (const [method, path] of [
      ['POST', `/${byCleo}/read`],
      ['DELETE', `/${byCleo}`],
    ] as const)
      expect(refusal(await call(house, ada, method, path))[0]).toBe('404 NOTIFICATION_NOT_FOUND');
    await scene.suspend(eve);
    await scene.suspend(gus);
    await gone('eve', 'gus');
    await scene.ask(ada, 'POST', `/hubs/${hub}/leave`, {});
    await gone('fay');
    // Written by whoever does not ask this network, such as a store that was mended.
    await house.ctx.db
      .insertInto('member_blocks')
      .values({ member_id: dan.memberId, blocked_id: ada.memberId, created_at: 1 })
      .execute();
    await gone('dan');

    // With the right to see it, it is there again.
    await scene.follow(ada, bob);
    await scene.follow(ada, cleo);
    await reinstate(scene, eve);
    expect(await told()).toEqual(all.filter((one) => /^(?:A|bob|cleo|eve)/.test(one)));
    await scene.ask(ada, 'DELETE', '/users/cleo/follow');
    expect(await ask(house, ada, 'POST', '/read-all')).toEqual({ marked: 4, unreadCount: 0 });
    await scene.follow(ada, cleo);
    expect(await contents(house, ada, '?unread=true')).toEqual(['cleo lets you follow them.']);
    await scene.ask(ada, 'DELETE', '/users/cleo/follow');
    expect(await ask(house, ada, 'DELETE', '')).toEqual({ deleted: 4 });
    await scene.follow(ada, cleo);
    expect(await told()).toEqual([]);
  });

  it('name and count none of those of a group who are hidden: in lists, events, messages and digests', async () => {
    await using service = await openPushService();
    await using scene = await openSocial(engine, { context: { outgoing: service.outgoing } });
    const { house } = scene;
    const { ada, bob, cleo, dan, eve } = await cast(scene, 'ada', 'bob', 'cleo', 'dan', 'eve');
    await ask(house, ada, 'POST', '/push-subscriptions', service.browser().subscription);
    const post = await scene.post(ada, 'Tea is ready');
    const like = async (who: HouseMember) => {
      house.clock.advance(1);
      await scene.ask(who, 'POST', `/posts/${post}/like`);
      await runDueJobs(scene, 'social');
    };
    for (const who of [bob, cleo, dan]) await like(who);
    const group = async () => (await ask(house, ada, 'GET', '')).notifications;
    expect(await group()).toMatchObject([{ content: 'dan likes your post.', actorCount: 3, count: 3 }]);
    await scene.suspend(dan);
    house.clock.advance(60_000);
    expect(await group()).toMatchObject([
      {
        content: 'cleo likes your post.',
        actorId: cleo.memberId,
        actorIds: [cleo.memberId, bob.memberId],
        actorCount: 2,
        count: 2,
      },
    ]);
    await runDueJobs(scene, 'notifications');
    expect(service.received.splice(0).map(({ message }) => message?.content)).toEqual([
      'cleo likes your post. (and one other)',
    ]);
    await like(eve);
    const created = heard(house, ada).filter(([type]) => type === 'notification:new');
    expect(created.at(-1)?.[1].notification).toMatchObject({ actorCount: 3, count: 3 });
    expect(JSON.stringify(created.at(-1))).not.toContain(dan.memberId);
    await scene.suspend(cleo);
    house.clock.advance(3_600_000);
    await runDueJobs(scene, 'notifications');
    const { emails } = (await house.api('GET', '/api/emails/inbox', { token: ada.token })).body.data;
    const { body } = await house.api('GET', `/api/emails/${emails[0].id}/content`, { token: ada.token });
    expect(body.data.textBody).toContain('eve likes your post. (and one other)');

    // Nobody but hidden ones is nobody, and what is told of the others who are left names none of them.
    await scene.ask(eve, 'DELETE', `/posts/${post}/like`);
    await scene.ask(bob, 'DELETE', `/posts/${post}/like`);
    expect(await group()).toEqual([]);
    expect((await ask(house, ada, 'GET', '/unread-count')).unreadCount).toBe(0);
    const last = heard(house, ada).slice(-2);
    expect(last.map(([type]) => type)).toEqual(['notification:deleted', 'notification:count']);
    expect(last[1]?.[1]).toEqual({ unreadCount: 0 });
    await reinstate(scene, cleo);
    expect(await group()).toMatchObject([{ content: 'cleo likes your post.', actorId: cleo.memberId, count: 1 }]);
  });

  it('say of each group on a page who is left of it, of large ones too', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const { db } = house.ctx;
    const { ada, bob, cleo, dan } = await cast(scene, 'ada', 'bob', 'cleo', 'dan');
    for (const text of ['small', 'large', 'whose named are hidden', 'whole']) {
      const post = await scene.post(ada, text);
      for (const who of text === 'whole' ? [bob, cleo] : [bob, cleo, dan]) {
        house.clock.advance(1);
        await scene.ask(who, 'POST', `/posts/${post}/like`);
      }
      await runDueJobs(scene, 'social');
      const changes =
        text === 'large'
          ? { actor_count: 60, count: 60 }
          : { actor_count: 60, count: 60, actors: JSON.stringify([dan.memberId]) };
      if (text === 'large' || text === 'whose named are hidden')
        await db.updateTable('notifications').set(changes).where('target_id', '=', post).execute();
    }
    await scene.post(bob, 'Alone with @ada');
    await runDueJobs(scene, 'notifications');
    await scene.suspend(dan);
    const shown = { content: 'cleo likes your post.', actorIds: [cleo.memberId, bob.memberId] };
    expect((await ask(house, ada, 'GET', '')).notifications).toMatchObject([
      { content: 'bob mentioned you.' },
      { ...shown, actorCount: 2, count: 2 },
      { ...shown, actorCount: 59, count: 59 },
      { ...shown, actorCount: 59, count: 59 },
      { ...shown, actorCount: 2, count: 2 },
    ]);
    await scene.suspend(cleo);
    await scene.suspend(bob);
    expect((await ask(house, ada, 'GET', '')).notifications).toEqual([]);
  });
});
