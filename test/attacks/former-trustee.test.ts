import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../src/crypto/ecies.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { shareContext } from '../../src/services/passvault/emergency/emergency-key.ts';
import { configure, given, recover, trusteesOf } from '../services/passvault/emergency-scene.ts';
import { masterPassword, openScene, said, type Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { engines } from '../support/stores.ts';

/** Two of three trustees let one of them in, and the owner shows that one the door. */
async function shownTheDoor(scene: Scene) {
  const trustees = (await trusteesOf(scene, 3)) as [HouseMember, HouseMember, HouseMember];
  const [former, helper] = trustees;
  await configure(scene, 2, trustees);
  const shares = [await given(scene, former), await given(scene, helper)];
  expect(said(await recover(scene, shares, former.token))).toBe('200 success');
  const revoked = await scene.in('POST', '/revoke-share', { memberId: former.memberId });
  await scene.login({ title: 'Written since', password: 'not for them' });
  return { trustees, former, helper, shares, revoked };
}

describe.each(engines)('a former trustee on %s', (engine) => {
  it('does not walk back in with the shares that worked once', async () => {
    await using scene = await openScene(engine);
    const { former, helper, shares, revoked, trustees } = await shownTheDoor(scene);
    expect(said(await recover(scene, shares, former.token))).toBe('404 VAULT_NOT_FOUND');
    const newMasterPassword = 'another master password';
    await scene.in('POST', '/change-master-password', { masterPassword, newMasterPassword });
    expect(said(await recover(scene, shares, former.token))).toBe('404 VAULT_NOT_FOUND');
    // Nor does somebody else with them.
    expect(said(await recover(scene, shares, helper.token))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/emergency-share`, undefined, former.token))).toBe(
      '404 VAULT_NOT_FOUND',
    );
    const { body } = await scene.call('GET', '/trusteeships', undefined, former.token);
    expect(body.data.trusteeships).toEqual([]);
    expect(revoked.emergencyAccess).toEqual({
      state: 'renewed',
      epoch: 3,
      threshold: 2,
      trustees: trustees
        .slice(1)
        .map(({ memberId }) => memberId)
        .toSorted(),
    });
  });

  it('opens nothing with a share of before, whoever brings it and under whatever name', async () => {
    await using scene = await openScene(engine);
    const { helper, shares, trustees } = await shownTheDoor(scene);
    const third = trustees[2];
    const [mine, theirs] = [await given(scene, helper), await given(scene, third)];
    const [formers, helpers] = shares as [typeof mine, typeof mine];
    for (const tried of [
      [mine, { ...formers, trusteeId: third.memberId }],
      [helpers, theirs],
      [helpers, { ...formers, trusteeId: third.memberId }],
    ])
      expect(said(await recover(scene, tried, helper.token))).toBe('400 INVALID_SHARE');
    expect(said(await recover(scene, [mine, theirs], helper.token))).toBe('200 success');
    expect(said(await recover(scene, [mine, theirs], third.token))).toBe('400 INVALID_SHARE');
  });

  it('counts for nobody once suspended, though a trustee brings their share as their own', async () => {
    await using scene = await openScene(engine);
    const trustees = (await trusteesOf(scene, 3)) as [HouseMember, HouseMember, HouseMember];
    const [asking, helper, suspended] = trustees;
    const { epoch } = await configure(scene, 2, trustees);
    const mine = await given(scene, asking);
    const { share } = await scene.in('GET', '/emergency-share', undefined, suspended.token);
    await scene.house.ctx.store.transaction(
      async (db) =>
        await db.updateTable('members').set({ status: 'suspended' }).where('id', '=', suspended.memberId).execute(),
    );
    // Trustees can take their shares out and hand them over bare; what they are encrypted for is then anybody's choice.
    const { privateKey } = deriveIdentity(await mnemonicToSeed(suspended.mnemonic));
    const contextOf = (purpose: 'share' | 'recovery', { memberId }: HouseMember) =>
      shareContext(purpose, scene.vaultId, epoch, memberId);
    const bare = eciesDecrypt(privateKey, fromHex(share.encryptedShare), contextOf('share', suspended));
    const as = (member: HouseMember) => ({
      trusteeId: member.memberId,
      encryptedShare: toHex(eciesEncrypt(fromHex(share.nodePublicKey), bare, contextOf('recovery', member))),
    });
    expect(said(await recover(scene, [mine, as(suspended)], asking.token))).toBe('400 VALIDATION_ERROR');
    expect(said(await recover(scene, [mine, as(helper)], asking.token))).toBe('400 INVALID_SHARE');
    expect(said(await recover(scene, [mine, await given(scene, helper)], asking.token))).toBe('200 success');
  });
});
