import { describe, expect, it } from 'vitest';
import { openOwnKeys } from '../../../src/client/room-keys.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { endSessions } from '../../../src/platform/store/backup/restore-backup.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { openHubs, said, type HubScene } from './hub-scene.ts';

type Six = [HouseMember, HouseMember, HouseMember, HouseMember, HouseMember, HouseMember];

const encrypted = { trustTier: 'encrypted' };

/** The keys that a member has of a hub, opened with the member's own key, by epoch. */
async function keysOf(scene: HubScene, who: HouseMember, id: string, since = 0): Promise<Record<number, string>> {
  const { keys } = await scene.ask(who, 'GET', `/${id}/keys?sinceEpoch=${since}`);
  const { privateKey } = deriveIdentity(await mnemonicToSeed(who.mnemonic));
  const opened = openOwnKeys(privateKey, who.memberId, { kind: 'hub', id }, keys);
  return Object.fromEntries([...opened].map(([epoch, key]) => [epoch, toHex(key)]));
}

async function reasonsOf({ house }: HubScene, hubId: string): Promise<string[]> {
  const rows = await house.ctx.db
    .selectFrom('room_key_epochs')
    .select('reason')
    .where('room_id', '=', hubId)
    .orderBy('epoch')
    .execute();
  return rows.map((row) => row.reason);
}

const rotationsOf = ({ house }: HubScene, hubId: string) =>
  house.happened.flatMap((one) => {
    if (one.kind !== 'event' || one.topic !== `hub:${hubId}`) return [];
    const { type, data } = JSON.parse(one.text);
    return type === 'hub:key_rotated' ? [data] : [];
  });

describe.each(engines)('keys of encrypted hubs on %s', (engine) => {
  it('are new after the store was restored, before anything else is sealed', async () => {
    await using scene = await openHubs(engine, 2);
    const [ada, bob] = scene.people as unknown as [HouseMember, HouseMember];
    const { id } = await scene.hub(ada, [bob], encrypted);
    await endSessions(scene.house.ctx.store);
    const [first, second] = [await scene.house.signIn(ada), await scene.house.signIn(bob)];
    const body = { content: 'After', hubIds: [id] };
    expect(await scene.house.api('POST', '/api/social/posts', { token: first, body })).toMatchObject({ status: 201 });
    expect(await reasonsOf(scene, id)).toEqual(['created', 'member_added', 'restored']);
    expect(rotationsOf(scene, id).at(-1)).toEqual({ hubId: id, epoch: 3, reason: 'restored' });
    const keys = await keysOf(scene, { ...bob, token: second }, id);
    expect(Object.keys(keys)).toEqual(['2', '3']);
  });

  it('check 15: change with the members, and each member opens those of their time', async () => {
    await using scene = await openHubs(engine, 6);
    const [ada, bob, cyd, dan, eve, fay] = scene.people as Six;
    const open = await scene.hub(ada, [bob]);
    const { id } = await scene.hub(ada, [bob], encrypted);
    await scene.ask(ada, 'POST', `/${id}/members`, { userIds: [cyd.memberId, dan.memberId, bob.memberId] });
    await scene.ask(ada, 'POST', `/${id}/members`, { userIds: [cyd.memberId] });
    await scene.ask(ada, 'DELETE', `/${id}/members`, { userIds: [dan.memberId] });
    await scene.ask(ada, 'POST', `/${id}/temp-ban`, { userId: bob.memberId, durationDays: 1, reason: 'Noise' });
    await scene.ask(ada, 'POST', `/${id}/ban`, { userId: bob.memberId });
    await scene.ask(ada, 'POST', `/${id}/ban`, { userId: fay.memberId });
    await scene.ask(ada, 'POST', `/${id}/unban`, { userId: bob.memberId });
    await scene.ask(cyd, 'POST', `/${id}/leave`);
    await scene.ask(bob, 'POST', `/${id}/join`);
    const reasons = ['created', 'member_added', 'member_added', 'member_removed', 'member_banned', 'member_left'];
    expect(await reasonsOf(scene, id)).toEqual([...reasons, 'member_added']);
    expect(await reasonsOf(scene, open.id)).toEqual([]);
    expect(rotationsOf(scene, id)).toEqual(
      [...reasons, 'member_added'].map((reason, at) => ({ hubId: id, epoch: at + 1, reason })),
    );

    const all = await keysOf(scene, ada, id);
    expect(Object.keys(all)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(new Set(Object.values(all)).size).toBe(7);
    // Who comes back has what is new, and nothing of the time before.
    expect(await keysOf(scene, bob, id)).toEqual({ 7: all[7] });
    expect(await keysOf(scene, ada, id, 5)).toEqual({ 6: all[6], 7: all[7] });
    const first = await scene.ask(ada, 'GET', `/${id}/keys?limit=2`);
    expect(first).toMatchObject({ hubId: id, epoch: 7, hasMore: true, keys: [{ epoch: 1 }, { epoch: 2 }] });

    const refused = async (who: HouseMember, hub: string) => said(await scene.call(who, 'GET', `/${hub}/keys`));
    expect(await refused(cyd, id)).toBe('403 FORBIDDEN');
    expect(await refused(eve, id)).toBe('403 FORBIDDEN');
    expect(await refused(fay, id)).toBe('403 BANNED_FROM_HUB');
    expect(await refused(eve, open.id)).toBe('403 FORBIDDEN');
    expect(await refused(bob, open.id)).toBe('404 HUB_NOT_ENCRYPTED');
    expect(await refused(ada, 'ab'.repeat(16))).toBe('404 HUB_NOT_FOUND');
    expect(said(await scene.call(ada, 'GET', `/${id}/keys?userId=${bob.memberId}`))).toBe('403 FORBIDDEN');
  });

  it('change in the hubs below with a ban above, and with whoever leaves the social network', async () => {
    await using scene = await openHubs(engine, 6);
    const [ada, bob, cyd, dan] = scene.people as Six;
    const { id } = await scene.hub(ada, [bob, cyd], encrypted);
    await scene.ask(ada, 'POST', `/${id}/moderators`, { userId: bob.memberId });
    const below = await scene.hub(bob, [cyd, dan], { ...encrypted, parentHubId: id });
    const other = await scene.hub(ada, [cyd], { parentHubId: id });
    await scene.ask(ada, 'POST', `/${id}/ban`, { userId: bob.memberId });
    expect(await reasonsOf(scene, id)).toEqual(['created', 'member_added', 'member_added', 'member_banned']);
    // The owner above takes over what the banned member owned.
    expect(await reasonsOf(scene, below.id)).toEqual(['created', 'member_added', 'member_added', 'member_banned']);
    expect(Object.keys(await keysOf(scene, ada, below.id))).toEqual(['4']);
    expect(await reasonsOf(scene, other.id)).toEqual([]);

    const leave = async (who: HouseMember, password: string) =>
      said(
        await scene.house.api('DELETE', `/api/social/users/${who.memberId}`, { token: who.token, body: { password } }),
      );
    expect(await leave(ada, ada.password)).toBe('409 OWNS_HUBS');
    expect(await leave(cyd, 'a wrong password')).toMatch(/^401/);
    expect((await reasonsOf(scene, id)).length).toBe(4);
    expect(await leave(cyd, cyd.password)).toMatch(/^20/);
    for (const hub of [id, below.id]) expect((await reasonsOf(scene, hub)).slice(4)).toEqual(['account_removed']);
    expect(await scene.ask(ada, 'GET', `/${id}`)).toMatchObject({ hub: { memberCount: 1 } });
  });

  it('are made anew when others change meanwhile, and change with the members or not at all', async () => {
    await using scene = await openHubs(engine, 6);
    const { house } = scene;
    const [ada, bob, cyd, dan, eve] = scene.people as Six;
    const { id } = await scene.hub(ada, [bob], encrypted);
    const happened = house.meanwhile(async () => await scene.ask(cyd, 'POST', `/${id}/join`));
    await scene.ask(ada, 'POST', `/${id}/ban`, { userId: bob.memberId });
    expect(happened()).toBe(true);
    expect((await reasonsOf(scene, id)).slice(2)).toEqual(['member_added', 'member_banned']);
    expect(Object.keys(await keysOf(scene, cyd, id))).toEqual(['3', '4']);
    // The hub is deleted between the making of a key and its use.
    const other = await scene.hub(ada, [], encrypted);
    house.meanwhile(async () => await scene.ask(ada, 'DELETE', `/${other.id}`));
    expect(said(await scene.call(dan, 'POST', `/${other.id}/join`))).toBe('404 HUB_NOT_FOUND');
    const spoiled = house.spoil();
    expect(said(await scene.call(eve, 'POST', `/${id}/join`))).toMatch(/^500/);
    expect(spoiled()).toBe(true);
    expect(await reasonsOf(scene, id)).toHaveLength(4);
    expect(said(await scene.call(eve, 'GET', `/${id}/keys`))).toBe('403 FORBIDDEN');
    await scene.ask(eve, 'POST', `/${id}/join`);
    expect(Object.keys(await keysOf(scene, eve, id))).toEqual(['5']);
  });

  it('are destroyed with the hub', async () => {
    await using scene = await openHubs(engine, 2);
    const [ada, bob] = scene.people as Six;
    const { id } = await scene.hub(ada, [bob], encrypted);
    const below = await scene.hub(ada, [bob], { ...encrypted, parentHubId: id });
    await scene.ask(ada, 'DELETE', `/${id}`);
    const left = await Promise.all(
      (['room_key_heads', 'room_key_epochs', 'room_key_members', 'room_key_wraps'] as const).map(
        async (table) => await scene.house.ctx.db.selectFrom(table).select('room_id').execute(),
      ),
    );
    expect(left).toEqual([[], [], [], []]);
    for (const hub of [id, below.id])
      expect(said(await scene.call(ada, 'GET', `/${hub}/keys`))).toBe('404 HUB_NOT_FOUND');
  });
});

describe.each(bothEngines)('keys of hubs that change at once on %s', (engine) => {
  it('check 14: get one epoch for each of many changes at once', { tags: 'thorough' }, async () => {
    await using scene = await openHubs(engine, 13);
    const [ada, ...others] = scene.people as Six;
    const [leaving, coming] = [others.slice(0, 6), others.slice(6)];
    const { id } = await scene.hub(ada, leaving, encrypted);
    const before = (await reasonsOf(scene, id)).length;
    const answers = await Promise.all([
      ...leaving.slice(0, 4).map(async (who) => await scene.call(who, 'POST', `/${id}/leave`)),
      scene.call(ada, 'POST', `/${id}/ban`, { userId: leaving[4]!.memberId }),
      scene.call(ada, 'DELETE', `/${id}/members`, { userIds: [leaving[5]!.memberId] }),
      ...coming.map(async (who) => await scene.call(who, 'POST', `/${id}/join`)),
    ]);
    expect(answers.filter(({ status }) => status !== 200).map(said)).toEqual([]);
    expect(await reasonsOf(scene, id)).toHaveLength(before + answers.length);
    const newest = before + answers.length;
    const key = (await keysOf(scene, ada, id))[newest];
    for (const who of coming) expect((await keysOf(scene, who, id))[newest]).toBe(key);
    const members = await scene.house.ctx.db
      .selectFrom('room_key_members')
      .select('member_id')
      .where('room_id', '=', id)
      .execute();
    const wanted = [ada, ...coming].map(({ memberId }) => memberId).toSorted();
    expect(members.map((row) => row.member_id).toSorted()).toEqual(wanted);
  });
});
