import { describe, expect, it } from 'vitest';
import { configure, given, recover, trusteesOf, type Given } from './emergency-scene.ts';
import { masterPassword, openScene, said, shareWith } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { testRandom } from '../../support/seeded.ts';
import { engines } from '../../support/stores.ts';

const STEPS = 24;

describe.each(engines)('shares on %s', (engine) => {
  it('of an epoch that is over open nothing, in whatever order things happen', async () => {
    const drawn = testRandom();
    const random = (below: number) => Math.floor(drawn() * below);
    await using scene = await openScene(engine);
    const members = await trusteesOf(scene, 4);
    let password = masterPassword;
    let trustees: HouseMember[] = [];
    let threshold = 0;
    let present: Given[] = [];
    const past: Given[] = [];
    const recipients = new Set<HouseMember>();
    const steps: string[] = [];

    const readShares = async () => {
      past.push(...present);
      present = await Promise.all(trustees.map((one) => given(scene, one)));
    };
    const actions: Record<string, () => Promise<void>> = {
      async configure() {
        trustees = members.filter(() => random(4) > 0);
        if (trustees.length === 0) trustees = [members[0]!];
        threshold = 1 + random(trustees.length);
        await configure(scene, threshold, trustees);
        await readShares();
      },
      async share() {
        const one = members[random(members.length)]!;
        await shareWith(scene, one);
        recipients.add(one);
      },
      async revoke() {
        const [one] = recipients;
        if (one === undefined) return;
        const { emergencyAccess } = await scene.in('POST', '/revoke-share', { memberId: one.memberId });
        recipients.delete(one);
        trustees = trustees.filter((trustee) => trustee !== one);
        if (emergencyAccess?.state !== 'renewed') trustees = [];
        await readShares();
      },
      async recover() {
        if (trustees.length === 0) return;
        const asking = trustees[random(trustees.length)]!;
        expect(said(await recover(scene, present.slice(0, threshold), asking.token))).toBe('200 success');
        recipients.add(asking);
        await readShares();
      },
      async password() {
        const newMasterPassword = `master password number ${steps.length}`;
        await scene.in('POST', '/change-master-password', { masterPassword: password, newMasterPassword });
        password = newMasterPassword;
      },
    };

    for (let step = 0; step < STEPS; step += 1) {
      // Two epochs come first, so that there is one that is over.
      const name = step < 2 ? 'configure' : Object.keys(actions)[random(5)]!;
      steps.push(name);
      await actions[name]!();
      // As many as it takes, one of them of before: by whoever brings them.
      if (step === 0) continue;
      const old = past[random(past.length)]!;
      const others = present.filter(({ trusteeId }) => trusteeId !== old.trusteeId);
      const tried = [old, ...others].slice(0, Math.max(1, threshold));
      for (const who of [...members, scene.owner]) {
        const answer = await recover(scene, tried, who.token);
        expect(answer.status, steps.join(', ')).toBeGreaterThanOrEqual(400);
        expect(['INVALID_SHARE', 'VALIDATION_ERROR', 'INSUFFICIENT_SHARES', 'VAULT_NOT_FOUND']).toContain(
          answer.body.error.code,
        );
      }
    }
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries`))).toBe('200 success');
  }, 120_000);
});
