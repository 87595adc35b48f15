import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { runSocialJobs } from './due-jobs.ts';
import { expectRightCounts } from './right-counts.ts';
import { openSocial, said } from './scene.ts';

const STEPS = inStage(120, 120, 400);

describe.each(engines)('check 18, all counters on %s', (engine) => {
  it('are those of a recount, whatever members, moderators and administrators do', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const random = testRandom();
    const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const chief = await house.administrator('chief');
    const people: HouseMember[] = [];
    for (const username of ['ada', 'bob', 'cleo', 'dan', 'eve']) people.push(await house.register({ username }));
    const hubs: string[] = [];
    for (const trustTier of ['open', 'open', 'encrypted']) {
      house.clock.advance(1);
      const { _id: hub } = await scene.ask(chief, 'POST', '/hubs', { name: 'Tea', trustTier });
      hubs.push(hub);
      for (const who of people) await scene.ask(who, 'POST', `/hubs/${hub}/join`, {});
    }
    const posts: string[] = [];
    const suspended = new Set<HouseMember>();
    const answers = new Map<string, number>();
    const did = (what: string, answer: string): void => {
      const key = `${what}: ${answer}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
    };
    const status = async (who: HouseMember, act: 'suspend' | 'restore') => {
      const answer = await house.api('POST', `/api/admin/members/${who.memberId}/${act}`, {
        token: chief.token,
        body: { reason: 'A test' },
      });
      did(act, `${answer.status}`);
      if (answer.status !== 200) return;
      if (act === 'suspend') suspended.add(who);
      else suspended.delete(who);
    };
    const ask = async (who: HouseMember, what: string, method: Method, path: string, body: object = {}) => {
      house.clock.advance(1);
      const answer = await scene.call(who, method, path, body);
      did(what, said(answer).slice(0, 3));
      expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).not.toBe(500);
      const id = answer.body?.data?.['_id'] as string | undefined;
      if (answer.status === 201 && id !== undefined && /^(?:post|reply|quote|repost)/.test(what)) posts.push(id);
    };
    const content = '#tea @bob';
    const onPost = async (who: HouseMember) => {
      const id = one(posts) ?? '0'.repeat(32);
      const [what, method, path, body] = one<readonly [string, Method, string, object?]>([
        ['reply', 'POST', '/posts', { content, parentPostId: id }],
        ['quote', 'POST', `/posts/${id}/quote`, { commentary: content }],
        ['repost', 'POST', `/posts/${id}/repost`],
        ['like', 'POST', `/posts/${id}/like`],
        ['unlike', 'DELETE', `/posts/${id}/like`],
        ['up', 'POST', `/posts/${id}/upvote`],
        ['down', 'POST', `/posts/${id}/downvote`],
        ['unvote', 'DELETE', `/posts/${id}/vote`],
        ['delete', 'DELETE', `/posts/${id}`],
        ['delete', 'DELETE', `/posts/${id}`],
        ['edit', 'PUT', `/posts/${id}`, { content: '#cake' }],
      ]);
      await ask(who, what, method, path, body);
    };
    const onMember = async (who: HouseMember) => {
      const other = `/users/${one(people).memberId}`;
      const [what, method, path, body] = one<readonly [string, Method, string, object?]>([
        ['follow', 'POST', `${other}/follow`],
        ['follow', 'POST', `${other}/follow`],
        ['unfollow', 'DELETE', `${other}/follow`],
        ['remove follower', 'DELETE', `${other}/follower`],
        ['approve', 'POST', `/follow-requests/${other.slice(7)}/approve`],
        ['block', 'POST', `${other}/block`],
        ['unblock', 'DELETE', `${other}/block`],
        ['protect', 'PUT', `/users/${who.memberId}`, { isProtected: random() < 0.5 }],
      ]);
      await ask(who, what, method, path, body);
    };
    const inHub = async (who: HouseMember) => {
      const hub = one(hubs);
      const userId = one(people).memberId;
      const [by, what, method, path, body] = one<readonly [HouseMember, string, Method, string, object?]>([
        [who, 'post in hub', 'POST', '/posts', { content, hubIds: [hub] }],
        [who, 'post in hubs', 'POST', '/posts', { content, hubIds: hubs.slice(0, 2) }],
        [who, 'leave hub', 'POST', `/hubs/${hub}/leave`],
        [who, 'join hub', 'POST', `/hubs/${hub}/join`],
        [who, 'join hub', 'POST', `/hubs/${hub}/join`],
        [chief, 'ban', 'POST', `/hubs/${hub}/ban`, { userId }],
        [chief, 'unban', 'POST', `/hubs/${hub}/unban`, { userId }],
        [chief, 'moderate', 'POST', `/hubs/${hub}/remove-post`, { postId: one(posts) ?? 'x' }],
      ]);
      await ask(by, what, method, path, body);
    };
    for (let step = 0; step < STEPS; step += 1) {
      const who = one(people);
      const turn = random();
      if (turn < 0.15) await ask(who, 'post', 'POST', '/posts', { content });
      else if (turn < 0.55) await onPost(who);
      else if (turn < 0.75) await onMember(who);
      else if (turn < 0.95) await inHub(who);
      else await status(who, suspended.has(who) ? 'restore' : 'suspend');
      // Suspended members lose their sessions.
      if (!suspended.has(who) && step % 10 === 9) Object.assign(who, { token: await house.signIn(who) });
      if (step % 40 === 39) {
        await runDueJobs(scene, 'notifications');
        await expectRightCounts(scene);
      }
    }
    await expectRightCounts(scene);
    for (const who of suspended) await status(who, 'restore');
    // One hub and one member go.
    await ask(chief, 'delete hub', 'DELETE', `/hubs/${hubs[0]}`);
    const leaving = one(people);
    const token = await house.signIn(leaving);
    await ask({ ...leaving, token }, 'leave', 'DELETE', `/users/${leaving.memberId}`, { password: leaving.password });
    await runSocialJobs(scene);
    await expectRightCounts(scene);
    expect([...answers.keys()].filter((key) => /: 2/.test(key)).length).toBeGreaterThan(inStage(8, 8, 15));
    expect(answers.get('leave: 202')).toBe(1);
  });
});
