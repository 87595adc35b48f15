import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import type { Problem } from '../../../src/base/problem.ts';
import { addHubMembers } from '../../../src/services/social/hubs/members.ts';
import { block, mute, unblock, unmute } from '../../../src/services/social/people/blocking.ts';
import { removeFollower, unfollow } from '../../../src/services/social/people/follows.ts';
import { requirePeople } from '../../../src/services/social/people/found.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { engines } from '../../support/stores.ts';
import { contents, notified } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

async function cast(scene: SocialScene): Promise<Record<'ada' | 'bob' | 'eve', HouseMember>> {
  const [ada, bob, eve] = [
    await scene.house.register({ username: 'ada' }),
    await scene.house.register({ username: 'bob' }),
    await scene.house.register({ username: 'eve' }),
  ];
  return { ada, bob, eve };
}

const names = ({ people }: { people: { username: string }[] }) => people.map(({ username }) => username).toSorted();

describe.each(engines)('blocks and mutes on %s', (engine) => {
  it('have their states, and say what is not possible', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const act = async (method: 'POST' | 'DELETE', what: string, name = 'bob', who = ada) =>
      said(await scene.call(who, method, `/users/${name}/${what}`, {}));
    for (const what of ['block', 'mute']) {
      expect(await act('POST', what, 'ada')).toBe('400 VALIDATION_ERROR');
      expect(await act('POST', what, 'nobody')).toBe('404 MEMBER_NOT_FOUND');
      expect(await act('DELETE', what, 'nobody')).toBe('404 MEMBER_NOT_FOUND');
      expect(await act('DELETE', what)).toBe(`400 NOT_${what.toUpperCase()}${what === 'mute' ? 'D' : 'ED'}`);
    }
    expect(await act('POST', 'block')).toBe('200 success');
    expect(await act('POST', 'block')).toBe('400 ALREADY_BLOCKED');
    expect(await act('POST', 'follow')).toBe('400 ALREADY_BLOCKED');
    expect(names(await scene.ask(ada, 'GET', '/blocks'))).toEqual(['bob']);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ blocked: true });
    expect((await scene.ask(bob, 'GET', '/blocks')).people).toEqual([]);
    // Both can block each other, and each can end theirs.
    expect(await act('POST', 'block', 'ada', bob)).toBe('404 MEMBER_NOT_FOUND');
    expect(await act('DELETE', 'block')).toBe('200 success');
    expect(await act('DELETE', 'block')).toBe('400 NOT_BLOCKED');
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ blocked: false });

    const forHour = await scene.ask(ada, 'POST', '/users/bob/mute', { duration: '1h' });
    expect(Date.parse(forHour.expiresAt) - scene.house.clock.now()).toBe(3_600_000);
    expect(await scene.ask(ada, 'POST', '/users/bob/mute', { duration: '8h' })).toHaveProperty('expiresAt');
    expect(names(await scene.ask(ada, 'GET', '/mutes'))).toEqual(['bob']);
    scene.house.clock.advance(28_800_000 - 1);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ muted: true });
    scene.house.clock.advance(1);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ muted: false });
    expect(names(await scene.ask(ada, 'GET', '/mutes'))).toEqual([]);
    expect(await act('DELETE', 'mute')).toBe('400 NOT_MUTED');
    expect(await scene.ask(ada, 'POST', '/users/bob/mute', {})).toEqual({});
    expect(await act('DELETE', 'mute')).toBe('200 success');
    expect(said(await scene.call(ada, 'POST', '/users/bob/mute', { duration: '2h' }))).toBe('400 VALIDATION_ERROR');
    // Who was muted is not told.
    expect(await scene.ask(bob, 'GET', '/users/ada')).toMatchObject({ muted: false, blocked: false });
    expect(await contents(scene.house, bob)).toEqual([]);
  });

  it('end follows and requests of both, also after the end of the block', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.follow(ada, bob);
    await scene.follow(bob, ada);
    await scene.protect(ada);
    await scene.ask(eve, 'POST', '/users/ada/follow', {});
    await scene.ask(ada, 'POST', '/users/bob/block');
    await scene.ask(ada, 'POST', '/users/eve/block');
    expect((await scene.ask(ada, 'GET', '/follow-requests')).requests).toEqual([]);
    expect(await contents(scene.house, ada)).toEqual([]);
    expect(await contents(scene.house, bob)).toEqual([]);
    for (const who of ['bob', 'eve']) await scene.ask(ada, 'DELETE', `/users/${who}/block`);
    for (const who of [ada, bob, eve])
      expect(await scene.ask(who, 'GET', `/users/${who.memberId}`)).toMatchObject({
        followerCount: 0,
        followingCount: 0,
      });
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ following: 'no', followsYou: false });
    expect(said(await scene.call(ada, 'POST', '/follow-requests/eve/approve'))).toBe('404 FOLLOW_REQUEST_NOT_FOUND');
  });

  it('take back what the social network told of the other, and nothing of other services', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    for (const [who, other] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      await scene.follow(who, other);
      const about = { recipientId: other.memberId, actorId: who.memberId };
      await notified(scene.house, { ...about, type: 'quorum_vote_wanted', targetId: 'p', content: 'Vote' });
    }
    await scene.ask(ada, 'POST', '/users/bob/block');
    expect([await contents(scene.house, ada), await contents(scene.house, bob)]).toEqual([['Vote'], ['Vote']]);
  });

  it('check 7: take as many statements as a name that nobody has', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const [gone, left] = [
      await scene.house.register({ username: 'gone' }),
      await scene.house.register({ username: 'left' }),
    ];
    const { _id: id } = await scene.ask(bob, 'POST', '/hubs', { name: 'Garden', trustTier: 'encrypted' });
    await scene.ask(ada, 'POST', '/users/bob/block');
    await scene.suspend(gone);
    const { db } = scene.house.ctx;
    await db.deleteFrom('social_profiles').where('member_id', '=', left.memberId).execute();
    const { ctx } = scene.house;
    const actor = { memberId: bob.memberId } as Actor;
    const cost = async (act: () => Promise<unknown>) => {
      const { result: code, statements } = await ownStatements(
        async () =>
          await act().then(
            () => 'success',
            (error: unknown) => (error as Problem).code,
          ),
      );
      return [code, statements.length];
    };
    for (const name of ['ada', 'gone', 'left', 'nobody', left.memberId])
      expect([name, ...(await cost(async () => await requirePeople(ctx, actor, [name, 'eve'])))]).toEqual([
        name,
        'MEMBER_NOT_FOUND',
        1,
      ]);
    expect(await cost(async () => await requirePeople(ctx, actor, ['eve', 'bob']))).toEqual(['success', 1]);
    const add = async (name: string) =>
      await cost(async () => await addHubMembers(ctx, actor, { id, userIds: [name, eve.memberId] }));
    const ways: [string, (name: string) => Promise<unknown[]>][] = [['add', add]];
    for (const [way, act] of Object.entries({ block, unblock, mute, unmute, unfollow, removeFollower }))
      ways.push([way, async (name) => await cost(async () => await act(ctx, actor, { id: name, duration: '1h' }))]);
    for (const [way, act] of ways) {
      const unknown = await act('nobody');
      expect([way, unknown[0]]).toEqual([way, 'MEMBER_NOT_FOUND']);
      for (const name of ['ada', 'gone', 'left']) expect([way, name, await act(name)]).toEqual([way, name, unknown]);
    }
  });

  it('check 7: make the blocker unknown to the blocked one in every operation, as one who does not exist', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.follow(eve, ada);
    await scene.ask(ada, 'POST', '/users/bob/block');
    const operations = [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/follow'],
      ['DELETE', '/follow'],
      ['DELETE', '/follower'],
      ['GET', '/followers'],
      ['GET', '/following'],
      ['POST', '/block'],
      ['DELETE', '/block'],
      ['POST', '/mute'],
      ['DELETE', '/mute'],
      ['GET', '/feed'],
    ] as const;
    const gone = await scene.house.register({ username: 'gone' });
    await scene.suspend(gone);
    for (const [method, path] of operations) {
      const asked = async (name: string) => {
        const { status, body } = await scene.call(
          bob,
          method,
          `/users/${name}${path}`,
          method === 'GET' ? undefined : {},
        );
        return [status, body];
      };
      const unknown = await asked('f'.repeat(24));
      expect([path, ...unknown]).toMatchObject([path, 404, { error: { reason: 'MEMBER_NOT_FOUND' } }]);
      for (const name of ['ada', ada.memberId, 'gone', gone.memberId, 'no-such'])
        expect([method, path, name, await asked(name)]).toEqual([method, path, name, unknown]);
    }
    for (const answer of ['approve', 'reject'])
      expect(said(await scene.call(bob, 'POST', `/follow-requests/ada/${answer}`))).toBe(
        '404 FOLLOW_REQUEST_NOT_FOUND',
      );
    // Nor is one in the lists of others.
    await scene.follow(bob, eve);
    await scene.follow(ada, eve);
    expect(names(await scene.ask(bob, 'GET', '/users/eve/followers'))).toEqual(['bob']);
    expect(names(await scene.ask(ada, 'GET', '/users/eve/followers'))).toEqual(['ada']);
    expect(names(await scene.ask(bob, 'GET', '/users/eve/following'))).toEqual([]);
    expect(names(await scene.ask(eve, 'GET', '/users/eve/followers'))).toEqual(['ada', 'bob']);
  });

  it('of two members who blocked each other can both be ended', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const rows = [
      { member_id: ada.memberId, blocked_id: bob.memberId, created_at: 1 },
      { member_id: bob.memberId, blocked_id: ada.memberId, created_at: 1 },
    ];
    await scene.house.ctx.db.insertInto('member_blocks').values(rows).execute();
    expect(names(await scene.ask(ada, 'GET', '/blocks'))).toEqual(['bob']);
    expect(said(await scene.call(ada, 'GET', '/users/bob'))).toBe('404 MEMBER_NOT_FOUND');
    expect(said(await scene.call(ada, 'DELETE', '/users/bob/block'))).toBe('200 success');
    expect(said(await scene.call(ada, 'DELETE', '/users/bob/block'))).toBe('404 MEMBER_NOT_FOUND');
    expect(said(await scene.call(bob, 'DELETE', '/users/ada/block'))).toBe('200 success');
  });

  it('of a muted member tell nothing and make no notifications', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    await scene.ask(ada, 'POST', '/users/bob/mute', {});
    const id = await scene.post(ada, 'Hello');
    await scene.follow(bob, ada);
    await scene.ask(bob, 'POST', `/posts/${id}/like`);
    await scene.post(bob, 'Hi @ada', { parentPostId: id });
    await scene.post(bob, 'Hi @ada again');
    await runDueJobs(scene, 'notifications');
    expect(await contents(scene.house, ada)).toEqual([]);
  });
});

describe.each(engines)('a suspended member on %s', (engine) => {
  it('can do nothing, asks for nothing and is in no list, and is back when the suspension ends', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.follow(bob, eve);
    await scene.follow(eve, bob);
    await scene.protect(ada);
    await scene.ask(bob, 'POST', '/users/ada/follow', {});
    await scene.suspend(bob);
    expect((await scene.call(bob, 'GET', '/users/ada')).status).toBe(401);
    expect((await scene.ask(ada, 'GET', '/follow-requests')).requests).toEqual([]);
    expect(said(await scene.call(ada, 'POST', '/follow-requests/bob/approve'))).toBe('404 FOLLOW_REQUEST_NOT_FOUND');
    expect(names(await scene.ask(ada, 'GET', '/users/eve/followers'))).toEqual([]);
    expect(names(await scene.ask(ada, 'GET', '/users/eve/following'))).toEqual([]);
    const operator = { token: await scene.house.operatorToken(), trusted: true, body: {} };
    await scene.house.api('POST', `/api/admin/members/${bob.memberId}/restore`, operator);
    expect(names(await scene.ask(ada, 'GET', '/users/eve/followers'))).toEqual(['bob']);
    expect((await scene.ask(ada, 'GET', '/follow-requests')).requests).toHaveLength(1);
  });
});
