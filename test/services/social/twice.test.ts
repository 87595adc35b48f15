import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import { socialRows } from './stored-rows.ts';

type Name = 'ada' | 'bob' | 'cleo' | 'dan';
interface Ids {
  readonly post: string;
  readonly hub: string;
  readonly inHub: string;
  readonly list: string;
}

/** Requests of one member, in this order, and what is said of each when it comes a second time. */
const requests: readonly (readonly [
  who: Name,
  method: Method,
  path: (ids: Ids) => string,
  again: string,
  body?: (ids: Ids) => object,
])[] = [
  ['bob', 'POST', () => '/users/ada/follow', '400 ALREADY_FOLLOWING'],
  ['bob', 'POST', () => '/users/cleo/follow', '400 ALREADY_REQUESTED'],
  ['cleo', 'POST', () => '/follow-requests/bob/approve', '404 FOLLOW_REQUEST_NOT_FOUND'],
  ['bob', 'DELETE', () => '/users/cleo/follow', '400 NOT_FOLLOWING'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/like`, '400 ALREADY_LIKED'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/upvote`, '200 success'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/downvote`, '200 success'],
  ['bob', 'POST', ({ inHub }) => `/posts/${inHub}/upvote`, '200 success'],
  ['bob', 'DELETE', ({ inHub }) => `/posts/${inHub}/vote`, '200 success'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/bookmark`, '400 ALREADY_BOOKMARKED'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/repost`, '400 ALREADY_REPOSTED'],
  ['bob', 'POST', ({ post }) => `/posts/${post}/report`, '400 ALREADY_REPORTED', () => ({ reason: 'Rude' })],
  ['bob', 'DELETE', ({ post }) => `/posts/${post}/like`, '400 NOT_LIKED'],
  ['bob', 'DELETE', ({ post }) => `/posts/${post}/bookmark`, '400 NOT_BOOKMARKED'],
  ['bob', 'POST', () => '/users/dan/mute', '200 success', () => ({ duration: 'permanent' })],
  ['bob', 'DELETE', () => '/users/dan/mute', '400 NOT_MUTED'],
  ['bob', 'POST', () => '/users/dan/block', '400 ALREADY_BLOCKED'],
  ['bob', 'DELETE', () => '/users/dan/block', '400 NOT_BLOCKED'],
  ['bob', 'POST', ({ list }) => `/lists/${list}/members`, '200 success', () => ({ userIds: ['dan'] })],
  ['bob', 'DELETE', ({ list }) => `/lists/${list}/members`, '400 NOT_IN_LIST', () => ({ userIds: ['dan'] })],
  ['dan', 'POST', ({ hub }) => `/hubs/${hub}/join`, '400 ALREADY_IN_HUB'],
  ['ada', 'POST', ({ hub }) => `/hubs/${hub}/moderators`, '400 ALREADY_MODERATOR', () => ({ userId: 'bob' })],
  ['ada', 'DELETE', ({ hub }) => `/hubs/${hub}/moderators`, '404 HUB_MEMBER_NOT_FOUND', () => ({ userId: 'bob' })],
  ['ada', 'POST', ({ hub }) => `/hubs/${hub}/members`, '200 success', () => ({ userIds: ['cleo'] })],
  ['ada', 'DELETE', ({ hub }) => `/hubs/${hub}/members`, '404 HUB_MEMBER_NOT_FOUND', () => ({ userIds: ['cleo'] })],
  ['ada', 'POST', ({ hub }) => `/hubs/${hub}/ban`, '400 ALREADY_BANNED', () => ({ userId: 'dan' })],
  ['ada', 'POST', ({ hub }) => `/hubs/${hub}/unban`, '404 HUB_BAN_NOT_FOUND', () => ({ userId: 'dan' })],
  ['bob', 'POST', ({ hub }) => `/hubs/${hub}/leave`, '404 HUB_MEMBER_NOT_FOUND'],
  ['ada', 'DELETE', ({ inHub }) => `/posts/${inHub}`, '400 POST_ALREADY_DELETED'],
  ['ada', 'DELETE', ({ hub }) => `/hubs/${hub}`, '404 HUB_NOT_FOUND'],
];

describe.each(engines)('what was done already, asked for twice on %s', (engine) => {
  let scene: SocialScene;
  let people: Record<Name, HouseMember>;
  let ids: Ids;
  beforeAll(async () => {
    scene = await openSocial(engine);
    const { house } = scene;
    people = {
      ada: await house.register({ username: 'ada' }),
      bob: await house.register({ username: 'bob' }),
      cleo: await house.register({ username: 'cleo' }),
      dan: await house.register({ username: 'dan' }),
    };
    const { ada, bob, cleo } = people;
    await scene.protect(cleo);
    const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: 'Tea' });
    await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
    const { list } = await scene.ask(bob, 'POST', '/lists', { name: 'Some' });
    ids = {
      post: await scene.post(ada, 'One'),
      hub,
      inHub: await scene.post(ada, 'In the hub', { hubIds: [hub] }),
      list: list['_id'],
    };
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  // In this order: some undo what others did.
  it('is answered as documented, and changes no row', async () => {
    const answers: string[] = [];
    for (const [who, method, path, again, body] of requests) {
      const ask = async () => said(await scene.call(people[who], method, path(ids), body?.(ids) ?? {}));
      scene.house.clock.advance(1_000);
      const first = await ask();
      expect([who, method, path(ids), first]).toEqual([
        who,
        method,
        path(ids),
        expect.stringMatching(/^20\d success$/),
      ]);
      const before = await socialRows(scene.house);
      scene.house.clock.advance(1_000);
      answers.push(`${who} ${method} ${path(ids)}: ${await ask()}`);
      const after = await socialRows(scene.house);
      for (const [table, rows] of before) expect(after.get(table), `${answers.at(-1)} in ${table}`).toEqual(rows);
      expect.soft(answers.at(-1)).toBe(`${who} ${method} ${path(ids)}: ${again}`);
    }
  });
});
