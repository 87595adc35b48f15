import { describe, expect, it } from 'vitest';
import { bothEngines, engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openHubs, said } from './hub-scene.ts';
import { runHubScenario } from './hub-scenario.ts';

type Four = [HouseMember, HouseMember, HouseMember, HouseMember];

const unknown = 'ab'.repeat(16);

describe.each(engines)('hubs on %s', (engine) => {
  it('live through every documented operation', async () => {
    await using scene = await openHubs(engine, 3);
    const [owner, member, other] = scene.people as Four;
    await runHubScenario(scene.house.fetch, 'http://house.test', { owner, member, other });
    expect(await scene.ask(owner, 'GET', '')).toEqual([]);
  });

  it('are created by any member, who is owner and first moderator', async () => {
    await using scene = await openHubs(engine, 2);
    const [ada, bob] = scene.people as Four;
    const made = await scene.call(ada, 'POST', '', { ownerId: ada.memberId, name: 'Garden & Bees', rules: 'Be kind' });
    expect([made.status, made.body.status, made.body.message]).toEqual([201, 'success', 'Hub created']);
    expect(made.body.data).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{32}$/),
      ownerId: ada.memberId,
      slug: 'garden-bees',
      name: 'Garden & Bees',
      description: '',
      rules: 'Be kind',
      memberCount: 1,
      postCount: 0,
      isDefault: false,
      trustTier: 'open',
      moderatorIds: [ada.memberId],
      parentHubId: null,
      icon: '',
      createdAt: '2026-01-15T12:00:00.000Z',
    });
    expect(said(await scene.call(bob, 'POST', '', { ownerId: ada.memberId, name: 'Mine' }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(bob, 'POST', '', {}))).toBe('400 VALIDATION_ERROR');
    expect((await scene.house.api('POST', '/api/social/hubs', { body: { name: 'X' } })).status).toBe(401);
    for (const wrong of [
      { name: '  ' },
      { name: 'a'.repeat(81) },
      { name: 'Bell \u0007' },
      { name: 'X', slug: 'Not A Slug' },
      { name: 'X', slug: 'a--b' },
      { name: 'X', slug: 'explore' },
      { name: 'X', slug: 'ab'.repeat(16) },
      { name: 'X', trustTier: 'secret' },
      { name: 'X', icon: 'javascript:alert(1)' },
      { name: 'X', parentHubId: 'garden-bees' },
    ])
      expect(said(await scene.call(ada, 'POST', '', wrong))).toBe('400 VALIDATION_ERROR');
  });

  it('have a slug of their own, which is made from the name or given', async () => {
    await using scene = await openHubs(engine, 1);
    const [ada] = scene.people as Four;
    const slugs: string[] = [];
    for (const name of ['Café', 'Cafe!', 'Explore', 'ab'.repeat(16), 'x'])
      slugs.push((await scene.ask(ada, 'POST', '', { name })).slug);
    expect(slugs).toEqual(['cafe', 'cafe-2', 'hub-explore', `hub-${'ab'.repeat(16)}`, 'hub-x']);
    expect((await scene.ask(ada, 'POST', '', { name: '花园' })).slug).toMatch(/^hub-[0-9a-f]{8}$/);
    expect((await scene.ask(ada, 'POST', '', { name: 'X', slug: 'Own-Slug' })).slug).toBe('own-slug');
    expect(said(await scene.call(ada, 'POST', '', { name: 'X', slug: 'own-slug' }))).toBe('400 HUB_SLUG_TAKEN');
    expect((await scene.ask(ada, 'GET', '/Own-Slug')).hub.slug).toBe('own-slug');
    const both = await Promise.all(
      [1, 2].map(async () => await scene.call(ada, 'POST', '', { name: 'Y', slug: 'yy' })),
    );
    expect(both.map(said).toSorted()).toEqual(['201 success', '400 HUB_SLUG_TAKEN']);
    const same = await Promise.all(
      Array.from({ length: 8 }, async () => await scene.ask(ada, 'POST', '', { name: 'At once' })),
    );
    expect(new Set(same.map(({ slug }) => slug)).size).toBe(8);
  });

  it('are repeated by their idempotency key', async () => {
    await using scene = await openHubs(engine, 1);
    const [ada] = scene.people as Four;
    const twice = [1, 2].map(async () => {
      const options = { token: ada.token, body: { name: 'Once' }, headers: { 'idempotency-key': 'k1' } };
      return (await scene.house.api('POST', '/api/social/hubs', options)).body.data;
    });
    const [one, other] = await Promise.all(twice);
    expect(one).toEqual(other);
  });

  it('are joined and left, and members are counted', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const hub = await scene.hub(ada);
    const joined = await scene.call(bob, 'POST', `/${hub.slug}/join`, { userId: bob.memberId });
    expect([joined.status, joined.body.message]).toEqual([200, 'Joined the hub']);
    expect(said(await scene.call(bob, 'POST', `/${hub.id}/join`))).toBe('400 ALREADY_IN_HUB');
    expect(said(await scene.call(bob, 'POST', `/${hub.id}/join`, { userId: ada.memberId }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(bob, 'POST', '/nowhere/join'))).toBe('404 HUB_NOT_FOUND');
    expect(await scene.ask(bob, 'GET', `/${hub.id}`)).toMatchObject({ isMember: true, hub: { memberCount: 2 } });
    expect((await scene.ask(cyd, 'GET', `/${hub.id}`)).isMember).toBe(false);
    expect((await scene.ask(bob, 'GET', `?userId=${bob.memberId}`)).map(({ _id: id }: { _id: string }) => id)).toEqual([
      hub.id,
    ]);
    expect(said(await scene.call(bob, 'GET', `?userId=${ada.memberId}`))).toBe('403 FORBIDDEN');
    expect((await scene.ask(bob, 'GET', '?limit=1')).hubs).toHaveLength(1);
    expect(await scene.ask(cyd, 'GET', '')).toEqual([]);
    expect(said(await scene.call(ada, 'POST', `/${hub.id}/leave`))).toBe('403 HUB_OWNER_STAYS');
    expect(said(await scene.call(cyd, 'POST', `/${hub.id}/leave`))).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(said(await scene.call(bob, 'POST', `/${hub.id}/leave`))).toBe('200 success');
    expect((await scene.ask(bob, 'GET', `/${hub.id}`)).hub.memberCount).toBe(1);
  });

  it('are changed by owner and moderators, and by nobody else', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const hub = await scene.hub(ada, [bob, cyd]);
    await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { userId: bob.username });
    const changed = await scene.ask(bob, 'PUT', `/${hub.id}`, { name: 'New', description: 'Words', icon: '🌱' });
    expect(changed).toMatchObject({ name: 'New', description: 'Words', icon: '🌱', rules: '', slug: hub.slug });
    expect((await scene.ask(ada, 'PUT', `/${hub.id}`, { trustTier: 'verified' })).trustTier).toBe('verified');
    for (const who of [cyd, dan])
      expect(said(await scene.call(who, 'PUT', `/${hub.id}`, { name: 'Mine' }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'PUT', `/${unknown}`, { name: 'X' }))).toBe('404 HUB_NOT_FOUND');
    expect(said(await scene.call(ada, 'PUT', `/${hub.id}`, { trustTier: 'encrypted' }))).toBe('400 HUB_TIER_FIXED');
    const sealed = await scene.hub(ada, [], { trustTier: 'encrypted' });
    expect(said(await scene.call(ada, 'PUT', `/${sealed.id}`, { trustTier: 'open' }))).toBe('400 HUB_TIER_FIXED');
    expect(said(await scene.call(ada, 'PUT', `/${sealed.id}`, { trustTier: 'encrypted' }))).toBe('200 success');
  });

  it('are found by what they say, and as they are lively, new or unknown', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const administrator = await scene.house.administrator();
    const bees = await scene.hub(ada, [], { name: 'Bees', description: 'Honey and Wax' });
    const chess = await scene.hub(ada, [], { name: 'Chess' });
    const home = await scene.hub(administrator, [], { name: 'Home', isDefault: true });
    await scene.ask(bob, 'POST', `/${bees.id}/join`);
    const found = async (query: string, who = cyd) =>
      (await scene.ask(who, 'GET', `/explore${query}`)).hubs.map(({ name }: { name: string }) => name);
    expect(await found('')).toEqual(['Bees', 'Home', 'Chess']);
    expect(await found('?sort=new')).toEqual(['Home', 'Chess', 'Bees']);
    expect(await found('?sort=suggested')).toEqual(['Home', 'Bees', 'Chess']);
    expect(await found('?sort=suggested', bob)).toEqual(['Home', 'Chess']);
    expect(await found('?q=HONEY')).toEqual(['Bees']);
    for (const q of ['%25', '_', '%27', 'nothing']) expect(await found(`?q=${q}`)).toEqual([]);
    // What was done weeks ago counts less than something new.
    scene.house.clock.advance(30 * 86_400_000);
    const fresh = await scene.house.signIn(cyd);
    await scene.ask({ ...cyd, token: fresh }, 'POST', `/${chess.id}/join`);
    expect(await found('', { ...cyd, token: fresh })).toEqual(['Chess', 'Bees', 'Home']);
    const first = await scene.ask({ ...cyd, token: fresh }, 'GET', '/explore?limit=2');
    expect([first.hubs.length, first.hasMore]).toEqual([2, true]);
    const second = await scene.ask({ ...cyd, token: fresh }, 'GET', `/explore?limit=2&cursor=${first.cursor}`);
    expect(second.hubs.map(({ _id: id }: { _id: string }) => id)).toEqual([home.id]);
    const foreign = `/explore?limit=2&sort=new&cursor=${first.cursor}`;
    expect(said(await scene.call({ ...cyd, token: fresh }, 'GET', foreign))).toBe('400 INVALID_CURSOR');
    for (const wrong of ['limit=0', 'limit=-1', 'limit=1e9', 'sort=old', `q=${'a'.repeat(101)}`])
      expect(said(await scene.call({ ...cyd, token: fresh }, 'GET', `/explore?${wrong}`))).toBe('400 VALIDATION_ERROR');
  });

  it('are default by the word of an administrator, one at most, and then not deleted', async () => {
    await using scene = await openHubs(engine, 1);
    const [ada] = scene.people as Four;
    const administrator = await scene.house.administrator();
    expect(said(await scene.call(ada, 'POST', '', { name: 'X', isDefault: true }))).toBe('403 FORBIDDEN');
    const home = await scene.hub(administrator, [], { isDefault: true });
    expect(home.isDefault).toBe(true);
    expect(said(await scene.call(administrator, 'POST', '', { name: 'Y', isDefault: true }))).toBe('400 HUB_DEFAULT');
    expect(said(await scene.call(administrator, 'DELETE', `/${home.id}`))).toBe('400 HUB_DEFAULT');
    expect((await scene.ask(administrator, 'PUT', `/${home.id}`, { isDefault: false })).isDefault).toBe(false);
    expect(said(await scene.call(administrator, 'DELETE', `/${home.id}`))).toBe('204 success');
  });

  it('check 28: are deleted by their owner, with memberships and slug', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const hub = await scene.hub(ada, [bob], { slug: 'short' });
    await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { userId: bob.memberId });
    for (const who of [bob, cyd]) expect(said(await scene.call(who, 'DELETE', `/${hub.id}`))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'DELETE', `/${hub.id}`, { ownerId: bob.memberId }))).toBe('403 FORBIDDEN');
    const gone = await scene.call(ada, 'DELETE', `/${hub.id}`, { ownerId: ada.memberId });
    expect([gone.status, gone.body]).toEqual([204, '']);
    for (const path of [`/${hub.id}`, '/short', `/${hub.id}/members-list`, `/${hub.id}/standing`])
      expect(said(await scene.call(bob, 'GET', path))).toBe('404 HUB_NOT_FOUND');
    expect(said(await scene.call(bob, 'POST', `/${hub.id}/join`))).toBe('404 HUB_NOT_FOUND');
    expect(said(await scene.call(ada, 'DELETE', `/${hub.id}`))).toBe('404 HUB_NOT_FOUND');
    expect(await scene.ask(bob, 'GET', '')).toEqual([]);
    expect((await scene.ask(bob, 'GET', '/explore')).hubs).toEqual([]);
    expect((await scene.ask(cyd, 'POST', '', { name: 'X', slug: 'short' })).slug).toBe('short');
    const { db } = scene.house.ctx;
    const rows = await db.selectFrom('room_members').select('room_id').where('room_id', '=', hub.id).execute();
    expect(rows).toEqual([]);
  });

  it('check 28: leave reports of their posts to the administrators when they are deleted', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const hub = await scene.hub(ada, [bob, cyd]);
    await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { userId: bob.memberId });
    const social = async (who: HouseMember, method: 'GET' | 'POST', path: string, body?: object) =>
      await scene.house.api(method, `/api/social${path}`, { token: who.token, ...(body !== undefined && { body }) });
    const post = (await social(ada, 'POST', '/posts', { content: 'Rude', hubIds: [hub.id] })).body.data;
    const reported = await social(cyd, 'POST', `/posts/${post['_id']}/report`, { reason: 'Rude', hubId: hub.id });
    expect(said(reported)).toBe('200 success');
    const of = async (who: HouseMember, query = '') =>
      (await social(who, 'GET', `/posts/reports${query}`)).body.data.reports as { readonly _id: string }[];
    const before = await of(bob, `?hubId=${hub.id}`);
    expect(before).toHaveLength(1);
    await scene.ask(ada, 'DELETE', `/${hub.id}`);
    const review = async (who: HouseMember) =>
      said(await social(who, 'POST', `/posts/reports/${before[0]!['_id']}/review`, { action: 'dismiss' }));
    // Its moderators moderate nothing any more, and who reported it still sees the own report.
    expect([await of(bob), await of(bob, `?hubId=${hub.id}`), await of(cyd)]).toEqual([[], [], before]);
    expect(await review(bob)).toBe('404 REPORT_NOT_FOUND');
    const administrator = await scene.house.administrator();
    expect(await of(administrator)).toEqual(before);
    expect(await review(administrator)).toBe('200 success');
  });

  it('check 28: are handed over to a member, who is the owner from then on', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const hub = await scene.hub(ada, [bob]);
    const hand = async (from: HouseMember, newOwnerId: string) =>
      await scene.call(from, 'POST', `/${hub.id}/transfer`, { newOwnerId });
    expect(said(await hand(bob, bob.memberId))).toBe('403 FORBIDDEN');
    expect(said(await hand(ada, cyd.memberId))).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(said(await hand(ada, 'nobody-here'))).toBe('404 MEMBER_NOT_FOUND');
    expect(said(await hand(ada, ada.memberId))).toBe('400 VALIDATION_ERROR');
    const handed = await hand(ada, bob.memberId);
    expect(handed.body.data).toEqual({ hubId: hub.id, newOwnerId: bob.memberId });
    const { hub: now } = await scene.ask(ada, 'GET', `/${hub.id}`);
    expect([now.ownerId, now.moderatorIds]).toEqual([bob.memberId, [ada.memberId, bob.memberId]]);
    // What the owner alone may do, the former one may not do any more.
    for (const [method, path, body] of [
      ['DELETE', '', {}],
      ['POST', '/transfer', { newOwnerId: ada.memberId }],
      ['POST', '/members', { userIds: [cyd.memberId] }],
      ['POST', '/moderators', { userId: ada.memberId }],
      ['DELETE', '/moderators', { userId: bob.memberId }],
      ['POST', '/ban', { userId: bob.memberId }],
    ] as const)
      expect(said(await scene.call(ada, method, `/${hub.id}${path}`, body))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'POST', `/${hub.id}/leave`))).toBe('200 success');
    expect(said(await scene.call(bob, 'POST', `/${hub.id}/leave`))).toBe('403 HUB_OWNER_STAYS');
  });

  it('are handed over once, when two requests come at once', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as Four;
    const hub = await scene.hub(ada, [bob, cyd]);
    const answers = await Promise.all(
      [bob, cyd].map(
        async ({ memberId }) => await scene.call(ada, 'POST', `/${hub.id}/transfer`, { newOwnerId: memberId }),
      ),
    );
    expect(answers.map(said).toSorted()).toEqual(['200 success', '403 FORBIDDEN']);
    const owners = await scene.house.ctx.db
      .selectFrom('room_members')
      .selectAll()
      .where('role', '=', 'owner')
      .execute();
    const { hub: now } = await scene.ask(ada, 'GET', `/${hub.id}`);
    expect(owners.map((row) => row.member_id)).toEqual([now.ownerId]);
  });

  it('check 8: answer for one that is unknown as for none, whatever is asked', async () => {
    await using scene = await openHubs(engine, 2);
    const [ada, bob] = scene.people as Four;
    const userId = bob.memberId;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'X' }],
      ['DELETE', '', {}],
      ['POST', '/join', {}],
      ['POST', '/leave', {}],
      ['POST', '/members', { userIds: [userId] }],
      ['DELETE', '/members', { userIds: [userId] }],
      ['POST', '/moderators', { userId }],
      ['DELETE', '/moderators', { userId }],
      ['GET', '/sub-hubs', undefined],
      ['GET', '/members-list', undefined],
      ['GET', '/standing', undefined],
      ['POST', '/ban', { userId }],
      ['POST', '/unban', { userId }],
      ['POST', '/warn', { userId, reason: 'x' }],
      ['POST', '/temp-ban', { userId, durationDays: 1, reason: 'x' }],
      ['GET', '/banned', undefined],
      ['GET', '/moderation-log', undefined],
      ['POST', '/transfer', { newOwnerId: userId }],
    ] as const)
      expect(`${path} ${said(await scene.call(ada, method, `/${unknown}${path}`, body))}`).toBe(
        `${path} 404 HUB_NOT_FOUND`,
      );
  });
});

describe.each(bothEngines)('hubs that change at once on %s', (engine) => {
  it('are counted right when many join and leave at once', { tags: 'thorough' }, async () => {
    await using scene = await openHubs(engine, 26);
    const [ada, ...others] = scene.people as [HouseMember, ...HouseMember[]];
    const hub = await scene.hub(ada);
    const answers = await Promise.all(
      [...others, ...others].map(async (one) => await scene.call(one, 'POST', `/${hub.id}/join`)),
    );
    expect(answers.map(said).toSorted()).toEqual([
      ...Array<string>(25).fill('200 success'),
      ...Array<string>(25).fill('400 ALREADY_IN_HUB'),
    ]);
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.memberCount).toBe(26);
    await Promise.all(others.map(async (one) => await scene.ask(one, 'POST', `/${hub.id}/leave`)));
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.memberCount).toBe(1);
  });
});
