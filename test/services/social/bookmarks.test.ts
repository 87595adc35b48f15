import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

async function marked(scene: SocialScene, who: HouseMember, query = ''): Promise<string[]> {
  const { posts } = await scene.ask(who, 'GET', `/bookmarks${query}`);
  return posts.map((post: { _id: string }) => post['_id']);
}

describe.each(engines)('bookmarks on %s', (engine) => {
  it('are of one member alone, the latest first, and of the post that a repost shows', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const one = await scene.post(ada, 'one');
    const two = await scene.post(ada, 'two');
    const three = await scene.post(ada, 'three');
    const repost = await scene.ask(ada, 'POST', `/posts/${two}/repost`);
    for (const id of [three, one, repost['_id']]) {
      scene.house.clock.advance(1);
      await scene.ask(bob, 'POST', `/posts/${id}/bookmark`);
    }
    expect(said(await scene.call(bob, 'POST', `/posts/${two}/bookmark`))).toBe('400 ALREADY_BOOKMARKED');
    expect(await marked(scene, bob)).toEqual([two, one, three]);
    expect(await marked(scene, ada)).toEqual([]);
    const first = await scene.ask(bob, 'GET', '/bookmarks?limit=2');
    expect(await marked(scene, bob, `?limit=2&cursor=${first.cursor}`)).toEqual([three]);
    expect(said(await scene.call(ada, 'GET', `/bookmarks?cursor=${first.cursor}`))).toBe('400 INVALID_CURSOR');
    expect(await scene.ask(bob, 'GET', `/posts/${one}`)).toMatchObject({ bookmarked: true });
    expect(await scene.ask(ada, 'GET', `/posts/${one}`)).toMatchObject({ bookmarked: false });
    await scene.ask(bob, 'DELETE', `/posts/${one}/bookmark`);
    expect(said(await scene.call(bob, 'DELETE', `/posts/${one}/bookmark`))).toBe('400 NOT_BOOKMARKED');
    expect((await scene.ask(ada, 'GET', `/posts/${one}`)).likeCount).toBe(0);
    await scene.ask(ada, 'DELETE', `/posts/${two}`);
    expect(await marked(scene, bob)).toEqual([three]);
  });

  it('of posts that their owner may not see are not shown, and can be removed', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const id = await scene.post(ada, 'one');
    const other = await scene.post(ada, 'two');
    await scene.ask(bob, 'POST', `/posts/${id}/bookmark`);
    await scene.protect(ada);
    expect(await marked(scene, bob)).toEqual([]);
    expect(said(await scene.call(bob, 'POST', `/posts/${other}/bookmark`))).toBe('404 POST_NOT_FOUND');
    expect(said(await scene.call(bob, 'DELETE', `/posts/${other}/bookmark`))).toBe('404 POST_NOT_FOUND');
    await scene.follow(bob, ada);
    expect(await marked(scene, bob)).toEqual([id]);
    await scene.ask(ada, 'POST', '/users/bob/block');
    await scene.ask(bob, 'DELETE', `/posts/${id}/bookmark`);
    expect(said(await scene.call(bob, 'DELETE', `/posts/${id}/bookmark`))).toBe('404 POST_NOT_FOUND');
  });
});
