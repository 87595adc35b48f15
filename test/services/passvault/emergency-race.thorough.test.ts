import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import type { Context } from '../../../src/service/context.ts';
import { emergencyRecover } from '../../../src/services/passvault/emergency/emergency-recovery.ts';
import { denyEmergencyRecovery } from '../../../src/services/passvault/emergency/emergency-denial.ts';
import { revokeShare } from '../../../src/services/passvault/sharing/sharing.ts';
import { Problem } from '../../../src/base/problem.ts';
import type { Database, EngineName } from '../../../src/platform/store/database.ts';
import { configure, given, recover, trusteesOf, waiting, type Given } from './emergency-scene.ts';
import { openScene, said, shareWith, type Scene } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';

/** The context as a service sees it whose transaction only begins when something else has happened. */
function after(ctx: Context, happening: () => Promise<unknown>): Context {
  let left = 1;
  const transaction: Database['transaction'] = async (body) => {
    left -= 1;
    if (left === 0) await happening();
    return await ctx.store.transaction(body);
  };
  return { ...ctx, store: { ...ctx.store, transaction } };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'success';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const actorOf = async ({ house }: Scene, { token }: HouseMember) =>
  await authenticate(house.ctx, token, { address: 'test', userAgent: 'test' }, { local: false });

async function openPrepared(engine: EngineName, wait = 0) {
  const scene = await openScene(engine, waiting(wait));
  const trustees = (await trusteesOf(scene, 3)) as [HouseMember, HouseMember, HouseMember];
  await shareWith(scene, trustees[0]);
  await configure(scene, 2, trustees);
  const shares: Given[] = [await given(scene, trustees[0]), await given(scene, trustees[1])];
  const recovering = async (happening: () => Promise<unknown>) =>
    await codeOf(
      emergencyRecover(after(scene.house.ctx, happening), await actorOf(scene, trustees[0]), {
        vaultId: scene.vaultId,
        shares,
      }),
    );
  const recoveries = async () =>
    (await scene.house.ctx.db.selectFrom('passvault_audit').select('action').execute()).filter(
      ({ action }) => action === 'EMERGENCY_RECOVERED',
    ).length;
  return {
    scene,
    trustees,
    shares,
    recovering,
    recoveries,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

describe.each(engines)('what comes between the preparation and the transaction of a recovery on %s', (engine) => {
  it('counts: the one who asks loses the vault, and their trusteeship', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees, recovering, recoveries } = setting;
    expect(await recovering(() => scene.in('POST', '/revoke-share', { memberId: trustees[0].memberId }))).toBe(
      'VAULT_NOT_FOUND',
    );
    expect(await recoveries()).toBe(0);
  });

  it('counts: the trustees change, or somebody else recovers with the same shares', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees, recovering, recoveries, shares } = setting;
    expect(await recovering(() => configure(scene, 2, trustees))).toBe('INVALID_SHARE');
    expect(await recoveries()).toBe(0);
    shares.splice(0, 2, await given(scene, trustees[0]), await given(scene, trustees[1]));
    expect(await recovering(() => recover(scene, shares, trustees[1].token))).toBe('INVALID_SHARE');
    expect(await recoveries()).toBe(1);
  });

  it('counts: a trustee whose share was brought is suspended', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees, recovering, recoveries } = setting;
    const suspend = () =>
      scene.house.ctx.store.transaction(
        async (db) =>
          await db.updateTable('members').set({ status: 'suspended' }).where('id', '=', trustees[1].memberId).execute(),
      );
    expect(await recovering(suspend)).toBe('VALIDATION_ERROR');
    expect(await recoveries()).toBe(0);
  });

  it('counts: the session of the one who asks ends', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees, recovering, recoveries } = setting;
    const [{ memberId }] = trustees;
    const end = () => scene.house.ctx.db.deleteFrom('sessions').where('member_id', '=', memberId).execute();
    expect(await recovering(end)).toBe('UNAUTHORIZED');
    expect(await recoveries()).toBe(0);
  });

  it('counts: the trustees change before a request is put down to wait', async () => {
    await using setting = await openPrepared(engine, 1_000);
    const { scene, trustees, recovering } = setting;
    expect(await recovering(() => configure(scene, 2, trustees))).toBe('INVALID_SHARE');
    const asked = await scene.house.ctx.db.selectFrom('passvault_audit').select('action').execute();
    expect(asked.map(({ action }) => action)).not.toContain('EMERGENCY_REQUESTED');
  });

  it('counts: the owner denies what was waiting', async () => {
    await using setting = await openPrepared(engine, 1_000);
    const { scene, trustees, recovering, recoveries, shares } = setting;
    expect((await recover(scene, shares, trustees[0].token)).body.data.vault.recovered).toBe(false);
    scene.house.clock.advance(1_000);
    await scene.in('POST', '/lock', {});
    const owner = await actorOf(scene, scene.owner);
    expect(await recovering(() => denyEmergencyRecovery(scene.house.ctx, owner, { vaultId: scene.vaultId }))).toBe(
      'success',
    );
    expect(await recoveries()).toBe(0);
  });

  it('counts for the owner as well: trustees that change during a revocation get shares of the new key', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees } = setting;
    const [former, ...others] = trustees;
    const owner = await actorOf(scene, scene.owner);
    // Where its transaction comes too late, it starts over.
    const revoking = revokeShare(
      after(scene.house.ctx, () => configure(scene, 1, trustees)),
      owner,
      { vaultId: scene.vaultId, memberId: former.memberId },
    );
    expect(await revoking).toMatchObject({ emergencyAccess: { epoch: 3, threshold: 1 } });
    await scene.login({ title: 'Since' });
    for (const trustee of others)
      expect(said(await recover(scene, [await given(scene, trustee)], trustee.token))).toBe('200 success');
  });
});

describe.each(bothEngines)('a recovery that several ask for on %s', (engine) => {
  it('happens once, however many ask at once', async () => {
    await using setting = await openPrepared(engine);
    const { scene, trustees, shares, recoveries } = setting;
    const answers = await Promise.all([...trustees, ...trustees].map((one) => recover(scene, shares, one.token)));
    const codes = answers.map(said).toSorted();
    expect(codes).toEqual(['200 success', ...Array.from({ length: 5 }, () => '400 INVALID_SHARE')]);
    expect(await recoveries()).toBe(1);
  });
});
