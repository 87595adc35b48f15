import { randomBytes } from 'node:crypto';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { createLedgerPort } from '../../src/platform/ledger/port.ts';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/platform/store/open.ts';

// A process that records entries in the ledger until it is killed, and says which were acknowledged.
//
//   node entry-writer.mjs <data directory> <name> <node secret, hex> [url of PostgreSQL]
//
// Every transaction adds a job, whose id is the `write` of its entry. Lines: `+ <write>` after its commit.

const [dataDir = '', name = '', secret = '', url] = process.argv.slice(2);
await using store = await openDatabase({ dataDir, url, migrate: true, command: `entry-writer ${name}` });
const ctx = {
  store,
  db: store.db,
  keys: deriveNodeKeys(Buffer.from(secret, 'hex')),
  clock: { now: Date.now },
  random: (size: number) => randomBytes(size),
  log: silentLog,
  ledger: createLedgerPort(silentLog),
  ledgerTypes: new Set(['POOL_ACL']),
  afterCommit: () => undefined,
} as unknown as Context;

let next = 0;

async function write(): Promise<void> {
  const id = `${name}-${next++}`;
  await transaction(ctx, async (tx) => {
    const job = { id, kind: 'written', payload: '', run_at: 0, attempts: 0, deaths: 0, created_at: 0 };
    await tx.db
      .insertInto('jobs')
      .values({ ...job, claimed_until: null, last_error: null })
      .execute();
    await appendEntry(tx, { type: 'POOL_ACL', data: { write: id }, details: { write: id } });
  });
  process.stdout.write(`+ ${id}\n`);
}

await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) await write();
  }),
);
