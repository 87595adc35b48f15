// Durable appends to the ledger per second on the embedded engine, beside bare single-row inserts of the same bytes in the same
// run; then proofs made from the store and verified. Then two nodes over one PostgreSQL, which is started for it: members read entries of
// password vaults, with the ledger and without it.
//
//   npx tsx scripts/bench/ledger.ts [--seconds 3] [--writers 64] [--folder <on the disk in question>] [--engine sqljs|postgres]
//
// Ends with 1 below 2,000 appends a second, or when recorded reads reach less than 0.7 times the rate of the same without the ledger.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery, sql } from 'kysely';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { transaction, type Context } from '../../src/context.ts';
import { verifyConsistency, verifyInclusion } from '../../src/crypto/merkle.ts';
import { appendEntry } from '../../src/ledger/append.ts';
import { createLedgerPort } from '../../src/ledger/port.ts';
import { proveConsistency, proveInclusion } from '../../src/ledger/proofs.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openSqljsDatabase } from '../../src/store/sqljs/sqljs-database.ts';
import { measureProcesses } from './ledger-processes.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    writers: { type: 'string', default: '64' },
    folder: { type: 'string' },
    engine: { type: 'string', default: 'both' },
  },
});
const rounds = 9;
const writers = Number(values.writers);
const sliceMs = (Number(values.seconds) * 1000) / rounds;
const target = 2000;

async function perSecond(atOnce: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - began < sliceMs) {
        await work();
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - began)) * 1000;
}

async function measureEmbedded(): Promise<boolean> {
  const folder = await mkdtemp(join(values.folder ?? tmpdir(), 'conclave-bench-'));
  try {
    await using store = await openSqljsDatabase(folder);
    await migrate(store);
    await sql`create table bare (id integer primary key, body blob not null) strict`.execute(store.db);
    // What appending takes of a context.
    const ctx = {
      store,
      db: store.db,
      keys: deriveNodeKeys(randomBytes(32)),
      clock: { now: Date.now },
      random: (size: number) => randomBytes(size),
      log: { error: console.error },
      ledger: createLedgerPort({ error: console.error } as unknown as Context['log']),
      ledgerTypes: new Set(['PASSVAULT_AUDIT']),
      ledgerChecks: [],
      notificationRules: [],
      afterCommit: () => {},
    } as unknown as Context;

    let count = 0;
    const append = async () =>
      await transaction(ctx, (tx) =>
        appendEntry(tx, {
          type: 'PASSVAULT_AUDIT',
          data: { action: 'ENTRY_READ', count: count++ },
          tags: { vault: `vault ${count % 50}`, actor: `member ${count % 9}` },
          details: { address: '203.0.113.7', at: count },
        }),
      );
    const bare = async () =>
      await store.transaction((db) =>
        db.executeQuery(CompiledQuery.raw('insert into bare (body) values ($1)', [randomBytes(300)])),
      );

    const rates = { append: [] as number[], alone: [] as number[], bare: [] as number[] };
    await perSecond(writers, append);
    await perSecond(writers, bare);
    // In turn, as a disk that others use is now fast and now slow.
    for (let round = 0; round < rounds; round += 1) {
      rates.append.push(await perSecond(writers, append));
      rates.bare.push(await perSecond(writers, bare));
      rates.alone.push(await perSecond(1, append));
    }
    const ratio = median(rates.append.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN)));

    const { size } = await store.db.selectFrom('ledger_head').select('size').executeTakeFirstOrThrow();
    const leaves = await store.db.selectFrom('ledger_entries').select('leaf_hash').orderBy('leaf_index').execute();
    const inclusion = await perSecond(1, async () => {
      const index = Math.floor(Math.random() * size);
      const proof = await proveInclusion(ctx, index, size);
      const leafHash = leaves[index]?.leaf_hash ?? new Uint8Array();
      if (!verifyInclusion({ index, size, leafHash, ...proof })) throw new Error(`no proof of entry ${index}`);
    });
    const consistency = await perSecond(1, async () => {
      const from = 1 + Math.floor(Math.random() * size);
      if (!verifyConsistency({ from, to: size, ...(await proveConsistency(ctx, from, size)) }))
        throw new Error(`no proof since ${from}`);
    });
    const began = performance.now();
    const report = await verifyLedger(ctx, { full: true });
    if (!report.ok) throw new Error(JSON.stringify(report.faults));
    const verified = size / ((performance.now() - began) / 1000);

    const appends = median(rates.append);
    printTable(
      ['what', 'per second'],
      [
        [`appends, ${writers} writers, durable`, appends.toFixed(0)],
        ['appends, one writer, durable', median(rates.alone).toFixed(0)],
        [`bare inserts of one row, ${writers} writers, durable`, median(rates.bare).toFixed(0)],
        [`inclusion proofs in ${size} entries, made and verified`, inclusion.toFixed(0)],
        [`consistency proofs to ${size} entries, made and verified`, consistency.toFixed(0)],
        ['entries recomputed by verify --full', verified.toFixed(0)],
      ],
    );
    process.stdout.write(`an append takes ${(1 / ratio).toFixed(1)} times a bare insert\n`);
    const reached = appends >= target;
    process.stdout.write(`${reached ? 'reached' : 'missed'}: ${target} appends a second\n`);
    return reached;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const reached = [
  ...(values.engine === 'postgres' ? [] : [await measureEmbedded()]),
  ...(values.engine === 'sqljs' ? [] : [await measureProcesses(sliceMs)]),
];
process.exitCode = reached.includes(false) ? 1 : 0;
