import { describe, expect, it } from 'vitest';
import { likeNoticesHandler, planLikeNotices } from '../../../src/services/social/posts/like-notices.ts';
import { purgeSocial } from '../../../src/services/social/purge.ts';
import { maximumAttempts, never } from '../../../src/platform/store/jobs/job-rows.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

const untold = async ({ house }: SocialScene) =>
  (await house.ctx.db.selectFrom('social_untold_likes').select('post_id').execute()).length;
const planned = async ({ house }: SocialScene) =>
  (await house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'social-like-notices').execute()).length;
const notifications = async ({ house }: SocialScene) =>
  await house.ctx.db
    .selectFrom('notifications')
    .select(['recipient_id', 'target_id', 'actor_count', 'count'])
    .execute();

async function cast({ house }: SocialScene, ...names: readonly string[]): Promise<HouseMember[]> {
  const members = [];
  for (const username of names) members.push(await house.register({ username }));
  return members;
}

describe.each(engines)('authors are told of likes on %s', (engine) => {
  it('after the commit, and nobody is told of their own', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = (await cast(scene, 'ada', 'bob')) as [HouseMember, HouseMember];
    const id = await scene.post(ada, 'Tea is ready');
    await scene.ask(ada, 'POST', `/posts/${id}/like`);
    expect([await untold(scene), await planned(scene)]).toEqual([0, 0]);
    await scene.ask(bob, 'POST', `/posts/${id}/like`);
    expect([await untold(scene), await planned(scene), await contents(scene.house, ada)]).toEqual([1, 1, []]);
    await runDueJobs(scene, 'social');
    expect([await untold(scene), await planned(scene)]).toEqual([0, 0]);
    expect(await contents(scene.house, ada)).toEqual(['bob likes your post.']);
  });

  it('that stand when their turn comes, by those whom they may hear of then', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, cleo, dan, eve, fay] = (await cast(scene, 'ada', 'bob', 'cleo', 'dan', 'eve', 'fay')) as [
      HouseMember,
      HouseMember,
      HouseMember,
      HouseMember,
      HouseMember,
      HouseMember,
    ];
    const [id, other] = [await scene.post(ada, 'Tea is ready'), await scene.post(ada, 'Cake')];
    for (const who of [bob, cleo, dan, eve, fay]) await scene.ask(who, 'POST', `/posts/${id}/like`);
    await scene.ask(fay, 'POST', `/posts/${other}/like`);
    await scene.ask(ada, 'POST', '/users/bob/block', {});
    await scene.ask(ada, 'POST', '/users/cleo/mute', {});
    await scene.suspend(dan);
    await scene.ask(eve, 'DELETE', `/posts/${id}/like`);
    await scene.ask(ada, 'DELETE', `/posts/${other}`);
    await runDueJobs(scene, 'social');
    expect(await untold(scene)).toBe(0);
    expect(await contents(scene.house, ada)).toEqual(['fay likes your post.']);
    // What was taken back before anybody was told of it, and done again, is told once.
    await scene.ask(eve, 'POST', `/posts/${id}/like`);
    await runDueJobs(scene, 'social');
    expect(await notifications(scene)).toMatchObject([{ actor_count: 2, count: 2 }]);
  });

  it('once each, whatever ends the process', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = (await cast(scene, 'ada', 'bob')) as [HouseMember, HouseMember];
    const { ctx } = scene.house;
    const ids: string[] = [];
    for (let number = 0; number < 60; number += 1) {
      scene.house.clock.advance(1);
      ids.push(await scene.post(ada, `Cup ${number}`));
      await scene.ask(bob, 'POST', `/posts/${ids.at(-1)}/like`);
    }
    const run = async (signal: AbortSignal, finish: () => Promise<void>) =>
      await likeNoticesHandler(ctx)(null, { id: '', attempt: 1, signal, finish });
    // A process that ends leaves them to the next one.
    await run(AbortSignal.abort(), async () => {});
    expect([await untold(scene), await planned(scene), (await notifications(scene)).length]).toEqual([60, 1, 0]);
    // The job of a process that was killed before its end runs again.
    const killed = new Error('killed');
    await expect(run(new AbortController().signal, () => Promise.reject(killed))).rejects.toBe(killed);
    expect(await untold(scene)).toBe(0);
    await runDueJobs(scene, 'social');
    const told = (await notifications(scene)).map(({ target_id: target }) => target);
    expect(told.toSorted()).toEqual(ids.toSorted());
    expect([await untold(scene), await planned(scene)]).toEqual([0, 0]);
  });

  it('by a job that is planned anew if it gave up, or is missing', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = (await cast(scene, 'ada', 'bob')) as [HouseMember, HouseMember];
    const { ctx } = scene.house;
    await purgeSocial(ctx);
    expect(await planned(scene)).toBe(0);
    const id = await scene.post(ada, 'Tea is ready');
    await scene.ask(bob, 'POST', `/posts/${id}/like`);
    await ctx.db.updateTable('jobs').set({ run_at: never, attempts: maximumAttempts }).execute();
    await runDueJobs(scene, 'social');
    expect(await untold(scene)).toBe(1);
    await purgeSocial(ctx);
    await runDueJobs(scene, 'social');
    expect([await untold(scene), await planned(scene)]).toEqual([0, 0]);

    await scene.ask(bob, 'POST', `/posts/${await scene.post(ada, 'Cake')}/like`);
    await ctx.db.deleteFrom('jobs').where('kind', '=', 'social-like-notices').execute();
    await planLikeNotices(ctx);
    await runDueJobs(scene, 'social');
    expect(await contents(scene.house, ada)).toEqual(['bob likes your post.', 'bob likes your post.']);
  });
});

describe.each(bothEngines)('authors are told of likes at once on %s', (engine) => {
  it('once each, if two processes take themselves for the one whose job it is', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = (await cast(scene, 'ada', 'bob')) as [HouseMember, HouseMember];
    const ids: string[] = [];
    for (let number = 0; number < inStage(10, 10, 30); number += 1) {
      ids.push(await scene.post(ada, `Cup ${number}`));
      await scene.ask(bob, 'POST', `/posts/${ids.at(-1)}/like`);
    }
    const job = { id: '', attempt: 1, signal: new AbortController().signal, finish: async () => {} };
    await Promise.all([1, 2].map(async () => await likeNoticesHandler(scene.house.ctx)(null, job)));
    expect(await untold(scene)).toBe(0);
    const told = await notifications(scene);
    expect(told.map(({ target_id: target }) => target).toSorted()).toEqual(ids.toSorted());
    for (const one of told) expect(one).toMatchObject({ actor_count: 1, count: 1 });
  });

  it('also of those that come while it ends', async () => {
    await using scene = await openSocial(engine);
    const [ada, ...others] = (await cast(scene, 'ada', 'bob', 'cleo', 'dan')) as [HouseMember, ...HouseMember[]];
    const ids: string[] = [];
    for (let number = 0; number < inStage(6, 6, 20); number += 1) ids.push(await scene.post(ada, `Cup ${number}`));
    for (const id of ids) {
      const liking = others.map(async (who) => await scene.ask(who, 'POST', `/posts/${id}/like`));
      await Promise.all([...liking, runDueJobs(scene, 'social')]);
    }
    // Every like that nobody was told of has a job that tells of it.
    if ((await untold(scene)) > 0) expect(await planned(scene)).toBe(1);
    await runDueJobs(scene, 'social');
    expect(await untold(scene)).toBe(0);
    const told = await notifications(scene);
    expect(told.map(({ target_id: target }) => target).toSorted()).toEqual(ids.toSorted());
    for (const one of told) expect(one).toMatchObject({ actor_count: 3, count: 3 });
  });
});
