import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { runPassvaultScenario } from './passvault-scenario.ts';
import { bothEngines } from '../../support/stores.ts';

describe.each(bothEngines)('the life of a password vault on %s', (engine) => {
  it('uses every operation with success', async () => {
    await using house = await openHouse(engine);
    const [owner, recipient, trustee] = [await house.register(), await house.register(), await house.register()];
    await runPassvaultScenario(house.fetch, 'http://house.test', { owner, recipient, trustee }, false);
    const rows = await house.ctx.db.selectFrom('passvault_audit').select('action').orderBy('ledger_entry').execute();
    expect(rows.map((row) => row.action)).toEqual([
      'VAULT_CREATED',
      'VAULT_RENAMED',
      'VAULT_OPENED',
      'ENTRY_CREATED',
      'ENTRY_READ',
      'ENTRY_UPDATED',
      'ENTRY_READ',
      'ATTACHMENT_ADDED',
      'ATTACHMENT_READ',
      'ATTACHMENT_REMOVED',
      'VAULT_CHECKED',
      'ENTRY_CREATED',
      'VAULT_EXPORTED',
      'VAULT_EXPORTED',
      'VAULT_SHARED',
      'VAULT_OPENED',
      'VAULT_SHARE_REVOKED',
      'EMERGENCY_CONFIGURED',
      'EMERGENCY_SHARE_READ',
      'EMERGENCY_RENEWED',
      'EMERGENCY_RECOVERED',
      'MASTER_PASSWORD_CHANGED',
      'ENTRY_DELETED',
      'VAULT_DELETED',
    ]);
    expect(await house.ctx.db.selectFrom('session_secrets').selectAll().execute()).toEqual([]);
  });
});
