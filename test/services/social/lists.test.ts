import { describe, expect, it } from 'vitest';
import { bothEngines, engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

async function contents(scene: SocialScene, who: HouseMember, query: string): Promise<string[]> {
  const { posts } = await scene.ask(who, 'GET', `/timeline/home?${query}`);
  return posts.map((post: { content: string }) => post.content);
}

describe.each(bothEngines)('lists and categories on %s', (engine) => {
  it('are made, renamed, listed and deleted by their owner, and unknown to everybody else', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    for (const [kind, many] of [
      ['lists', 'lists'],
      ['categories', 'categories'],
    ] as const) {
      const { list } = await scene.ask(ada, 'POST', `/${kind}`, { name: 'Friends' });
      expect(list).toMatchObject({ name: 'Friends', memberCount: 0 });
      expect(said(await scene.call(ada, 'POST', `/${kind}`, { name: 'FRIENDS' }))).toBe('409 NAME_TAKEN');
      expect((await scene.ask(bob, 'POST', `/${kind}`, { name: 'Friends' })).list.name).toBe('Friends');
      const { list: other } = await scene.ask(ada, 'POST', `/${kind}`, { name: 'Books' });
      expect(said(await scene.call(ada, 'PUT', `/${kind}/${other['_id']}`, { name: 'friends' }))).toBe(
        '409 NAME_TAKEN',
      );
      await scene.ask(ada, 'PUT', `/${kind}/${other['_id']}`, { name: 'Reading' });
      const first = await scene.ask(ada, 'GET', `/${kind}?limit=1`);
      expect(first[many].map((one: { name: string }) => one.name)).toEqual(['Friends']);
      const second = await scene.ask(ada, 'GET', `/${kind}?limit=1&cursor=${first.cursor}`);
      expect(second).toMatchObject({ [many]: [{ name: 'Reading' }], hasMore: false });
      const path = `/${kind}/${list['_id']}`;
      const refused = [
        await scene.call(bob, 'GET', path),
        await scene.call(bob, 'PUT', path, { name: 'x' }),
        await scene.call(bob, 'DELETE', path),
        await scene.call(bob, 'GET', `${path}/members`),
        await scene.call(bob, 'POST', `${path}/members`, { userIds: ['ada'] }),
        await scene.call(bob, 'DELETE', `${path}/members`, { userIds: ['ada'] }),
        await scene.call(ada, 'GET', `/${kind === 'lists' ? 'categories' : 'lists'}/${list['_id']}`),
      ];
      for (const answer of refused) expect(said(answer)).toBe('404 LIST_NOT_FOUND');
      expect((await scene.call(ada, 'DELETE', path)).status).toBe(204);
      expect(said(await scene.call(ada, 'GET', path))).toBe('404 LIST_NOT_FOUND');
    }
  });

  it('have members, and timelines of their posts in every order', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const carl = await scene.house.register({ username: 'carl' });
    const { list } = await scene.ask(ada, 'POST', '/lists', { name: 'Some' });
    const members = `/lists/${list['_id']}/members`;
    expect(said(await scene.call(ada, 'POST', members, { userIds: ['bob', 'nobody'] }))).toBe('404 MEMBER_NOT_FOUND');
    expect((await scene.ask(ada, 'GET', members)).people).toEqual([]);
    await scene.ask(ada, 'POST', members, { userIds: ['bob', bob.memberId] });
    expect((await scene.ask(ada, 'POST', members, { userIds: ['bob', 'carl'] })).list.memberCount).toBe(2);
    const listed = (await scene.ask(ada, 'GET', members)).people.map((one: { username: string }) => one.username);
    expect(listed.toSorted()).toEqual(['bob', 'carl']);
    for (const [who, text] of [
      [bob, 'b1'],
      [ada, 'own'],
      [carl, 'c1'],
      [bob, 'b2'],
    ] as const)
      await scene.post(who, text);
    expect(await contents(scene, ada, `listId=${list['_id']}`)).toEqual(['b2', 'c1', 'b1']);
    expect(await contents(scene, ada, `listId=${list['_id']}&sort=hot`)).toEqual(['b2', 'c1', 'b1']);
    expect(await contents(scene, ada, `listId=${list['_id']}&sort=top`)).toEqual(['b2', 'c1', 'b1']);
    const first = await scene.ask(ada, 'GET', `/timeline/home?listId=${list['_id']}&limit=1`);
    expect(said(await scene.call(ada, 'GET', `/timeline/home?cursor=${first.cursor}`))).toBe('400 INVALID_CURSOR');
    expect(said(await scene.call(bob, 'GET', `/timeline/home?listId=${list['_id']}`))).toBe('404 LIST_NOT_FOUND');
    const both = `/timeline/home?listId=${list['_id']}&categoryId=${list['_id']}`;
    expect(said(await scene.call(ada, 'GET', both))).toBe('400 VALIDATION_ERROR');
    await scene.protect(bob);
    expect(await contents(scene, ada, `listId=${list['_id']}`)).toEqual(['c1']);
    await scene.ask(ada, 'DELETE', members, { userIds: ['carl'] });
    expect(said(await scene.call(ada, 'DELETE', members, { userIds: ['carl'] }))).toBe('400 NOT_IN_LIST');
    expect(await contents(scene, ada, `listId=${list['_id']}`)).toEqual([]);
  });

  it('lose whom their owner blocks or was blocked by, and categories whom their owner does not follow', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const carl = await scene.house.register({ username: 'carl' });
    const { list } = await scene.ask(ada, 'POST', '/lists', { name: 'List' });
    const { list: category } = await scene.ask(ada, 'POST', '/categories', { name: 'Category' });
    const inCategory = `/categories/${category['_id']}/members`;
    expect(said(await scene.call(ada, 'POST', inCategory, { userIds: ['bob'] }))).toBe('400 NOT_FOLLOWING');
    await scene.follow(ada, bob);
    await scene.follow(ada, carl);
    await scene.ask(ada, 'POST', inCategory, { userIds: ['bob', 'carl'] });
    await scene.ask(ada, 'POST', `/lists/${list['_id']}/members`, { userIds: ['bob', 'carl'] });
    await scene.post(bob, 'b');
    await scene.post(carl, 'c');
    expect(await contents(scene, ada, `categoryId=${category['_id']}`)).toEqual(['c', 'b']);
    await scene.ask(ada, 'DELETE', '/users/bob/follow');
    expect(await contents(scene, ada, `categoryId=${category['_id']}`)).toEqual(['c']);
    expect(await contents(scene, ada, `listId=${list['_id']}`)).toEqual(['c', 'b']);
    await scene.ask(carl, 'POST', '/users/ada/block');
    await scene.ask(carl, 'DELETE', '/users/ada/block');
    expect(await contents(scene, ada, `categoryId=${category['_id']}`)).toEqual([]);
    expect(await contents(scene, ada, `listId=${list['_id']}`)).toEqual(['b']);
    await scene.ask(ada, 'POST', '/users/bob/block');
    expect((await scene.ask(ada, 'GET', `/lists/${list['_id']}`)).list.memberCount).toBe(0);
  });
});

describe.each(engines)('lists and categories on %s', (engine) => {
  it('have limits', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    for (let at = 0; at < 100; at += 1) await scene.ask(ada, 'POST', '/lists', { name: `List ${at}` });
    expect(said(await scene.call(ada, 'POST', '/lists', { name: 'One more' }))).toBe('400 TOO_MANY_LISTS');
    expect((await scene.ask(ada, 'POST', '/categories', { name: 'One more' })).list.name).toBe('One more');
    for (const name of ['', ' ', 'x'.repeat(101), 'a\u0000', 7])
      expect(said(await scene.call(ada, 'POST', '/categories', { name }))).toBe('400 VALIDATION_ERROR');
  });
});
