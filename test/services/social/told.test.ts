import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { ask, contents } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial } from './scene.ts';

describe.each(engines)('what members are told of posts on %s', (engine) => {
  it('is one notification of a like that comes and goes, and none when it is gone', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
    ];
    const id = await scene.post(ada, 'Tea is ready');
    const told = async () => [
      await contents(scene.house, ada),
      (await ask(scene.house, ada, 'GET', '/unread-count')).unreadCount,
    ];
    for (let times = 0; times < 3; times += 1) {
      await scene.ask(bob, 'POST', `/posts/${id}/like`);
      await runDueJobs(scene, 'social');
      expect(await told()).toEqual([['bob likes your post.'], 1]);
      await scene.ask(bob, 'DELETE', `/posts/${id}/like`);
      expect(await told()).toEqual([[], 0]);
      scene.house.clock.advance(60_000);
    }
  });

  it('goes to all 50 whom a post mentions, after its answer', { tags: 'thorough' }, async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const names = Array.from({ length: 50 }, (_, at) => `f${String(at).padStart(2, '0')}`);
    const friends = [];
    for (const username of names) friends.push(await scene.house.register({ username }));
    await scene.post(ada, names.map((name) => `@${name}`).join(' '));
    const { db } = scene.house.ctx;
    const count = async () => (await db.selectFrom('notifications').select('id').execute()).length;
    // The request leaves a job, and makes none of them itself.
    expect(await count()).toBe(0);
    await runDueJobs(scene, 'notifications');
    expect(await count()).toBe(50);
    for (const friend of [friends[0]!, friends[49]!])
      expect(await contents(scene.house, friend)).toEqual(['ada mentioned you.']);
  });
});
