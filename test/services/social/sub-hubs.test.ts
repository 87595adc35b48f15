import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openHubs, openModerated, said } from './hub-scene.ts';

describe.each(engines)('hubs below others on %s', (engine) => {
  it('are one level deep, and made by who moderates the one above', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, dan, hub } = setting;
    const make = async (who: HouseMember, parentHubId: string) =>
      await scene.call(who, 'POST', '', { name: 'Below', parentHubId });
    for (const who of [cyd, dan]) expect(said(await make(who, hub.id))).toBe('403 FORBIDDEN');
    expect(said(await make(ada, 'ab'.repeat(16)))).toBe('400 HUB_PARENT_INVALID');
    const below = (await make(bob, hub.id)).body.data;
    expect(below).toMatchObject({ parentHubId: hub.id, ownerId: bob.memberId, memberCount: 1 });
    const { _id: belowId } = below;
    expect(said(await make(bob, belowId))).toBe('400 HUB_PARENT_INVALID');
    expect((await scene.ask(dan, 'GET', `/${hub.id}`)).subHubs).toEqual([below]);
    expect((await scene.ask(dan, 'GET', `/${hub.id}/sub-hubs`)).hubs).toEqual([below]);
    expect((await scene.ask(dan, 'GET', `/${belowId}`)).subHubs).toEqual([]);
  });

  it('check 28: keep out who is banned from the one above, and go to its owner', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, cyd, hub, act } = setting;
    const below = await scene.hub(bob, [cyd], { parentHubId: hub.id });
    await act(ada, 'ban', { userId: cyd.memberId });
    expect((await scene.ask(cyd, 'GET', `/${below.id}`)).isMember).toBe(false);
    expect(said(await scene.call(cyd, 'POST', `/${below.id}/join`))).toBe('403 BANNED_FROM_HUB');
    expect(said(await scene.call(cyd, 'GET', `/${below.id}/members-list`))).toBe('403 BANNED_FROM_HUB');
    expect((await scene.ask(cyd, 'GET', '/explore')).hubs).toEqual([]);
    expect((await scene.ask(cyd, 'GET', `/${below.id}/standing`)).ban).toMatchObject({ hubId: hub.id });
    expect(said(await scene.call(bob, 'POST', `/${below.id}/unban`, { userId: cyd.memberId }))).toBe(
      '404 HUB_BAN_NOT_FOUND',
    );
    await act(ada, 'ban', { userId: bob.memberId });
    const { hub: now } = await scene.ask(ada, 'GET', `/${below.id}`);
    expect([now.ownerId, now.memberCount, now.moderatorIds]).toEqual([ada.memberId, 1, [ada.memberId]]);
    expect(said(await scene.call(bob, 'DELETE', `/${below.id}`))).toBe('403 FORBIDDEN');
    await act(ada, 'unban', { userId: bob.memberId });
    expect(said(await scene.call(bob, 'POST', `/${below.id}/join`))).toBe('200 success');
    expect((await scene.ask(ada, 'GET', `/${below.id}`)).hub.ownerId).toBe(ada.memberId);
  });

  it('go with the one above', async () => {
    await using setting = await openModerated(engine);
    const { scene, ada, bob, hub } = setting;
    const below = await scene.hub(bob, [], { parentHubId: hub.id });
    await scene.ask(ada, 'DELETE', `/${hub.id}`);
    expect(said(await scene.call(bob, 'GET', `/${below.id}`))).toBe('404 HUB_NOT_FOUND');
    expect(await scene.ask(bob, 'GET', '')).toEqual([]);
  });
});

describe.each(engines)('the tiers of hubs on %s', (engine) => {
  it('say who may post, and who sees the members', async () => {
    await using scene = await openHubs(engine, 3);
    const [ada, bob, cyd] = scene.people as [HouseMember, HouseMember, HouseMember];
    const open = await scene.hub(ada, [bob]);
    const verified = await scene.hub(ada, [bob], { trustTier: 'verified' });
    const encrypted = await scene.hub(ada, [bob], { trustTier: 'encrypted' });
    const mayPost = async (who: HouseMember) => {
      const found: boolean[] = [];
      for (const { id } of [open, verified, encrypted])
        found.push((await scene.ask(who, 'GET', `/${id}/standing`)).mayPost);
      return found;
    };
    expect([await mayPost(bob), await mayPost(cyd)]).toEqual([
      [true, false, true],
      [false, false, false],
    ]);
    const administrator = await scene.house.administrator();
    const answer = await scene.house.api('PUT', `/api/social/users/${bob.memberId}/verified`, {
      token: administrator.token,
      body: { isVerified: true },
    });
    expect(answer.status).toBe(200);
    expect(await mayPost(bob)).toEqual([true, true, true]);
    const list = async (who: HouseMember, { id }: { id: string }) =>
      said(await scene.call(who, 'GET', `/${id}/members-list`));
    expect([await list(cyd, open), await list(cyd, encrypted), await list(bob, encrypted)]).toEqual([
      '200 success',
      '403 FORBIDDEN',
      '200 success',
    ]);
  });
});
