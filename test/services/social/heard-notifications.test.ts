import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { idOf, ask } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openHeard } from './heard-scene.ts';
import { openSocial } from './scene.ts';

async function openSocialHeard(engine: EngineName) {
  const setting = await openHeard(async (options) => await openSocial(engine, options));
  const listen = async (who: HouseMember, after?: number) =>
    (await setting.listen(who, `notifications:${who.memberId}`, after))!;
  return { ...setting, listen };
}

describe.each(engines)('notifications that are heard on %s', (engine) => {
  it('say what their reader may see when they are sent again, and how many are unread then', async () => {
    await using setting = await openSocialHeard(engine);
    const { scene, listen } = setting;
    const { house } = scene;
    const [ada, bob, cleo, dan] = (await Promise.all(
      ['ada', 'bob', 'cleo', 'dan'].map(async (username) => await house.register({ username })),
    )) as [HouseMember, HouseMember, HouseMember, HouseMember];
    const hers = await scene.post(ada, 'Tea is ready');
    const other = await scene.post(ada, 'Cake');
    // Nobody hears these: what they say is asked for later.
    await scene.ask(bob, 'POST', `/posts/${hers}/like`);
    await scene.post(cleo, 'Reply', { parentPostId: hers });
    await scene.ask(dan, 'POST', `/posts/${hers}/like`);
    await runDueJobs(scene, 'social');
    const open = await listen(ada);
    for (const who of [dan, bob]) {
      house.clock.advance(1);
      await scene.ask(who, 'POST', `/posts/${other}/like`);
    }
    await runDueJobs(scene, 'social');
    const told = ({ heard }: typeof open) =>
      heard.flatMap(({ type, data }) => {
        if (type === 'notification:new') return [(data.notification as { content: string }).content];
        return type === 'notification:count' ? [data.unreadCount] : [];
      });
    await eventually(() => expect(told(open)).toEqual(['dan likes your post.', 3, 'bob likes your post.', 3]));
    expect(open.heard.at(-2)?.data.notification).toMatchObject({
      actorCount: 2,
      actorIds: [bob.memberId, dan.memberId],
    });

    await scene.suspend(bob);
    await scene.protect(cleo);
    const { notifications } = await ask(house, ada, 'GET', '');
    expect(notifications.map(({ content }: { content: string }) => content)).toEqual([
      'dan likes your post.',
      'dan likes your post.',
    ]);
    await ask(house, ada, 'POST', `/${idOf(notifications[0])}/read`);
    const again = await listen(ada, 0);
    const [second, first] = notifications;
    await eventually(() =>
      expect(again.heard.filter(({ type }) => type !== 'notification:count').map(({ data }) => data)).toEqual([
        { notification: first },
        { notification: first },
        { notification: { ...second, isRead: true } },
        { notification: { ...second, isRead: true } },
        { notificationId: idOf(second) },
      ]),
    );
    const numbers = again.heard.filter(({ type }) => type === 'notification:count').map(({ data }) => data.unreadCount);
    expect(new Set(numbers)).toEqual(new Set([1]));
    const text = JSON.stringify(again.heard);
    for (const hidden of ['bob', 'cleo', bob.memberId, cleo.memberId]) expect(text).not.toContain(hidden);
  });

  it('are told to be gone, with their number, when their reader leaves a hub or stops following', async () => {
    await using setting = await openSocialHeard(engine);
    const { scene, listen } = setting;
    const { house } = scene;
    const [ada, bob, cleo, dan] = (await Promise.all(
      ['ada', 'bob', 'cleo', 'dan'].map(async (username) => await house.register({ username })),
    )) as [HouseMember, HouseMember, HouseMember, HouseMember];
    const { _id: hub } = await scene.ask(bob, 'POST', '/hubs', { name: 'Tea' });
    await scene.ask(ada, 'POST', `/hubs/${hub}/join`, {});
    await scene.follow(ada, cleo);
    await scene.protect(cleo);
    const hers = await scene.post(ada, 'Tea is ready');
    await scene.post(bob, 'For @ada in the hub', { hubIds: [hub] });
    await scene.post(cleo, 'Reply', { parentPostId: hers });
    await scene.ask(dan, 'POST', `/posts/${hers}/like`);
    for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
    const { notifications } = await ask(house, ada, 'GET', '');
    const idBy = (type: string) => idOf(notifications.find((one: { type: string }) => one.type === type));
    const open = await listen(ada);
    const told = async (...expected: unknown[]) => {
      await runDueJobs(scene, 'notifications');
      const heard = () => open.heard.map(({ type, data }) => JSON.stringify([type, data])).toSorted();
      await eventually(() => expect(heard()).toEqual(expected.map((one) => JSON.stringify(one)).toSorted()));
      open.heard.length = 0;
    };
    await scene.ask(ada, 'POST', `/hubs/${hub}/leave`, {});
    await told(
      ['notification:deleted', { notificationId: idBy('mention') }],
      ['notification:count', { unreadCount: 2 }],
    );
    await scene.ask(ada, 'DELETE', '/users/cleo/follow');
    await told(
      ['notification:deleted', { notificationId: idBy('reply') }],
      ['notification:deleted', { notificationId: idBy('mention') }],
      ['notification:count', { unreadCount: 1 }],
    );
    expect(await ask(house, ada, 'GET', '/unread-count')).toEqual({ unreadCount: 1 });
    // Nothing is hidden from him.
    await scene.follow(dan, bob);
    const other = await listen(dan);
    await scene.ask(dan, 'DELETE', '/users/bob/follow');
    await runDueJobs(scene, 'notifications');
    expect(other.heard).toEqual([]);
  });
});
