import { describe, expect, it } from 'vitest';
import { wrapForEmergency } from '../../src/services/passvault/emergency/emergency-key.ts';
import { sealHeader } from '../../src/services/passvault/vaults/header.ts';
import { configure, given, recover, trusteesOf } from '../services/passvault/emergency-scene.ts';
import { openScene, said, type Scene } from '../services/passvault/scene.ts';
import { allRows } from '../services/passvault/store-contents.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { engines } from '../support/stores.ts';

/** The row of the vault as it is: whoever can write the database can put others in its place. */
async function vaultRow({ house, vaultId }: Scene, id = vaultId) {
  return await house.ctx.db.selectFrom('passvault_vaults').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function putHeader({ house, vaultId }: Scene, header: Uint8Array): Promise<void> {
  const { db } = house.ctx.store;
  const { numUpdatedRows } = await db
    .updateTable('passvault_vaults')
    .set({ header })
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows).toBe(1n);
}

async function stateOf({ house }: Scene): Promise<unknown> {
  return [...(await allRows(house.ctx))].filter(([name]) => /^(?:passvault_|ledger_|session_secrets)/.test(name));
}

/** Two trustees with shares that are right. */
async function openPrepared(scene: Scene) {
  const trustees = (await trusteesOf(scene, 2)) as [HouseMember, HouseMember];
  await configure(scene, 2, trustees);
  const shares = [await given(scene, trustees[0]), await given(scene, trustees[1])];
  return { asking: trustees[0], shares };
}

describe.each(engines)('emergency recovery on %s', (engine) => {
  it('refuses a vault whose header was exchanged, though all shares are right', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const before = await vaultRow(scene);
    await scene.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
    await scene.in('POST', '/revoke-share', { memberId: friend.memberId });
    const made = await scene.call('POST', '/vaults', { name: 'Other', masterPassword: 'another master password' });
    const other = await vaultRow(scene, made.body.data.vault.id as string);
    const { asking, shares } = await openPrepared(scene);
    const right = await vaultRow(scene);
    expect(right.key_version).toBe(before.key_version + 1);
    const { ctx } = scene.house;
    const about = { vaultId: scene.vaultId, ownerId: scene.owner.memberId, createdAt: 0 };
    for (const [what, header] of [
      ['of another vault', other.header],
      ['of the key before', before.header],
      ['of a key of their own', sealHeader(ctx, ctx.random(32), right.key_version, about)],
      ['with a bit changed', right.header.map((byte, at) => (at === 40 ? byte ^ 1 : byte))],
      ['cut off', right.header.subarray(0, 20)],
      ['emptied', new Uint8Array()],
    ] as const) {
      await putHeader(scene, header);
      const state = await stateOf(scene);
      for (const { token } of [asking, scene.owner])
        expect([what, said(await recover(scene, shares, token))]).toEqual([what, '400 INVALID_SHARE']);
      expect(await stateOf(scene), what).toEqual(state);
      expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, asking.token))).toBe(
        '404 VAULT_NOT_FOUND',
      );
    }
    // It was the header alone.
    await putHeader(scene, right.header);
    expect(said(await recover(scene, shares, asking.token))).toBe('200 success');
  });

  it('gives nobody a data key that somebody else made and wrapped for the trustees', async () => {
    await using scene = await openScene(engine);
    const { asking, shares } = await openPrepared(scene);
    const { ctx } = scene.house;
    const row = await ctx.db.selectFrom('passvault_emergency').selectAll().executeTakeFirstOrThrow();
    const put = async (wrapped_key: Uint8Array) =>
      void (await ctx.store.db.updateTable('passvault_emergency').set({ wrapped_key }).execute());
    // The public key stands in the store. What is then written under the key that they made, they could read.
    await put(wrapForEmergency(ctx, scene.vaultId, row.epoch, row.public_key, ctx.random(32)));
    const state = await stateOf(scene);
    expect(said(await recover(scene, shares, asking.token))).toBe('400 INVALID_SHARE');
    expect(await stateOf(scene)).toEqual(state);
    await put(row.wrapped_key);
    expect(said(await recover(scene, shares, asking.token))).toBe('200 success');
  });
});
