import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../src/crypto/ecies.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { shareContext } from '../../../src/services/passvault/emergency/emergency-key.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { configure, given, recover, trusteesOf } from './emergency-scene.ts';
import { masterPassword, openScene, said, shareWith } from './scene.ts';

describe.each(engines)('emergency access on %s', (engine) => {
  it('lets trustees recover together; the one who asks becomes a member', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ title: 'Bank', password: 'for an emergency' });
    const trustees = await trusteesOf(scene, 3);
    expect(await configure(scene, 2, trustees)).toEqual({
      configured: true,
      threshold: 2,
      totalShares: 3,
      trustees: trustees.map((one) => one.memberId),
      epoch: 1,
    });
    const [one, two] = trustees as [HouseMember, HouseMember];
    const shares = [await given(scene, one), await given(scene, two)];
    // What is there already doesn't help: they are trustees, not members.
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, one.token))).toBe(
      '404 VAULT_NOT_FOUND',
    );
    expect(said(await recover(scene, shares.slice(0, 1), one.token))).toBe('400 INSUFFICIENT_SHARES');
    const answer = await recover(scene, shares, one.token);
    expect(answer.body.data).toEqual({ vault: { id: scene.vaultId, name: 'Home', recovered: true } });
    expect((await scene.in('GET', `/entries/${id}`, undefined, one.token)).entry.password).toBe('for an emergency');
    const other = await scene.house.signIn(one);
    await scene.in('POST', '/open', { masterPassword: one.password }, other);
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0].sharedWith).toEqual([one.memberId]);
    const log = await scene.in('GET', '/audit-log');
    const actions = log.entries.map(
      (entry: { action: string; memberId: string }) => `${entry.action} ${entry.memberId === one.memberId}`,
    );
    expect(actions).toContain('EMERGENCY_RECOVERED true');
    expect(actions).toContain('EMERGENCY_CONFIGURED false');
    expect(actions).toContain('EMERGENCY_SHARE_READ true');
  });

  it('works with shares that trustees decrypt and encrypt themselves', async () => {
    await using scene = await openScene(engine);
    const [trustee] = (await trusteesOf(scene, 1)) as [HouseMember];
    await configure(scene, 1, [trustee]);
    const { share } = await scene.in('GET', '/emergency-share', undefined, trustee.token);
    const { privateKey } = deriveIdentity(await mnemonicToSeed(trustee.mnemonic));
    const context = (purpose: 'share' | 'recovery') =>
      shareContext(purpose, scene.vaultId, share.epoch, trustee.memberId);
    const bare = eciesDecrypt(privateKey, fromHex(share.encryptedShare), context('share'));
    const encryptedShare = toHex(eciesEncrypt(fromHex(share.nodePublicKey), bare, context('recovery')));
    expect(new TextDecoder().decode(context('recovery'))).toBe(
      `conclave/passvault/emergency-recovery/v1/${scene.vaultId}/1/${trustee.memberId}`,
    );
    const answer = await recover(scene, [{ trusteeId: trustee.memberId, encryptedShare }], trustee.token);
    expect(said(answer)).toBe('200 success');
  });

  it('lets an owner who forgot the master password set another one', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ password: 'still there' });
    const friend = await scene.house.register();
    await shareWith(scene, friend);
    const trustees = await trusteesOf(scene, 2);
    await configure(scene, 2, trustees);
    await scene.in('POST', '/lock', {});
    const shares = await Promise.all(trustees.map((one) => given(scene, one)));
    expect(said(await recover(scene, shares, scene.owner.token))).toBe('200 success');
    expect((await scene.in('GET', `/entries/${id}`)).entry.password).toBe('still there');
    // Ending a share needs what only a master password gives.
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/revoke-share`, { memberId: friend.memberId }))).toBe(
      '403 MASTER_PASSWORD_UNKNOWN',
    );
    const newMasterPassword = 'one that is remembered';
    expect(
      said(await scene.call('POST', `/vaults/${scene.vaultId}/change-master-password`, { newMasterPassword })),
    ).toBe('200 success');
    await scene.in('POST', '/revoke-share', { memberId: friend.memberId });
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/open`, { masterPassword }))).toBe(
      '401 INVALID_MASTER_PASSWORD',
    );
    await scene.in('POST', '/open', { masterPassword: newMasterPassword });
    expect((await scene.in('GET', `/entries/${id}`)).entry.password).toBe('still there');
  });

  it('makes earlier shares worthless when it is configured again', async () => {
    await using scene = await openScene(engine);
    const trustees = await trusteesOf(scene, 3);
    const [one, two, three] = trustees as [HouseMember, HouseMember, HouseMember];
    await configure(scene, 2, trustees);
    const old = [await given(scene, one), await given(scene, two)];
    expect((await configure(scene, 2, [one, two])).epoch).toBe(2);
    expect(said(await recover(scene, old, one.token))).toBe('400 INVALID_SHARE');
    expect(said(await recover(scene, [old[0], await given(scene, two)], one.token))).toBe('400 INVALID_SHARE');
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/emergency-share`, undefined, three.token))).toBe(
      '404 VAULT_NOT_FOUND',
    );
    expect(said(await recover(scene, [await given(scene, one), await given(scene, two)], one.token))).toBe(
      '200 success',
    );
  });

  it('refuses duplicates, strangers and shares that are not what they say', async () => {
    await using scene = await openScene(engine);
    const trustees = await trusteesOf(scene, 3);
    const [one, two, three] = trustees as [HouseMember, HouseMember, HouseMember];
    const stranger = await scene.house.register();
    await configure(scene, 2, trustees);
    const [a, b, c] = [await given(scene, one), await given(scene, two), await given(scene, three)];
    for (const [what, shares, code] of [
      ['no list', 'x', 'VALIDATION_ERROR'],
      ['none', [], 'INSUFFICIENT_SHARES'],
      ['one twice', [a, a], 'VALIDATION_ERROR'],
      ['one under two names', [a, { ...a, trusteeId: two.memberId }], 'INVALID_SHARE'],
      ['a stranger', [a, { ...b, trusteeId: stranger.memberId }], 'VALIDATION_ERROR'],
      [
        'swapped names',
        [
          { ...a, trusteeId: two.memberId },
          { ...b, trusteeId: one.memberId },
        ],
        'INVALID_SHARE',
      ],
      ['a damaged one', [a, { ...b, encryptedShare: `${b.encryptedShare.slice(0, -2)}00` }], 'INVALID_SHARE'],
      ['nonsense', [a, { ...b, encryptedShare: 'abcd' }], 'INVALID_SHARE'],
    ] as const) {
      const answer = await recover(scene, shares, one.token);
      expect(`${what}: ${said(answer)}`).toBe(`${what}: 400 ${code}`);
    }
    expect(said(await recover(scene, [a, b], stranger.token))).toBe('404 VAULT_NOT_FOUND');
    expect(said(await recover(scene, [a, b, c], three.token))).toBe('200 success');
  });

  it('opens, joins and records nothing with any subset that is too small or of another configuration', async () => {
    await using scene = await openScene(engine);
    const trustees = await trusteesOf(scene, 4);
    const [asking] = trustees as [HouseMember];
    await configure(scene, 2, trustees);
    const old = await Promise.all(trustees.map((one) => given(scene, one)));
    await configure(scene, 3, trustees);
    const shares = await Promise.all(trustees.map((one) => given(scene, one)));
    const state = async () => {
      const { db } = scene.house.ctx;
      return [
        await db.selectFrom('passvault_members').selectAll().execute(),
        await db.selectFrom('session_secrets').select('name').execute(),
        await db.selectFrom('passvault_audit').select('id').execute(),
      ];
    };
    const before = await state();
    const sampled = <T>(all: readonly T[]) => all.filter((_, at) => at % inStage(4, 4, 1) === 0);
    const subsets = Array.from({ length: 2 ** 4 }, (_, chosen) => shares.filter((__, at) => (chosen >> at) % 2 === 1));
    for (const few of sampled(subsets.filter(({ length }) => length < 3))) {
      expect(said(await recover(scene, few, asking.token))).toBe('400 INSUFFICIENT_SHARES');
      // As many as are needed, the others from before.
      const names = new Set(few.map(({ trusteeId }) => trusteeId));
      const filled = [...few, ...old.filter(({ trusteeId }) => !names.has(trusteeId))];
      expect(said(await recover(scene, filled, asking.token))).toBe('400 INVALID_SHARE');
    }
    expect(await state()).toEqual(before);
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, asking.token))).toBe(
      '404 VAULT_NOT_FOUND',
    );
    for (const enough of sampled(subsets.filter(({ length }) => length >= 3))) {
      const names = new Set(enough.map(({ trusteeId }) => trusteeId));
      const again = await Promise.all(
        trustees.filter(({ memberId }) => names.has(memberId)).map((one) => given(scene, one)),
      );
      expect(said(await recover(scene, again, scene.owner.token))).toBe('200 success');
      expect(said(await recover(scene, again, scene.owner.token))).toBe('400 INVALID_SHARE');
    }
  });

  it('shows trustees which vaults they are trustees of, and nobody else', async () => {
    await using scene = await openScene(engine);
    const [one, two] = (await trusteesOf(scene, 2)) as [HouseMember, HouseMember];
    const listed = async (token: string) => (await scene.call('GET', '/trusteeships', undefined, token)).body.data;
    expect(await listed(one.token)).toEqual({ trusteeships: [], hasMore: false });
    await configure(scene, 1, [one, two]);
    await configure(scene, 1, [one]);
    const { username } = await scene.house.ctx.db
      .selectFrom('members')
      .select('username')
      .where('id', '=', scene.owner.memberId)
      .executeTakeFirstOrThrow();
    const { memberId: ownerId } = scene.owner;
    expect(await listed(one.token)).toEqual({
      trusteeships: [{ vaultId: scene.vaultId, ownerId, ownerUsername: username, epoch: 2, threshold: 1 }],
      hasMore: false,
    });
    expect(await listed(two.token)).toEqual({ trusteeships: [], hasMore: false });
    expect(await listed(scene.owner.token)).toEqual({ trusteeships: [], hasMore: false });
  });

  it('refuses thresholds and trustees that make no sense', async () => {
    await using scene = await openScene(engine);
    const [one, two] = (await trusteesOf(scene, 2)) as [HouseMember, HouseMember];
    const ids = [one.memberId, two.memberId];
    for (const body of [
      { threshold: 3, trustees: ids },
      { threshold: 0, trustees: ids },
      { threshold: 1.5, trustees: ids },
      { threshold: 1, trustees: [] },
      { threshold: 1, trustees: [one.memberId, one.memberId] },
      { threshold: 1, trustees: ['0'.repeat(24)] },
      { threshold: 1, trustees: [scene.owner.memberId] },
      { trustees: ids },
    ]) {
      const answer = await scene.call('POST', `/vaults/${scene.vaultId}/emergency-access`, body);
      expect(said(answer), JSON.stringify(body)).toBe('400 VALIDATION_ERROR');
    }
    expect(said(await recover(scene, [], scene.owner.token))).toBe('400 INSUFFICIENT_SHARES');
  });

  it('gives a share of a vault to no other', async () => {
    await using scene = await openScene(engine);
    const [one, two] = (await trusteesOf(scene, 2)) as [HouseMember, HouseMember];
    await configure(scene, 1, [one, two]);
    const { db } = scene.house.ctx;
    const rows = await db.selectFrom('passvault_trustees').selectAll().execute();
    const stolen = rows.find((row) => row.trustee_id === one.memberId)!.encrypted_share;
    await scene.house.ctx.store.db
      .updateTable('passvault_trustees')
      .set({ encrypted_share: stolen })
      .where('trustee_id', '=', two.memberId)
      .execute();
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/emergency-share`, undefined, two.token))).toBe(
      '500 INTERNAL_ERROR',
    );
  });
});
