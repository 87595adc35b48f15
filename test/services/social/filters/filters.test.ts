import { describe, expect, it } from 'vitest';
import { filterContexts, type FilterContext } from '../../../../src/contract/social/filters.ts';
import { engines } from '../../../support/stores.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { openSocial, said, type SocialScene } from '../scene.ts';

async function contents(scene: SocialScene, who: HouseMember, path: string): Promise<string[]> {
  const { posts } = await scene.ask(who, 'GET', path);
  return posts.map(
    (post: { content: string; quotedPost?: { content: string } }) => post.content || post.quotedPost?.content,
  );
}

describe.each(engines)('filters of words on %s', (engine) => {
  it('are made, changed, listed and deleted by their owner alone', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const { filter } = await scene.ask(ada, 'POST', '/filters', { phrase: ' Tea ' });
    expect(filter).toMatchObject({ phrase: 'Tea', wholeWord: true, action: 'warn' });
    const path = `/filters/${filter['_id']}`;
    const past = new Date(scene.house.clock.now()).toISOString();
    for (const wrong of [
      { phrase: '\u200b' },
      { phrase: ' ' },
      { phrase: 'x', contexts: [] },
      { phrase: 'x', expiresAt: past },
    ])
      expect(said(await scene.call(ada, 'POST', '/filters', wrong))).toBe('400 VALIDATION_ERROR');
    const expiresAt = new Date(scene.house.clock.now() + 1000).toISOString();
    expect(
      (await scene.ask(ada, 'PUT', path, { action: 'hide', contexts: ['home', 'home'], expiresAt })).filter,
    ).toMatchObject({
      phrase: 'Tea',
      action: 'hide',
      contexts: ['home'],
      expiresAt,
    });
    const endless = (await scene.ask(ada, 'PUT', path, { expiresAt: null })).filter;
    expect(endless.expiresAt).toBeUndefined();
    expect(await scene.ask(ada, 'GET', '/filters')).toMatchObject({ filters: [endless], hasMore: false });
    expect(await scene.ask(bob, 'GET', '/filters')).toMatchObject({ filters: [] });
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(said(await scene.call(bob, method, path, method === 'PUT' ? {} : undefined))).toBe('404 FILTER_NOT_FOUND');
    expect((await scene.call(ada, 'DELETE', path)).status).toBe(204);
    for (let at = 0; at < 100; at += 1) await scene.ask(ada, 'POST', '/filters', { phrase: `word ${at}` });
    expect(said(await scene.call(ada, 'POST', '/filters', { phrase: 'more' }))).toBe('400 TOO_MANY_FILTERS');
  });

  it('hide and warn in the places they are for, until the moment they end', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.follow(bob, ada);
    const hot = await scene.post(ada, 'Hot TEA');
    const own = await scene.post(bob, 'My tea');
    await scene.post(ada, 'Steam');
    await scene.post(ada, 'Nice', { contentWarning: 'About tea' });
    const reply = await scene.post(ada, 'More tea', { parentPostId: own });
    await scene.post(ada, 'Below', { parentPostId: reply });
    await scene.ask(ada, 'POST', `/posts/${hot}/repost`);
    const expiresAt = new Date(scene.house.clock.now() + 60_000).toISOString();
    const more = { action: 'hide', contexts: ['home', 'thread', 'notifications'], expiresAt };
    await scene.ask(bob, 'POST', '/filters', { phrase: 'tea', ...more });
    await scene.ask(bob, 'POST', '/filters', { phrase: 'steam', wholeWord: false, action: 'warn', contexts: ['home'] });
    const home = await scene.ask(bob, 'GET', '/timeline/home');
    expect(home.posts.map((post: { content: string; filtered?: string[] }) => [post.content, post.filtered])).toEqual([
      ['Below', undefined],
      ['Steam', ['steam']],
      ['My tea', undefined],
    ]);
    expect(await contents(scene, bob, '/timeline/home?limit=1')).toEqual(['Below']);
    expect(await contents(scene, bob, '/timeline/public')).toEqual(['Nice', 'Steam', 'My tea', 'Hot TEA']);
    expect(await contents(scene, ada, '/timeline/home')).toHaveLength(6);
    expect(await scene.ask(bob, 'GET', `/posts/${own}/thread`)).toMatchObject({ rootPost: { _id: own }, replies: [] });
    expect(await scene.ask(bob, 'GET', `/posts/${hot}`)).toMatchObject({ content: 'Hot TEA' });
    const told = async () => {
      await runDueJobs(scene, 'notifications');
      return (await scene.ask(bob, 'GET', '/notifications')).notifications.length;
    };
    const before = await told();
    await scene.post(ada, '@bob tea?');
    await scene.post(ada, 'Green tea', { parentPostId: own });
    expect(await told()).toBe(before);
    scene.house.clock.advance(Date.parse(expiresAt) - scene.house.clock.now() - 1);
    expect(await contents(scene, bob, '/timeline/home')).toHaveLength(3);
    scene.house.clock.advance(1);
    expect(await contents(scene, bob, '/timeline/home')).toHaveLength(9);
    await scene.post(ada, '@bob tea!');
    expect(await told()).toBe(before + 1);
  });

  it('have their effect on every surface of their place, and on no other', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.follow(bob, ada);
    const { _id: hub } = await scene.ask(bob, 'POST', '/hubs', { name: 'Garden' });
    await scene.ask(ada, 'POST', `/hubs/${hub}/join`, {});
    const root = await scene.post(bob, 'Root');
    await scene.post(ada, 'tea #leaf');
    await scene.post(ada, 'tea below', { parentPostId: root });
    await scene.post(ada, 'tea in the garden', { hubIds: [hub] });
    type Shown = { content: string; filtered?: string[] };
    const shown = async (path: string): Promise<Shown[]> => {
      const { posts, replies } = await scene.ask(bob, 'GET', path);
      return ((posts ?? replies) as Shown[]).filter(({ content }) => content.startsWith('tea'));
    };
    const surfaces = {
      home: ['/timeline/home', '/timeline/home?sort=top&topWindow=all'],
      public: ['/timeline/public', '/hashtag/leaf', '/search?q=tea'],
      hub: [`/hubs/${hub}/posts`],
      thread: [`/posts/${root}/thread`],
      profile: [`/users/${ada.memberId}/feed`],
      notifications: [],
    } as const satisfies Record<FilterContext, readonly string[]>;
    const all = Object.entries(surfaces).flatMap(([place, paths]) => paths.map((path) => [place, path] as const));
    for (const place of filterContexts)
      for (const action of ['hide', 'warn'] as const) {
        const { filter } = await scene.ask(bob, 'POST', '/filters', { phrase: 'tea', action, contexts: [place] });
        for (const [of, path] of all) {
          const found = await shown(path);
          const warned = found.filter((post) => post.filtered?.[0] === 'tea');
          const isHere = of === place;
          expect([place, action, path, found.length > 0, warned.length]).toEqual([
            place,
            action,
            path,
            !isHere || action === 'warn',
            isHere && action === 'warn' ? found.length : 0,
          ]);
        }
        await scene.call(bob, 'DELETE', `/filters/${filter['_id']}`);
      }
  });
});
