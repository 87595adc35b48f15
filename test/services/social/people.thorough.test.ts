import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
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

describe.each(engines)('following on %s', (engine) => {
  it('begins, is counted and ends, and says what is not possible', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const refused = async (method: 'POST' | 'DELETE', name: string) =>
      said(await scene.call(ada, method, `/users/${name}/follow`, {}));
    expect(await refused('DELETE', 'bob')).toBe('400 NOT_FOLLOWING');
    expect(await refused('POST', 'ada')).toBe('400 VALIDATION_ERROR');
    expect(await refused('DELETE', 'ada')).toBe('400 NOT_FOLLOWING');
    expect(await refused('POST', 'nobody')).toBe('404 MEMBER_NOT_FOUND');
    expect(await refused('DELETE', 'nobody')).toBe('404 MEMBER_NOT_FOUND');
    expect(await refused('POST', 'f'.repeat(24))).toBe('404 MEMBER_NOT_FOUND');
    const followed = await scene.call(ada, 'POST', '/users/BOB/follow', { message: 'Nobody reads this' });
    expect(followed.body).toMatchObject({ message: 'Now following', data: { following: 'yes' } });
    expect(await refused('POST', 'bob')).toBe('400 ALREADY_FOLLOWING');
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({
      followerCount: 1,
      followingCount: 0,
      following: 'yes',
      followsYou: false,
    });
    expect(await scene.ask(bob, 'GET', '/users/ada')).toMatchObject({
      followerCount: 0,
      followingCount: 1,
      following: 'no',
      followsYou: true,
    });
    expect(names(await scene.ask(ada, 'GET', '/users/bob/followers'))).toEqual(['ada']);
    expect(names(await scene.ask(ada, 'GET', '/users/ada/following'))).toEqual(['bob']);
    expect(await contents(scene.house, bob)).toEqual(['ada follows you.']);
    await scene.ask(ada, 'DELETE', '/users/bob/follow');
    expect(await contents(scene.house, bob)).toEqual([]);
    expect(await scene.ask(bob, 'GET', '/users/bob')).toMatchObject({ followerCount: 0, followingCount: 0 });
    expect(await refused('DELETE', 'bob')).toBe('400 NOT_FOLLOWING');
    await scene.follow(ada, bob);
    await scene.ask(bob, 'DELETE', '/users/ada/follower');
    expect(said(await scene.call(bob, 'DELETE', '/users/ada/follower'))).toBe('400 NOT_FOLLOWING');
    expect(await scene.ask(ada, 'GET', '/users/ada')).toMatchObject({ followingCount: 0 });
  });

  it('of a protected member is a request, which is approved, rejected or taken back', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.protect(bob);
    const request = async (who: HouseMember, message?: string) =>
      await scene.call(who, 'POST', '/users/bob/follow', { ...(message !== undefined && { message }) });
    const asked = await request(ada, 'Let me in');
    expect(asked.body).toMatchObject({ message: 'Follow request created', data: { following: 'requested' } });
    expect(said(await request(ada))).toBe('400 ALREADY_REQUESTED');
    scene.house.clock.advance(1);
    await request(eve);
    const { requests } = await scene.ask(bob, 'GET', '/follow-requests');
    expect(requests).toMatchObject([
      { _id: eve.memberId, message: '', person: { username: 'eve' } },
      { _id: ada.memberId, message: 'Let me in', person: { username: 'ada' } },
    ]);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ following: 'requested', followerCount: 0 });
    expect(await scene.ask(ada, 'GET', '/users/ada')).toMatchObject({ followingCount: 0 });
    expect((await contents(scene.house, bob)).toSorted()).toEqual([
      'ada asks to follow you.',
      'eve asks to follow you.',
    ]);
    // Only the member who is asked decides.
    expect(said(await scene.call(ada, 'POST', `/follow-requests/${ada.memberId}/approve`))).toBe(
      '404 FOLLOW_REQUEST_NOT_FOUND',
    );
    await scene.ask(bob, 'POST', '/follow-requests/ada/approve');
    for (const answer of ['approve', 'reject'])
      expect(said(await scene.call(bob, 'POST', `/follow-requests/ada/${answer}`))).toBe(
        '404 FOLLOW_REQUEST_NOT_FOUND',
      );
    expect(await contents(scene.house, ada)).toEqual(['bob lets you follow them.']);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ following: 'yes', followerCount: 1 });
    await scene.ask(bob, 'POST', '/follow-requests/eve/reject');
    expect(await contents(scene.house, eve)).toEqual([]);
    expect(await contents(scene.house, bob)).toEqual([]);
    // Whoever was rejected may ask again, and take it back.
    expect((await request(eve)).body.data).toEqual({ following: 'requested' });
    expect(said(await scene.call(bob, 'DELETE', '/users/eve/follower'))).toBe('400 NOT_FOLLOWING');
    await scene.ask(eve, 'DELETE', '/users/bob/follow');
    expect((await scene.ask(bob, 'GET', '/follow-requests')).requests).toEqual([]);
    expect(await scene.ask(bob, 'GET', '/users/bob')).toMatchObject({ followerCount: 1 });
    expect(said(await scene.call(bob, 'POST', '/follow-requests/nobody/approve'))).toBe('404 FOLLOW_REQUEST_NOT_FOUND');
    // That one may follow is told for as long as it is so.
    expect(await contents(scene.house, ada)).toEqual(['bob lets you follow them.']);
    await scene.ask(bob, 'DELETE', '/users/ada/follower');
    expect(await contents(scene.house, ada)).toEqual([]);
  });

  it('that ends takes nothing back that the other one is told of a follow of theirs', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    await scene.ask(ada, 'POST', '/users/bob/follow', {});
    await scene.ask(bob, 'POST', '/users/ada/follow', {});
    await scene.ask(ada, 'DELETE', '/users/bob/follow');
    expect(await contents(scene.house, ada)).toEqual(['bob follows you.']);
    expect(await contents(scene.house, bob)).toEqual([]);
  });

  it.each([
    ['approve_all', false, 'requested'],
    ['approve_all', true, 'requested'],
    ['approve_non_mutuals', false, 'requested'],
    ['approve_non_mutuals', true, 'yes'],
    ['approve_none', false, 'yes'],
  ])('with %s, being followed by the other one: %s, is %s', async (approveFollowersMode, mutual, expected) => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    if (mutual) await scene.follow(bob, ada);
    await scene.ask(bob, 'PUT', '/users/bob', { approveFollowersMode });
    expect(await scene.ask(ada, 'POST', '/users/bob/follow', {})).toEqual({ following: expected });
  });

  it('is told once, however often it begins and ends', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [await scene.house.register(), await scene.house.register()];
    const told = async () =>
      await scene.house.ctx.db.selectFrom('notification_once').select(['type', 'withdrawn']).execute();
    for (const isProtected of [false, true]) {
      await scene.ask(ada, 'PUT', `/users/${ada.memberId}`, { isProtected });
      for (let round = 0; round < 3; round += 1) {
        await scene.ask(bob, 'POST', `/users/${ada.memberId}/follow`, {});
        await scene.ask(bob, 'DELETE', `/users/${ada.memberId}/follow`);
      }
    }
    // What is told again within a day interrupts nobody: see the tests of notifications.
    expect((await told()).toSorted((one, other) => one.type.localeCompare(other.type))).toEqual([
      { type: 'follow', withdrawn: 1 },
      { type: 'follow_request', withdrawn: 1 },
    ]);
  });

  it('of a protected member is a request in every mode, also to a member who is followed back', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    await scene.follow(bob, ada);
    for (const approveFollowersMode of ['approve_all', 'approve_non_mutuals', 'approve_none']) {
      await scene.ask(bob, 'PUT', '/users/bob', { approveFollowersMode, isProtected: true });
      expect(await scene.ask(ada, 'POST', '/users/bob/follow', {})).toEqual({ following: 'requested' });
      await scene.ask(ada, 'DELETE', '/users/bob/follow');
    }
  });

  it('is counted right after 50 requests at once', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const statuses = async (asks: Promise<{ status: number }>[]) =>
      (await Promise.all(asks)).map(({ status }) => status);
    const many = await statuses(
      Array.from({ length: 50 }, async () => await scene.call(ada, 'POST', '/users/bob/follow', {})),
    );
    expect(many.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(many)).toEqual(new Set([200, 400]));
    const pairs = [
      [ada, bob],
      [bob, ada],
      [eve, ada],
      [eve, bob],
    ] as const;
    const mixed = await statuses(
      Array.from({ length: 48 }, async (_, at) => {
        const [who, other] = pairs[at % pairs.length]!;
        const method = at % 3 === 0 ? 'DELETE' : 'POST';
        return await scene.call(who, method, `/users/${other.memberId}/follow`, {});
      }),
    );
    expect(mixed.filter((status) => status !== 200 && status !== 400)).toEqual([]);
    const { db } = scene.house.ctx;
    const follows = await db.selectFrom('social_follows').selectAll().execute();
    for (const { memberId } of [ada, bob, eve]) {
      const profile = await scene.ask(eve, 'GET', `/users/${memberId}`);
      expect(profile.followerCount).toBe(follows.filter((row) => row.followee_id === memberId).length);
      expect(profile.followingCount).toBe(follows.filter((row) => row.follower_id === memberId).length);
    }
  });

  it('is counted once when a request is approved by 20 at once', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    await scene.protect(bob);
    await scene.ask(ada, 'POST', '/users/bob/follow', {});
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) =>
        said(await scene.call(bob, 'POST', `/follow-requests/ada/${at % 5 === 4 ? 'reject' : 'approve'}`)),
      ),
    );
    expect(answers.filter((answer) => answer === '200 success')).toHaveLength(1);
    const { following, followerCount } = await scene.ask(ada, 'GET', '/users/bob');
    expect(followerCount).toBe(following === 'yes' ? 1 : 0);
  });

  it('with an Idempotency-Key is answered the same when it is repeated, and does nothing more', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const key = { 'idempotency-key': 'once-and-for-all' };
    const first = await scene.call(ada, 'POST', '/users/bob/follow', {}, key);
    const second = await scene.call(ada, 'POST', '/users/bob/follow', {}, key);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ followerCount: 1 });
    expect(said(await scene.call(ada, 'POST', '/users/eve/follow', {}, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    // Whoever was blocked meanwhile learns nothing of what was answered before.
    await scene.ask(bob, 'POST', '/users/ada/block');
    expect(said(await scene.call(ada, 'POST', '/users/bob/follow', {}, key))).toBe('404 MEMBER_NOT_FOUND');
  });
});

describe.each(engines)('a profile on %s', (engine) => {
  it('is changed by its member alone, field by field, within its limits', async () => {
    await using scene = await openSocial(engine);
    const { ada } = await cast(scene);
    const change = async (body: object, name = 'ada') => await scene.call(ada, 'PUT', `/users/${name}`, body);
    const full = {
      displayName: '  Ada  ',
      bio: 'b'.repeat(160),
      location: 'London',
      websiteUrl: 'https://example.org/ada?x=1',
      approveFollowersMode: 'approve_all',
    };
    expect((await change(full)).body.data).toMatchObject({ ...full, displayName: 'Ada' });
    expect((await change({ bio: '' })).body.data).toMatchObject({ ...full, displayName: 'Ada', bio: '' });
    const wrong: [object, string][] = [
      [{ bio: 'b'.repeat(161) }, 'bio'],
      [{ displayName: '' }, 'displayName'],
      [{ displayName: '   ' }, 'displayName'],
      [{ displayName: 'a\u0007b' }, 'displayName'],
      [{ displayName: 'd'.repeat(51) }, 'displayName'],
      [{ location: 'l'.repeat(101) }, 'location'],
      [{ location: 'a\nb' }, 'location'],
      [{ websiteUrl: 'javascript:alert(1)' }, 'websiteUrl'],
      [{ websiteUrl: 'https://user@host.example' }, 'websiteUrl'],
      [{ websiteUrl: 'https://a"onclick=x' }, 'websiteUrl'],
      [{ websiteUrl: 'ftp://example.org' }, 'websiteUrl'],
      [{ approveFollowersMode: 'approve_some' }, 'approveFollowersMode'],
      [{ isProtected: 'yes' }, 'isProtected'],
      [{ privacySettings: { hideEverything: true } }, 'privacySettings'],
      [{ privacySettings: { hideFollowerCount: 1 } }, 'privacySettings'],
    ];
    for (const [body, field] of wrong) {
      const answer = await change(body);
      expect([said(answer), JSON.stringify(body)]).toEqual(['400 VALIDATION_ERROR', JSON.stringify(body)]);
      expect(JSON.stringify(answer.body)).toContain(field);
    }
    expect(said(await change({ bio: 'Mine now' }, 'bob'))).toBe('403 FORBIDDEN');
    expect(said(await change({ bio: 'x' }, 'nobody'))).toBe('404 MEMBER_NOT_FOUND');
    expect(await scene.ask(ada, 'GET', '/users/ada')).toMatchObject({ ...full, displayName: 'Ada', bio: '' });
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ bio: '' });
  });

  it('hides numbers and lists as its privacy settings say, and never from the member', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.follow(bob, ada);
    await scene.follow(ada, eve);
    const set = async (privacySettings: object) => await scene.ask(ada, 'PUT', '/users/ada', { privacySettings });
    const numbers = async (who: HouseMember) => {
      const profile = await scene.ask(who, 'GET', '/users/ada');
      return [profile.followerCount, profile.followingCount];
    };
    const lists = async (who: HouseMember) => [
      said(await scene.call(who, 'GET', '/users/ada/followers')),
      said(await scene.call(who, 'GET', '/users/ada/following')),
    ];
    const [open, hidden] = ['200 success', '403 FOLLOWERS_HIDDEN'];
    expect(await numbers(eve)).toEqual([1, 1]);
    await set({ hideFollowerCount: true });
    expect([await numbers(eve), await numbers(bob), await numbers(ada)]).toEqual([
      [undefined, 1],
      [undefined, 1],
      [1, 1],
    ]);
    const { privacySettings } = await set({ hideFollowingCount: true });
    expect(privacySettings).toMatchObject({
      hideFollowerCount: true,
      hideFollowingCount: true,
      showOnlineStatus: true,
    });
    expect(await numbers(eve)).toEqual([undefined, undefined]);
    await set({ hideFollowersFromNonFollowers: true });
    expect([await lists(eve), await lists(bob), await lists(ada)]).toEqual([
      [hidden, open],
      [open, open],
      [open, open],
    ]);
    await set({ hideFollowersFromNonFollowers: false, hideFollowingFromNonFollowers: true });
    expect(await lists(eve)).toEqual([open, hidden]);
    await set({ hideFollowingFromNonFollowers: false });
    await scene.protect(ada);
    expect([await lists(eve), await lists(bob), await lists(ada)]).toEqual([
      [hidden, hidden],
      [open, open],
      [open, open],
    ]);
    // A request is no follow.
    await scene.ask(eve, 'POST', '/users/ada/follow', {});
    expect(await lists(eve)).toEqual([hidden, hidden]);
    expect(names(await scene.ask(bob, 'GET', '/users/ada/followers'))).toEqual(['bob']);
  });

  it('says whether an administrator verified its member, and nobody else does', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const chief = await scene.house.administrator();
    const verify = async (who: HouseMember) =>
      await scene.call(who, 'PUT', '/users/ada/verified', { isVerified: true });
    for (const who of [ada, bob]) expect(said(await verify(who))).toBe('403 FORBIDDEN');
    expect((await verify(chief)).body.data.person).toMatchObject({ username: 'ada', isVerified: true });
    expect(await scene.ask(bob, 'GET', '/users/ada')).toMatchObject({ isVerified: true });
  });
});
