// Durable appends to the ledger a second on the embedded engine, next to bare single-row inserts of the same bytes; then proofs made from the
// store and verified. Then two nodes over one PostgreSQL, which is started for it: members read entries of password vaults, with the ledger and
// without it.
// npx tsx scripts/bench/ledger.ts [--seconds 3] [--writers 64] [--rounds 9] [--folder <on the disk in question>]
// [--engine sqljs|postgres, both otherwise] [--small]
import { randomBytes } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { verifyConsistency, verifyInclusion } from '../../src/crypto/merkle.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { createLedgerPort } from '../../src/platform/ledger/port.ts';
import { proveConsistency, proveInclusion } from '../../src/platform/ledger/proofs.ts';
import { verifyLedger } from '../../src/platform/ledger/verify-ledger.ts';
import { migrate } from '../../src/platform/store/migrations.ts';
import { openSqljsDatabase } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { inTurns, median, type Measured, ownFolder, ratioOf, report, settings } from './harness.ts';
import { measureReaders } from './ledger-readers.ts';

const { seconds, writers, rounds, warmUps, folder, engine } = settings(
  { seconds: 3, writers: 64, rounds: 9, warmUps: 10, folder: '', engine: 'both' },
  { seconds: 1, rounds: 2, warmUps: 1 },
);
const sliceMs = (seconds * 1000) / rounds;

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

async function measureEmbedded(): Promise<Measured[]> {
  await using own = await ownFolder(folder);
  await using store = await openSqljsDatabase(own.path);
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

  const rates = await inTurns(rounds, {
    append: async () => await perSecond(writers, append),
    bare: async () => await perSecond(writers, bare),
    alone: async () => await perSecond(1, append),
  });

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
  const verification = await verifyLedger(ctx, { full: true });
  if (!verification.ok) throw new Error(JSON.stringify(verification.faults));
  const verified = size / ((performance.now() - began) / 1000);

  const each = `in ${size} entries, made and verified`;
  return [
    {
      what: `appends, ${writers} writers, durable`,
      value: median(rates.append),
      unit: '/s',
      nextTo: `bare inserts of one row, ${median(rates.bare).toFixed(0)}/s`,
      ratio: ratioOf(rates.append, rates.bare),
      atLeast: 2_000,
    },
    { what: 'appends, one writer, durable', value: median(rates.alone), unit: '/s' },
    { what: `inclusion proofs ${each}`, value: inclusion, unit: '/s' },
    { what: `consistency proofs ${each}`, value: consistency, unit: '/s' },
    { what: 'entries recomputed by verify --full', value: verified, unit: '/s' },
  ];
}

if (engine !== 'postgres') report('The ledger on the embedded engine', await measureEmbedded());
if (engine !== 'sqljs') report('Recorded reads on PostgreSQL', await measureReaders({ rounds, warmUps, sliceMs }));
