import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('the profile on %s', (engine) => {
  it('shows the energy account and the public data', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    await house.ctx.db.updateTable('energy_accounts').set({ balance: 900, reserved: 250, spent: 100 }).execute();
    const answer = await house.perform(accounts.profile, {}, alice.token);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      memberId: alice.memberId,
      username: alice.username,
      email: alice.email,
      energyBalance: 900,
      availableBalance: 650,
      earned: 0,
      spent: 100,
      reserved: 250,
      reputation: 0.5,
      createdAt: '2026-01-15T12:00:00.000Z',
      lastUpdated: '2026-01-15T12:00:00.000Z',
      profile: {
        status: 'active',
        storageQuota: '10737418240',
        storageUsed: '0',
        lastActive: '2026-01-15T12:00:00.000Z',
        dateCreated: '2026-01-15T12:00:00.000Z',
        settings: { autoReplication: true, minRedundancy: 3, preferredRegions: [] },
      },
    });
  });

  it('merges changes of the member-store settings', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.clock.advance(1000);
    const change = async (settings: object) =>
      (await house.api('PUT', '/api/user/profile', { token: alice.token, body: { settings } })).body.data;
    expect((await change({ minRedundancy: 5 })).profile.settings).toEqual({
      autoReplication: true,
      minRedundancy: 5,
      preferredRegions: [],
    });
    const changed = await change({ autoReplication: false, preferredRegions: ['eu-west', 'Zürich'] });
    expect(changed.profile.settings).toEqual({
      autoReplication: false,
      minRedundancy: 5,
      preferredRegions: ['eu-west', 'Zürich'],
    });
    expect(changed.lastUpdated).toBe('2026-01-15T12:00:01.000Z');
    expect(await change({})).toEqual(changed);
    expect((await house.perform(accounts.profile, {}, alice.token)).body.data).toEqual(changed);
  });

  it('refuses what makes no sense', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    for (const settings of [
      undefined,
      null,
      [],
      'all',
      { minRedundancy: 0 },
      { minRedundancy: 1.5 },
      { minRedundancy: '3' },
      { autoReplication: 'on' },
      { preferredRegions: 'eu' },
      { preferredRegions: [1] },
      { preferredRegions: Array(33).fill('eu') },
    ]) {
      const answer = await house.api('PUT', '/api/user/profile', { token: alice.token, body: { settings } });
      expect([settings, answer.status, answer.body.error]).toEqual([settings, 400, 'VALIDATION_ERROR']);
    }
  });
});
