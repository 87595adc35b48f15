import { describe, expect, it } from 'vitest';
import { up as emergencyEpochs } from '../../../src/platform/store/migrations/0009-emergency-epochs.ts';
import { columnTypes } from '../../../src/platform/store/migrations/column-types.ts';
import { configure, given, recover, trusteesOf } from './emergency-scene.ts';
import { openScene, said } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';

describe.each(bothEngines)('a store of before shares had epochs of their own, on %s', (engine) => {
  it('loses emergency access whose shares were used, and keeps the others', async () => {
    await using scene = await openScene(engine);
    const trustees = (await trusteesOf(scene, 2)) as [HouseMember, HouseMember];
    const other = await scene.call('POST', '/vaults', { name: 'Untouched', masterPassword: 'another master password' });
    const untouched = other.body.data.vault.id as string;
    const ids = trustees.map(({ memberId }) => memberId);
    await scene.call('POST', `/vaults/${untouched}/emergency-access`, { threshold: 1, trustees: ids });
    await configure(scene, 1, trustees);
    const used = [await given(scene, trustees[0])];
    expect(said(await recover(scene, used, trustees[0].token))).toBe('200 success');
    await scene.house.ctx.store.exclusively(async (db) => {
      await db.schema.dropTable('passvault_notices').execute();
      for (const column of ['share_hash', 'read_at'])
        await db.schema.alterTable('passvault_trustees').dropColumn(column).execute();
      await db.schema.alterTable('passvault_vaults').dropColumn('emergency_epoch').execute();
      await emergencyEpochs(db, columnTypes[engine]);
    });
    const notices = async () => {
      const { vaults } = (await scene.call('GET', '/vaults')).body.data;
      return Object.fromEntries(
        vaults.map((vault: { id: string; notices?: { kind: string }[] }) => [
          vault.id,
          vault.notices?.map(({ kind }) => kind) ?? [],
        ]),
      );
    };
    expect(await notices()).toEqual({ [scene.vaultId]: ['EMERGENCY_ENDED'], [untouched]: [] });
    expect(await scene.in('GET', '/emergency-access')).toMatchObject({ configured: false, epoch: 2, trustees: [] });
    const kept = await scene.call('GET', `/vaults/${untouched}/emergency-share`, undefined, trustees[1].token);
    const { recoveryShare: encryptedShare } = kept.body.data.share;
    const shares = [{ trusteeId: ids[1], encryptedShare }];
    const answer = await scene.call('POST', `/vaults/${untouched}/emergency-recover`, { shares }, trustees[1].token);
    expect(said(answer)).toBe('200 success');
    expect(await configure(scene, 1, trustees)).toMatchObject({ epoch: 3 });
    expect(await notices()).toEqual({ [scene.vaultId]: [], [untouched]: ['RECOVERED'] });
  });
});
