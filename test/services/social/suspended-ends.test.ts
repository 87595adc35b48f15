import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openSocial, said } from './scene.ts';

type Name = 'eve' | 'gus' | 'fay' | 'ivy';

async function openCast(engine: EngineName) {
  const scene = await openSocial(engine);
  const members: [string, HouseMember][] = [];
  for (const username of ['eve', 'gus', 'fay', 'ivy'])
    members.push([username, await scene.house.register({ username })]);
  return {
    scene,
    people: Object.fromEntries(members) as Record<Name, HouseMember>,
    act: async (who: HouseMember, method: 'POST' | 'DELETE', what: string, name = 'gus') =>
      said(await scene.call(who, method, `/users/${name}/${what}`, {})),
    async restore({ memberId }: HouseMember) {
      const operator = { token: await scene.house.operatorToken(), trusted: true, body: {} };
      await scene.house.api('POST', `/api/admin/members/${memberId}/restore`, operator);
    },
    follows: async () =>
      await scene.house.ctx.db.selectFrom('social_follows').select(['follower_id', 'followee_id']).execute(),
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}

const unknown = '404 MEMBER_NOT_FOUND';
const ends = [
  ['DELETE', 'follow'],
  ['DELETE', 'follower'],
  ['POST', 'block'],
] as const;

describe.each(engines)('with a member who is suspended, on %s', (engine) => {
  it('follows end in both directions, once, and no more is said to others', async () => {
    await using setting = await openCast(engine);
    const { scene, people, act } = setting;
    const { eve, gus, fay } = people;
    await scene.follow(eve, gus);
    await scene.follow(gus, eve);
    await scene.protect(eve);
    const post = await scene.post(eve, 'For followers');
    await scene.suspend(gus);
    for (const [method, what] of ends) expect([what, await act(fay, method, what)]).toEqual([what, unknown]);
    expect(await setting.follows()).toHaveLength(2);
    expect(await act(eve, 'DELETE', 'follow')).toBe('200 success');
    expect(await act(eve, 'DELETE', 'follow', gus.memberId)).toBe(unknown);
    expect(await act(eve, 'DELETE', 'follower', gus.memberId)).toBe('200 success');
    expect(await act(eve, 'DELETE', 'follower')).toBe(unknown);
    expect(await act(eve, 'POST', 'block')).toBe(unknown);
    expect(await setting.follows()).toEqual([]);
    await setting.restore(gus);
    Object.assign(gus, { token: await scene.house.signIn(gus) });
    expect(said(await scene.call(gus, 'GET', `/posts/${post}`))).toBe('404 POST_NOT_FOUND');
    const none = { following: 'no', followsYou: false, followerCount: 0, followingCount: 0 };
    expect(await scene.ask(eve, 'GET', '/users/gus')).toMatchObject(none);
    expect(await scene.ask(gus, 'GET', '/users/eve')).toMatchObject(none);
  });

  it('a request of one’s own ends, and one of theirs tells nothing', async () => {
    await using setting = await openCast(engine);
    const { scene, people, act } = setting;
    const { eve, gus, fay } = people;
    await scene.protect(gus);
    await scene.protect(fay);
    await scene.ask(eve, 'POST', '/users/gus/follow', {});
    await scene.ask(gus, 'POST', '/users/fay/follow', {});
    await scene.suspend(gus);
    for (const [method, what] of ends) expect([what, await act(fay, method, what)]).toEqual([what, unknown]);
    expect(await act(eve, 'DELETE', 'follower')).toBe(unknown);
    expect(await act(eve, 'DELETE', 'follow')).toBe('200 success');
    expect(await act(eve, 'DELETE', 'follow')).toBe(unknown);
    expect(await setting.follows()).toEqual([{ follower_id: gus.memberId, followee_id: fay.memberId }]);
  });

  it.each(['eve', 'gus'] as const)('a block begins where %s follows the other', async (follower) => {
    await using setting = await openCast(engine);
    const { scene, people, act } = setting;
    const { eve, gus, ivy } = people;
    await scene.follow(people[follower], follower === 'eve' ? gus : eve);
    // Whoever blocked a member is unknown to them, also where a follow was left.
    await scene.ask(ivy, 'POST', '/users/eve/block', {});
    const left = { requested: 0, message: '', created_at: 1 };
    await scene.house.ctx.db
      .insertInto('social_follows')
      .values({ follower_id: eve.memberId, followee_id: ivy.memberId, ...left })
      .execute();
    await scene.suspend(gus);
    expect(await act(eve, 'POST', 'block', 'ivy')).toBe(unknown);
    const key = { 'Idempotency-Key': 'a-block-of-a-suspended-member' };
    for (let times = 0; times < 2; times += 1)
      expect(said(await scene.call(eve, 'POST', '/users/gus/block', {}, key))).toBe('200 success');
    expect(await act(eve, 'POST', 'block')).toBe('400 ALREADY_BLOCKED');
    expect(await setting.follows()).toEqual([{ follower_id: eve.memberId, followee_id: ivy.memberId }]);
    await setting.restore(gus);
    Object.assign(gus, { token: await scene.house.signIn(gus) });
    expect(said(await scene.call(gus, 'GET', '/users/eve'))).toBe(unknown);
    expect(await act(gus, 'POST', 'follow', 'eve')).toBe(unknown);
    expect(await act(eve, 'DELETE', 'block')).toBe('200 success');
  });
});
