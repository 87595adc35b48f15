import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openModerated, said, type HubScene } from './hub-scene.ts';

const DAY = 86_400_000;

/** Somebody whose session has not expired, however much later it is. */
async function later({ house }: HubScene, who: HouseMember): Promise<HouseMember> {
  return { ...who, token: await house.signIn(who) };
}

describe.each(engines)('moderation of hubs on %s', (engine) => {
  it('bans who has a lower role, and ends everything for them at once', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    for (const [who, whom, code] of [
      [dan, cyd, '403 FORBIDDEN'],
      [cyd, dan, '403 FORBIDDEN'],
      [bob, ada, '403 FORBIDDEN'],
      [bob, bob, '403 FORBIDDEN'],
      [ada, ada, '403 FORBIDDEN'],
    ] as const)
      expect(said(await act(who, 'ban', { userId: whom.memberId }))).toBe(code);
    expect(said(await act(bob, 'ban', { userId: 'nobody-here' }))).toBe('404 MEMBER_NOT_FOUND');
    expect(said(await act(bob, 'ban', { moderatorId: ada.memberId, userId: cyd.memberId }))).toBe('403 FORBIDDEN');
    const done = await act(bob, 'ban', { moderatorId: bob.memberId, userId: cyd.username, reason: ' Noise ' });
    expect([done.status, done.body.message]).toEqual([200, 'Member banned']);
    expect(done.body.data.ban).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{32}$/),
      hubId: hub.id,
      userId: cyd.memberId,
      username: cyd.username,
      bannedBy: bob.memberId,
      bannedAt: new Date(scene.house.clock.now()).toISOString(),
      reason: 'Noise',
    });
    expect(said(await act(bob, 'ban', { userId: cyd.memberId }))).toBe('400 ALREADY_BANNED');
    const shorter = await act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: 1, reason: 'Noise' });
    expect(said(shorter)).toBe('400 ALREADY_BANNED');
    scene.house.clock.advance(2 * 86_400_000);
    expect(said(await act(cyd, 'join', {}))).toBe('403 BANNED_FROM_HUB');
    expect(said(await scene.call(cyd, 'GET', `/${hub.id}/members-list`))).toBe('403 BANNED_FROM_HUB');
    expect(await scene.ask(cyd, 'GET', `/${hub.id}`)).toMatchObject({ isMember: false, hub: { memberCount: 2 } });
    expect(await scene.ask(cyd, 'GET', '')).toEqual([]);
    expect((await scene.ask(cyd, 'GET', '/explore')).hubs).toEqual([]);
    expect((await scene.ask(dan, 'GET', '/explore')).hubs).toHaveLength(1);
    const { bannedUsers, hasMore } = await scene.ask(bob, 'GET', `/${hub.id}/banned?userId=${bob.memberId}`);
    expect([bannedUsers, hasMore]).toEqual([[done.body.data.ban], false]);
    for (const who of [cyd, dan]) expect(said(await scene.call(who, 'GET', `/${hub.id}/banned`))).toBe('403 FORBIDDEN');
    // All of them, unless pages are asked for.
    for (let more = 0; more < 20; more += 1) {
      const { memberId } = await scene.house.register();
      await act(bob, 'ban', { userId: memberId });
      scene.house.clock.advance(1);
    }
    const all = await scene.ask(bob, 'GET', `/${hub.id}/banned`);
    expect([all.bannedUsers.length, all.hasMore, all.cursor]).toEqual([21, false, undefined]);
    const page = await scene.ask(bob, 'GET', `/${hub.id}/banned?limit=20`);
    expect([page.bannedUsers.length, page.hasMore]).toEqual([20, true]);
    expect((await scene.ask(bob, 'GET', `/${hub.id}/banned?cursor=${page.cursor}`)).bannedUsers).toEqual([
      all.bannedUsers[20],
    ]);

    expect(said(await act(cyd, 'unban', { userId: cyd.memberId }))).toBe('403 FORBIDDEN');
    expect(said(await act(bob, 'unban', { userId: dan.memberId }))).toBe('404 HUB_BAN_NOT_FOUND');
    expect(said(await act(bob, 'unban', { userId: cyd.memberId }))).toBe('200 success');
    expect((await scene.ask(cyd, 'GET', `/${hub.id}`)).isMember).toBe(false);
    expect(said(await act(cyd, 'join', {}))).toBe('200 success');
  });

  it('check 28: bans for some days, which are over to the millisecond', async () => {
    await using setting = await openModerated(engine);
    const { scene, bob, cyd, hub, act } = setting;
    for (const wrong of [0, -1, 3_651, 1.5, 'many'])
      expect(said(await act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: wrong, reason: 'x' }))).toBe(
        '400 VALIDATION_ERROR',
      );
    expect(said(await act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: 2 }))).toBe('400 VALIDATION_ERROR');
    const done = await act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: 2, reason: 'Noise' });
    const ends = new Date(scene.house.clock.now() + 2 * DAY).toISOString();
    expect(done.body.data.ban).toMatchObject({ expiresAt: ends, reason: 'Noise' });
    scene.house.clock.advance(2 * DAY - 1);
    const [mod, member] = [await later(scene, bob), await later(scene, cyd)];
    const refused = await act(member, 'join', {});
    expect([said(refused), refused.body.error.message]).toEqual([
      '403 BANNED_FROM_HUB',
      `You are banned from this hub until ${ends}.`,
    ]);
    expect((await scene.ask(mod, 'GET', `/${hub.id}/banned`)).bannedUsers).toHaveLength(1);
    expect((await scene.ask(member, 'GET', `/${hub.id}/standing`)).ban).toEqual({
      hubId: hub.id,
      reason: 'Noise',
      bannedAt: new Date(scene.house.clock.now() - 2 * DAY + 1).toISOString(),
      expiresAt: ends,
    });
    scene.house.clock.advance(1);
    expect((await scene.ask(mod, 'GET', `/${hub.id}/banned`)).bannedUsers).toEqual([]);
    expect(await scene.ask(member, 'GET', `/${hub.id}/standing`)).not.toHaveProperty('ban');
    expect(said(await act(mod, 'unban', { userId: cyd.memberId }))).toBe('404 HUB_BAN_NOT_FOUND');
    expect(said(await act(member, 'join', {}))).toBe('200 success');
  });

  it('warns members, who read of it and not from whom', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    const warn = async (who: HouseMember, whom: HouseMember, reason = 'Be kind') =>
      await act(who, 'warn', { userId: whom.memberId, reason });
    expect(said(await warn(cyd, cyd))).toBe('403 FORBIDDEN');
    expect(said(await warn(bob, ada))).toBe('403 FORBIDDEN');
    expect(said(await warn(bob, dan))).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(said(await warn(bob, cyd, ' '))).toBe('400 VALIDATION_ERROR');
    const { warning } = (await warn(bob, cyd)).body.data;
    expect(warning).toMatchObject({ action: 'warning', moderatorId: bob.memberId, userId: cyd.memberId });
    const standing = await scene.ask(cyd, 'GET', `/${hub.id}/standing`);
    expect(standing).toEqual({
      hubId: hub.id,
      role: 'member',
      mayPost: true,
      warnings: [{ reason: 'Be kind', createdAt: warning.createdAt }],
    });
    expect((await scene.ask(dan, 'GET', `/${hub.id}/standing`)).warnings).toEqual([]);
    const { notifications } = (await scene.house.api('GET', '/api/social/notifications', { token: cyd.token })).body
      .data;
    expect(notifications).toHaveLength(1);
    expect(notifications[0]).toMatchObject({
      type: 'hub_moderation',
      category: 'social',
      targetId: hub.id,
      content: `You were warned in the hub ${hub.name}: “Be kind”.`,
    });
    expect(JSON.stringify(notifications)).not.toContain(bob.memberId);
  });

  it('tells members of a ban, and is no way to write to strangers', async () => {
    await using setting = await openModerated(engine);
    const { scene, bob, cyd, dan, hub, act } = setting;
    await act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: 1, reason: 'Noise' });
    await act(bob, 'ban', { userId: dan.memberId, reason: 'Words for a stranger' });
    const told = async ({ token }: HouseMember) =>
      (await scene.house.api('GET', '/api/social/notifications', { token })).body.data.notifications;
    const ends = new Date(scene.house.clock.now() + DAY).toISOString();
    expect(await told(cyd)).toMatchObject([
      { type: 'hub_moderation', content: `You were banned from the hub ${hub.name} until ${ends}: “Noise”.` },
    ]);
    expect(await told(dan)).toEqual([]);
    expect(said(await act(dan, 'join', {}))).toBe('403 BANNED_FROM_HUB');
  });

  it('is recorded in a log for moderators', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    const step = async (answer: Promise<unknown>) => {
      await answer;
      scene.house.clock.advance(1);
    };
    await step(act(bob, 'warn', { userId: cyd.memberId, reason: 'Once' }));
    await step(act(bob, 'temp-ban', { userId: cyd.memberId, durationDays: 1, reason: 'Twice' }));
    await step(act(bob, 'ban', { userId: cyd.memberId }));
    await step(act(bob, 'unban', { userId: cyd.memberId }));
    await step(act(ada, 'members', { userIds: [dan.memberId, bob.memberId] }));
    await step(act(ada, 'members', { userIds: [dan.memberId] }, 'DELETE'));
    await step(act(ada, 'moderators', { userId: bob.memberId }, 'DELETE'));
    await step(scene.ask(ada, 'PUT', `/${hub.id}`, { rules: 'New' }));
    await step(act(ada, 'transfer', { newOwnerId: bob.memberId }));
    const { entries } = await scene.ask(bob, 'GET', `/${hub.id}/moderation-log`);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'transfer',
      'update',
      'remove_moderator',
      'remove_member',
      'add_member',
      'unban',
      'permanent_ban',
      'temp_ban',
      'warning',
      'add_moderator',
    ]);
    expect(entries[8]).toMatchObject({ reason: 'Once', username: cyd.username, userId: cyd.memberId });
    expect(entries[8]).toMatchObject({ moderatorId: bob.memberId, moderatorUsername: bob.username });
    expect(entries[7].expiresAt).toBe(new Date(Date.parse(entries[7].createdAt) + DAY).toISOString());
    const about = await scene.ask(bob, 'GET', `/${hub.id}/moderation-log?userId=${cyd.username}&limit=3`);
    expect([about.entries.length, about.hasMore]).toEqual([3, true]);
    const warnings = await scene.ask(bob, 'GET', `/${hub.id}/moderation-log?action=warning`);
    expect(warnings.entries).toEqual([entries[8]]);
    for (const who of [cyd, dan])
      expect(said(await scene.call(who, 'GET', `/${hub.id}/moderation-log`))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ada, 'GET', `/${hub.id}/moderation-log`))).toBe('200 success');
  });

  it('check 16: has moderators by the word of the owner alone', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    const add = async (who: HouseMember, userId: string) => said(await act(who, 'moderators', { userId }));
    const remove = async (who: HouseMember, userId: string) => said(await act(who, 'moderators', { userId }, 'DELETE'));
    expect(await add(bob, cyd.memberId)).toBe('403 FORBIDDEN');
    expect(await add(cyd, cyd.memberId)).toBe('403 FORBIDDEN');
    expect(await add(ada, dan.memberId)).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(await add(ada, 'nobody-here')).toBe('404 MEMBER_NOT_FOUND');
    expect(await add(ada, bob.memberId)).toBe('400 ALREADY_MODERATOR');
    expect(await add(ada, ada.memberId)).toBe('400 ALREADY_MODERATOR');
    expect(await remove(bob, bob.memberId)).toBe('403 FORBIDDEN');
    expect(await remove(ada, ada.memberId)).toBe('403 HUB_OWNER_STAYS');
    expect(await remove(ada, cyd.memberId)).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(await remove(ada, bob.username)).toBe('200 success');
    expect((await scene.ask(bob, 'GET', `/${hub.id}`)).isMember).toBe(true);
    expect(said(await act(bob, 'warn', { userId: cyd.memberId, reason: 'x' }))).toBe('403 FORBIDDEN');
    // A moderator cannot ban another one, and the owner can.
    await act(ada, 'moderators', { userId: bob.memberId });
    await act(ada, 'moderators', { userId: cyd.memberId });
    expect(said(await act(bob, 'ban', { userId: cyd.memberId }))).toBe('403 FORBIDDEN');
    expect(said(await act(ada, 'ban', { userId: cyd.memberId }))).toBe('200 success');
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.moderatorIds).toEqual([ada.memberId, bob.memberId]);
  });

  it('tells nobody who blocked them or is suspended, but for who was in the hub', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    const gone = scene.people[4]!;
    const below = await scene.hub(ada, [], { parentHubId: hub.id });
    const post = await scene.house.api('POST', '/api/social/posts', {
      token: cyd.token,
      body: { content: 'Mine', hubIds: [hub.id] },
    });
    expect(post.status).toBe(201);
    await scene.ask(cyd, 'POST', `/${hub.id}/leave`);
    const { token } = await scene.house.administrator();
    for (const who of [bob, cyd, dan])
      await scene.house.api('POST', `/api/social/users/${ada.memberId}/block`, { token: who.token, body: {} });
    await scene.house.api('POST', `/api/admin/members/${gone.memberId}/suspend`, { token });
    const reason = 'x';
    const operations = [
      ['POST', 'ban', (userId: string) => ({ userId })],
      ['POST', 'temp-ban', (userId: string) => ({ userId, durationDays: 1, reason })],
      ['POST', 'unban', (userId: string) => ({ userId })],
      ['POST', 'warn', (userId: string) => ({ userId, reason })],
      ['POST', 'moderators', (userId: string) => ({ userId })],
      ['DELETE', 'moderators', (userId: string) => ({ userId })],
      ['POST', 'members', (userId: string) => ({ userIds: [userId] })],
      ['DELETE', 'members', (userId: string) => ({ userIds: [userId] })],
      ['POST', 'transfer', (newOwnerId: string) => ({ newOwnerId })],
    ] as const;
    for (const [method, path, body] of operations) {
      const ask = async (name: string) => {
        const { status, body: answer } = await act(ada, path, body(name), method);
        return [status, answer];
      };
      const unknown = await ask('nobody-here');
      expect([path, ...unknown]).toMatchObject([path, 404, { error: { reason: 'MEMBER_NOT_FOUND' } }]);
      for (const name of [dan.memberId, dan.username, gone.memberId, gone.username])
        expect([path, name, ...(await ask(name))]).toEqual([path, name, ...unknown]);
    }
    for (const { memberId } of [dan, gone])
      expect(said(await scene.call(ada, 'GET', `/${hub.id}/moderation-log?userId=${memberId}`))).toBe(
        '404 MEMBER_NOT_FOUND',
      );
    // Nobody escapes the rules of a hub by a block: the one is in it, and the other has posts there.
    expect(said(await scene.call(ada, 'POST', `/${below.id}/ban`, { userId: bob.memberId }))).toBe(
      '404 MEMBER_NOT_FOUND',
    );
    for (const { memberId } of [bob, cyd]) {
      expect(said(await act(ada, 'ban', { userId: memberId }))).toBe('200 success');
      expect(said(await act(ada, 'unban', { userId: memberId }))).toBe('200 success');
    }
  });

  it('adds and removes members for the owner, all or none', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    const eve = scene.people[4]!;
    const add = async (who: HouseMember, ...userIds: string[]) => await act(who, 'members', { userIds });
    const remove = async (who: HouseMember, ...userIds: string[]) => await act(who, 'members', { userIds }, 'DELETE');
    expect(said(await add(bob, dan.memberId))).toBe('403 FORBIDDEN');
    expect(said(await add(ada))).toBe('400 VALIDATION_ERROR');
    expect(said(await add(ada, dan.memberId, 'nobody-here'))).toBe('404 MEMBER_NOT_FOUND');
    expect((await add(ada, cyd.memberId, dan.username, dan.memberId)).body.data).toEqual({ added: [dan.memberId] });
    expect((await scene.ask(dan, 'GET', `/${hub.id}`)).hub.memberCount).toBe(4);
    expect(said(await remove(bob, dan.memberId))).toBe('403 FORBIDDEN');
    expect(said(await remove(ada, dan.memberId, eve.memberId))).toBe('404 HUB_MEMBER_NOT_FOUND');
    expect(said(await remove(ada, ada.memberId))).toBe('403 HUB_OWNER_STAYS');
    expect((await scene.ask(dan, 'GET', `/${hub.id}`)).isMember).toBe(true);
    expect((await remove(ada, dan.memberId)).body.data).toEqual({ removed: [dan.memberId] });
    expect(said(await act(dan, 'join', {}))).toBe('200 success');
    // Nobody is drawn in by somebody whom they blocked, who learns nothing of that.
    await scene.house.api('POST', `/api/social/users/${ada.memberId}/block`, { token: eve.token, body: {} });
    expect(said(await add(ada, eve.memberId))).toBe('404 MEMBER_NOT_FOUND');
    await act(ada, 'ban', { userId: dan.memberId });
    expect(said(await add(ada, dan.memberId))).toBe('400 ALREADY_BANNED');
    const administrator = await scene.house.administrator();
    await scene.house.api('POST', `/api/admin/members/${dan.memberId}/suspend`, { token: administrator.token });
    await act(ada, 'unban', { userId: dan.memberId });
    expect(said(await add(ada, dan.memberId))).toBe('404 MEMBER_NOT_FOUND');
  });

  it('lists members in pages, without those who are hidden from the reader', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub, act } = setting;
    await act(ada, 'members', { userIds: [dan.memberId] });
    await scene.house.api('POST', `/api/social/users/${dan.memberId}/block`, { token: cyd.token, body: {} });
    const names = async (who: HouseMember, query = '') =>
      (await scene.ask(who, 'GET', `/${hub.id}/members-list${query}`)).items.map(
        ({ username, role }: { username: string; role: string }) => `${username} ${role}`,
      );
    const all = [`${ada.username} owner`, `${bob.username} moderator`];
    expect((await names(ada)).toSorted()).toEqual(
      [...all, `${cyd.username} member`, `${dan.username} member`].toSorted(),
    );
    expect((await names(cyd)).toSorted()).toEqual([...all, `${cyd.username} member`].toSorted());
    expect((await names(dan)).toSorted()).toEqual([...all, `${dan.username} member`].toSorted());
    const first = await scene.ask(ada, 'GET', `/${hub.id}/members-list?limit=3`);
    expect([first.items.length, first.hasMore]).toEqual([3, true]);
    const second = await scene.ask(ada, 'GET', `/${hub.id}/members-list?limit=3&cursor=${first.cursor}`);
    expect([second.items.length, second.hasMore]).toEqual([1, false]);
    expect(first.items[0]).toMatchObject({ _id: ada.memberId, displayName: expect.any(String), isVerified: false });
    expect(said(await scene.call(bob, 'GET', `/${hub.id}/members-list?cursor=${first.cursor}`))).toBe(
      '400 INVALID_CURSOR',
    );
  });
});
