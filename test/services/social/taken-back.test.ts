import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask, idOf } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { expectRightCounts } from './right-counts.ts';
import { openSocial, said } from './scene.ts';

/** What hides a post of ada from bob. */
const ways = ['a block', 'the block of the reader', 'protection', 'a ban', 'suspension'] as const;
type Way = (typeof ways)[number];

async function openReacted(engine: EngineName) {
  const scene = await openSocial(engine);
  const { house } = scene;
  const [ada, bob, cleo] = [
    await house.register({ username: 'ada' }),
    await house.register({ username: 'bob' }),
    await house.register({ username: 'cleo' }),
  ];
  const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: 'Tea' });
  await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
  const hide: Readonly<Record<Way, () => Promise<unknown>>> = {
    'a block': async () => await scene.ask(ada, 'POST', '/users/bob/block', {}),
    'the block of the reader': async () => await scene.ask(bob, 'POST', '/users/ada/block', {}),
    protection: async () => await scene.protect(ada),
    'a ban': async () => await scene.ask(ada, 'POST', `/hubs/${hub}/ban`, { userId: bob.memberId }),
    suspension: async () => await scene.suspend(ada),
  };
  return {
    scene,
    ada,
    bob,
    cleo,
    write: async (way: Way) => await scene.post(ada, 'Tea #tea', way === 'a ban' ? { hubIds: [hub] } : {}),
    hide: async (way: Way) => await hide[way](),
    settle: async () => {
      for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}

const unknown = '404 POST_NOT_FOUND';

describe.each(engines)('what a member did to a post that is hidden from them by now, on %s', (engine) => {
  it.each(ways)('is taken back once, and nothing is said of the post: %s', async (way) => {
    await using setting = await openReacted(engine);
    const { scene, ada, bob, cleo } = setting;
    const post = await setting.write(way);
    const act = async (method: 'POST' | 'DELETE', path: string, who: HouseMember = bob) =>
      await scene.call(who, method, `/posts/${post}${path}`, {});
    for (const path of ['/like', '/upvote', '/bookmark']) expect((await act('POST', path)).status).toBeLessThan(300);
    const repost = idOf(await scene.ask(bob, 'POST', `/posts/${post}/repost`));
    if (way !== 'a ban') await scene.ask(cleo, 'POST', `/posts/${post}/like`);
    await setting.settle();
    await setting.hide(way);
    await setting.settle();
    expect(said(await scene.call(bob, 'GET', `/posts/${post}`))).toBe(unknown);

    const unliked = await act('DELETE', '/like');
    expect([said(unliked), unliked.body.data]).toEqual(['200 success', {}]);
    expect(said(await act('DELETE', '/like'))).toBe(unknown);
    expect(said(await act('POST', '/like'))).toBe(unknown);
    expect(said(await act('DELETE', '/bookmark'))).toBe('200 success');
    expect(said(await act('DELETE', '/bookmark'))).toBe(unknown);
    // What taking back a vote answers are the counts of the post.
    expect(said(await act('DELETE', '/vote'))).toBe(unknown);
    expect(said(await scene.call(bob, 'DELETE', `/posts/${repost}`))).toBe('204 success');
    await setting.settle();
    await expectRightCounts(scene);
    const { db } = scene.house.ctx;
    const row = await db
      .selectFrom('social_posts')
      .select(['like_count', 'repost_count'])
      .where('id', '=', post)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ like_count: way === 'a ban' ? 0 : 1, repost_count: 0 });
    if (way === 'suspension') return;
    const { notifications } = await ask(scene.house, ada, 'GET', '');
    expect(notifications.map(({ content }: { content: string }) => content)).toEqual(
      way === 'a ban' ? [] : ['cleo likes your post.'],
    );
  });

  it('is taken back before its author is told, and then they are not', async () => {
    await using setting = await openReacted(engine);
    const { scene, ada, bob } = setting;
    const post = await setting.write('protection');
    await scene.ask(bob, 'POST', `/posts/${post}/like`);
    await setting.hide('protection');
    await scene.ask(bob, 'DELETE', `/posts/${post}/like`);
    await setting.settle();
    expect((await ask(scene.house, ada, 'GET', '')).notifications).toEqual([]);
    await expectRightCounts(scene);
  });
});
