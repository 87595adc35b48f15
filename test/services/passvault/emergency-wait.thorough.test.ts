import { describe, expect, it } from 'vitest';
import { configure, given, recover, trusteesOf, waiting } from './emergency-scene.ts';
import { openScene, said, shareWith } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';

const DAY = 24 * 3_600_000;
const WEEK = 7 * DAY;

describe.each(engines)('waiting for a recovery on %s', (engine) => {
  async function openWaiting() {
    const scene = await openScene(engine, waiting(WEEK));
    const trustees = (await trusteesOf(scene, 3)) as [HouseMember, HouseMember, HouseMember];
    await configure(scene, 2, trustees);
    const shares = [await given(scene, trustees[0]), await given(scene, trustees[1])];
    const summary = async () => (await scene.call('GET', '/vaults')).body.data.vaults[0];
    const opens = async (token: string) =>
      said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`, undefined, token));
    return { scene, trustees, shares, summary, opens, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
  }

  it('gives no key until its end, and then once', async () => {
    await using setting = await openWaiting();
    const { scene, trustees, shares, summary, opens } = setting;
    const [asking] = trustees;
    const availableAt = new Date(scene.house.clock.now() + WEEK).toISOString();
    const first = await recover(scene, shares, asking.token);
    expect(first.body.data).toEqual({ vault: { id: scene.vaultId, name: 'Home', recovered: false, availableAt } });
    expect(await opens(asking.token)).toBe('404 VAULT_NOT_FOUND');
    expect(await scene.house.ctx.db.selectFrom('passvault_members').selectAll().execute()).toHaveLength(1);
    scene.house.clock.advance(WEEK - 1);
    // Asked again it is the same request.
    const signedIn = await scene.house.signIn(asking);
    expect((await recover(scene, shares, signedIn)).body.data).toEqual(first.body.data);
    const ownersToken = await scene.house.signIn(scene.owner);
    const seen = await scene.call('GET', '/vaults', undefined, ownersToken);
    expect(seen.body.data.vaults[0].notices).toMatchObject([
      { kind: 'RECOVERY_REQUESTED', memberId: asking.memberId, endsAt: availableAt },
    ]);
    scene.house.clock.advance(1);
    const late = await scene.house.signIn(asking);
    expect((await recover(scene, shares, late)).body.data.vault.recovered).toBe(true);
    expect(await opens(late)).toBe('200 success');
    expect(said(await recover(scene, shares, late))).toBe('400 INVALID_SHARE');
    const token = await scene.house.signIn(scene.owner);
    const after = (await scene.call('GET', '/vaults', undefined, token)).body.data.vaults[0];
    expect(after.notices).toMatchObject([{ kind: 'RECOVERED', memberId: asking.memberId }]);
    expect((await scene.call('DELETE', `/vaults/${scene.vaultId}/notices`, {}, token)).body.data).toEqual({
      dismissed: 1,
    });
    expect((await scene.call('GET', '/vaults', undefined, token)).body.data.vaults[0]).not.toHaveProperty('notices');
    const actions = (
      await scene.call('GET', `/vaults/${scene.vaultId}/audit-log`, undefined, token)
    ).body.data.entries.map((one: { action: string }) => one.action);
    expect(actions.filter((action: string) => action === 'EMERGENCY_REQUESTED')).toHaveLength(1);
    expect(actions.filter((action: string) => action === 'EMERGENCY_RECOVERED')).toHaveLength(1);
    expect(summary).toBeDefined();
  });

  it('tells the sockets of the owner, once a request, and when it was done', async () => {
    await using setting = await openWaiting();
    const { scene, trustees, shares } = setting;
    const [asking] = trustees;
    const availableAt = new Date(scene.house.clock.now() + WEEK).toISOString();
    const told = () =>
      scene.house.happened.map((what) => {
        const { timestamp: _, ...event } = JSON.parse(what.kind === 'event' ? what.text : '{}');
        return event;
      });
    const at = new Date(scene.house.clock.now()).toISOString();
    for (let times = 0; times < 2; times += 1) await recover(scene, shares, asking.token);
    const about = { memberId: asking.memberId, username: asking.username };
    const topic = `vaults:${scene.owner.memberId}`;
    const requested = {
      type: 'vault:notice',
      topic,
      seq: 1,
      data: { vaultId: scene.vaultId, notice: { kind: 'RECOVERY_REQUESTED', ...about, at, endsAt: availableAt } },
    };
    expect(told()).toEqual([requested]);
    scene.house.clock.advance(WEEK);
    await recover(scene, shares, await scene.house.signIn(asking));
    expect(told().slice(1)).toEqual([
      {
        type: 'vault:notice',
        topic,
        seq: 2,
        data: { vaultId: scene.vaultId, notice: { kind: 'RECOVERED', ...about, at: availableAt } },
      },
    ]);
    // Whoever was away finds both.
    const kept = await scene.house.ctx.db.selectFrom('events').select(['topic', 'seq']).orderBy('seq').execute();
    expect(kept).toEqual([
      { topic, seq: 1 },
      { topic, seq: 2 },
    ]);
  });

  it('is denied by the owner, and shares that were handed over are worthless then', async () => {
    await using setting = await openWaiting();
    const { scene, trustees, shares, summary } = setting;
    const [asking, helper] = trustees;
    const deny = async () => await scene.call('POST', `/vaults/${scene.vaultId}/emergency-deny`, {});
    expect(said(await deny())).toBe('404 RECOVERY_NOT_FOUND');
    await recover(scene, shares, asking.token);
    const shown = await scene.in('GET', '/emergency-access');
    expect(shown).toMatchObject({
      configured: true,
      epoch: 1,
      threshold: 2,
      waitSeconds: WEEK / 1_000,
      requests: [{ memberId: asking.memberId }],
      recoveries: [],
    });
    expect(shown.trustees.map(({ readAt }: { readAt?: string }) => readAt !== undefined).toSorted()).toEqual([
      false,
      true,
      true,
    ]);
    expect((await deny()).body.data).toMatchObject({
      denied: [asking.memberId],
      emergencyAccess: { state: 'renewed', epoch: 2, threshold: 2 },
    });
    expect((await summary()).notices).toBeUndefined();
    expect(said(await recover(scene, shares, asking.token))).toBe('400 INVALID_SHARE');
    scene.house.clock.advance(WEEK);
    const token = await scene.house.signIn(asking);
    expect(said(await recover(scene, shares, token))).toBe('400 INVALID_SHARE');
    expect(helper).toBeDefined();
  });

  it('is denied while the vault is closed; who asks again waits again', async () => {
    await using setting = await openWaiting();
    const { scene, trustees, shares } = setting;
    const [asking] = trustees;
    await recover(scene, shares, asking.token);
    await scene.in('POST', '/lock', {});
    expect(await scene.in('POST', '/emergency-deny', {})).toEqual({ denied: [asking.memberId] });
    scene.house.clock.advance(WEEK);
    const token = await scene.house.signIn(asking);
    const again = await recover(scene, shares, token);
    expect(again.body.data.vault).toMatchObject({
      recovered: false,
      availableAt: new Date(scene.house.clock.now() + WEEK).toISOString(),
    });
  });

  it('ends with its epoch, and with what made the one who asks a trustee', async () => {
    await using setting = await openWaiting();
    const { scene, trustees, shares, summary } = setting;
    const [asking, second, third] = trustees;
    await recover(scene, shares, asking.token);
    await configure(scene, 1, [second, third]);
    expect((await summary()).notices).toBeUndefined();
    expect(said(await recover(scene, shares, asking.token))).toBe('404 VAULT_NOT_FOUND');
    // A recipient who asks, and is shown the door.
    await shareWith(scene, asking);
    const [share] = [await given(scene, second)];
    expect((await recover(scene, [share], asking.token)).body.data.vault.recovered).toBe(false);
    expect((await summary()).notices).toHaveLength(1);
    await scene.in('POST', '/revoke-share', { memberId: asking.memberId });
    expect((await summary()).notices).toBeUndefined();
    expect(said(await recover(scene, [share], asking.token))).toBe('404 VAULT_NOT_FOUND');
  });

  it('does not keep owners waiting for themselves', async () => {
    await using setting = await openWaiting();
    const { scene, shares } = setting;
    const answer = await recover(scene, shares, scene.owner.token);
    expect(answer.body.data).toMatchObject({
      vault: { recovered: true },
      emergencyAccess: { state: 'renewed', epoch: 2, threshold: 2 },
    });
  });
});
