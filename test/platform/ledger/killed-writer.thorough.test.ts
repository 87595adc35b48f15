import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { createLedgerPort } from '../../../src/platform/ledger/port.ts';
import { integrateWaiting } from '../../../src/platform/ledger/sequencer.ts';
import { verifyLedger } from '../../../src/platform/ledger/verify-ledger.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { bundle, type Bundle } from '../../support/bundle.ts';
import { collectLog } from '../../support/collected-log.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { someMoment } from '../../support/real-time.ts';

const rounds = inStage(3, 3, 6);

/** Starts writers, kills all of them at some moment after the first acknowledgment, and answers what was acknowledged. */
async function killed(program: string, runs: readonly (readonly string[])[], afterMs: number): Promise<string[]> {
  const acknowledged: string[] = [];
  const children = runs.map((run) => {
    const child = spawn(process.execPath, [program, ...run], { stdio: ['ignore', 'pipe', 'inherit'] });
    const reader = createInterface({ input: child.stdout });
    const writing = new Promise<void>((resolve) => {
      reader.on('line', (line) => {
        acknowledged.push(line.slice(2));
        resolve();
      });
    });
    return { child, writing, read: once(reader, 'close'), ended: once(child, 'exit') };
  });
  await Promise.all(children.map(async ({ writing, ended }) => await Promise.race([writing, ended])));
  await someMoment(afterMs);
  for (const { child } of children) child.kill('SIGKILL');
  for (const { read, ended } of children) {
    expect(await ended).toEqual([null, 'SIGKILL']);
    await read;
  }
  return acknowledged;
}

describe.each(bothEngines)('writers of entries that are killed, on %s', { tags: 'thorough' }, (engine) => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/support/entry-writer.ts');
  });
  afterAll(async () => await program[Symbol.asyncDispose]());

  it(`leave each entry once, together with what it is about, ${rounds} times`, async () => {
    await using folder = await temporaryFolder();
    await using shared = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    if (engine === 'sqljs') await putMigratedStore(folder.path);
    const secret = randomBytes(32);
    const random = testRandom();
    const acknowledged = new Set<string>();
    let waited = 0;
    for (let round = 0; round < rounds; round += 1) {
      // The embedded store has one process at a time.
      const names = engine === 'postgres' ? [`a${round}`, `b${round}`] : [`a${round}`];
      const url = shared === undefined ? [] : [shared.url];
      const runs = names.map((name) => [folder.path, name, secret.toString('hex')].concat(url));
      for (const id of await killed(program.path, runs, random() * 150)) acknowledged.add(id);

      await using store = await openDatabase({ dataDir: folder.path, url: shared?.url, migrate: true });
      const log = collectLog();
      const parts = {
        store,
        db: store.db,
        keys: deriveNodeKeys(secret),
        log,
        ledger: createLedgerPort(log),
        ledgerChecks: [],
        notificationRules: [],
      };
      const ctx = parts as unknown as Context;
      const left = await store.db.selectFrom('ledger_waiting').select('id').execute();
      waited += left.length;
      if (engine === 'sqljs') expect(left).toEqual([]);
      await integrateWaiting(ctx);
      const bodies = await store.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
      const recorded = bodies.slice(1).map(({ body }) => {
        return (JSON.parse(Buffer.from(body).toString()) as { data: { write: string } }).data.write;
      });
      const jobs = await store.db.selectFrom('jobs').select('id').execute();
      expect(recorded.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
      expect([...acknowledged].filter((id) => !recorded.includes(id))).toEqual([]);
      expect(await verifyLedger(ctx, { full: true })).toMatchObject({ ok: true, size: jobs.length + 1 });
      expect(log.lines).toEqual([]);
    }
    expect(acknowledged.size).toBeGreaterThan(rounds);
    // Otherwise no process died at the moment that this is about.
    if (engine === 'postgres') expect(waited).toBeGreaterThan(0);
  });
});
