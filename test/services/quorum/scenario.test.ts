import { describe, expect, it } from 'vitest';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { livedIn, verified } from './auditing.ts';
import { runQuorumScenario } from './quorum-scenario.ts';
import { openQuorum } from './scene.ts';

describe.each(bothEngines)('the life of a quorum on %s', (engine) => {
  it('uses every documented operation with success', async () => {
    await using house = await openHouse(engine);
    const accounts = [await house.register(), await house.register(), await house.register()];
    await runQuorumScenario(house.fetch, 'http://house.test', { administrator: await house.administrator(), accounts });
    const rows = await house.ctx.db.selectFrom('quorum_audit').select('action').orderBy('ledger_entry').execute();
    expect(rows.map((row) => row.action)).toEqual([
      'MEMBER_ADDED',
      'MEMBER_ADDED',
      'MEMBER_ADDED',
      'DOCUMENT_SEALED',
      'DOCUMENT_UNSEALED',
      'DOCUMENT_DELETED',
      'PROPOSAL_CREATED',
      'MEMBER_REMOVED',
    ]);
  });

  it('leaves rows in every table, each as the audit trail says', async () => {
    await using scene = await openQuorum(engine, 5);
    await livedIn(scene);
    const { entriesVerified, ...verification } = await verified(scene);
    expect(verification).toMatchObject({ valid: true, faults: [], newEntries: entriesVerified });
    expect(entriesVerified).toBeGreaterThan(25);
  });
});
