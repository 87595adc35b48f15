// How fast the audit trail of the quorum is verified: all of it, one new record after all the others, and with a signed vote in each. On a
// fresh embedded store, beside SHA-256 over the same bytes.
//
//   npx tsx scripts/bench/quorum-audit.ts [--entries 40000]
//
// Ends with 1 below 20,000 entries a second, or when one new record takes more than a third of the time of all.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { operatorId, type Actor } from '../../src/actor.ts';
import { loadConfig } from '../../src/config/load.ts';
import { transaction, type Context } from '../../src/context.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { openEngine } from '../../src/engine.ts';
import { silentLog } from '../../src/log.ts';
import { record } from '../../src/services/quorum/audit/record.ts';
import { verifyAudit } from '../../src/services/quorum/audit/verify.ts';
import { recordId } from '../../src/store/record-id.ts';
import { printTable } from './table.ts';

const { values } = parseArgs({ options: { entries: { type: 'string', default: '40000' } } });
const entries = Number(values.entries);
const BATCH = 500;
const ROUNDS = 5;
const bounds = { perSecond: 20_000, oneOfAll: 1 / 3 };
const operator = { memberId: operatorId, type: 'System' } as Actor;

/** A proposal as it is made and cancelled: two records about one row. */
async function propose(tx: Context): Promise<void> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const row = {
    id,
    description: 'Paint the door green, and the window too',
    action_type: 'CUSTOM',
    action_payload: '{"colour":"green"}',
    action_hash: '0'.repeat(64),
    proposer_id: '1'.repeat(24),
    status: 'pending' as const,
    reason: null,
    required_threshold: 3,
    epoch: 5,
    attachment_cbl_id: null,
    created_at: now,
    expires_at: now + 86_400_000,
    decided_at: null,
    executes_at: null,
    executed_at: null,
  };
  const subject = `proposal/${id}`;
  await tx.db.insertInto('quorum_proposals').values(row).execute();
  await record(tx, operatorId, { action: 'PROPOSAL_CREATED', subject }, [['quorum_proposals', id]]);
  await tx.db
    .updateTable('quorum_proposals')
    .set({ status: 'cancelled', decided_at: now })
    .where('id', '=', id)
    .execute();
  await record(tx, operatorId, { action: 'PROPOSAL_CANCELLED', subject }, [['quorum_proposals', id]]);
}

/** What others do on the machine only ever adds. */
function fastest(times: readonly number[]): number {
  return Math.min(...times);
}

async function timed(ctx: Context, expected: number): Promise<number> {
  const began = performance.now();
  const { verification } = await verifyAudit(ctx, operator);
  const took = performance.now() - began;
  if (!verification.valid || verification.newEntries !== expected)
    throw new Error(`expected ${expected} new entries: ${JSON.stringify(verification)}`);
  return took;
}

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
try {
  const { config, secrets } = await loadConfig({ flags: { 'data-dir': folder }, env: {}, home: folder, cwd: folder });
  await using engine = await openEngine(config, secrets, { log: silentLog, create: true });
  const ctx = engine.context;
  for (let done = 0; done < entries; done += 2 * BATCH)
    await transaction(ctx, async (tx) => {
      for (let left = BATCH; left > 0; left -= 1) await propose(tx);
    });
  const [all, again, one]: [number[], number[], number[]] = [[], [], []];
  const stalls: number[] = [];
  let known = entries;
  for (let round = 0; round < ROUNDS; round += 1) {
    await ctx.db.updateTable('quorum_verified').set({ seal: new Uint8Array() }).execute();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    all.push(await timed(ctx, known));
    delay.disable();
    stalls.push(delay.max / 1e6);
    again.push(await timed(ctx, 0));
    await transaction(ctx, propose);
    known += 2;
    one.push(await timed(ctx, 2));
  }
  const bytes = new Uint8Array(1_000);
  const began = performance.now();
  for (let left = entries; left > 0; left -= 1) sha256(bytes);
  const hashing = performance.now() - began;
  const perSecond = (known / fastest(all)) * 1_000;
  const ratio = fastest(one) / fastest(all);
  printTable(
    ['', 'ms', 'entries a second'],
    [
      ['all entries', fastest(all).toFixed(0), perSecond.toFixed(0)],
      ['two new ones', fastest(one).toFixed(0), ''],
      ['none new', fastest(again).toFixed(0), ''],
      ['SHA-256 over 1,000 bytes for each', hashing.toFixed(0), ((entries / hashing) * 1_000).toFixed(0)],
    ],
  );
  console.log(`the event loop stood still for at most ${Math.min(...stalls).toFixed(1)} ms`);
  console.log(
    `aims: ${bounds.perSecond} entries a second; two new ones within ${bounds.oneOfAll.toFixed(2)} of all: ${ratio.toFixed(2)}`,
  );
  if (perSecond < bounds.perSecond || ratio > bounds.oneOfAll) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
