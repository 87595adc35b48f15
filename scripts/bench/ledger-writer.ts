// One of the processes of ledger-processes.ts: writes records into a database of PostgreSQL, with or without entries of the ledger.
//
//   tsx ledger-writer.ts <url> <node secret, hex>
//
// Each message is a `Slice`; the answer is a `Written`.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { transaction, type Context } from '../../src/context.ts';
import { appendEntry } from '../../src/ledger/append.ts';
import { createLedgerPort } from '../../src/ledger/port.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { recordId } from '../../src/store/record-id.ts';

export interface Slice {
  readonly withEntry: boolean;
  /** as the service does that shows a secret: it asks two questions before */
  readonly asking: boolean;
  readonly writers: number;
  readonly ms: number;
  /** from the beginning of one write of a writer to the next, at least */
  readonly everyMs?: number | undefined;
}

export interface Written {
  readonly perSecond: number;
  readonly failed: number;
  /** 99 of 100 writes took at most this many milliseconds */
  readonly p99: number;
  /** from the commit of a write to the place of its entry: 19 of 20 took at most this many milliseconds */
  readonly placedMs: number;
}

const [url = '', secret = ''] = process.argv.slice(2);
const store = await openPostgresDatabase(url);
const random = (size: number) => randomBytes(size);
const ctx = {
  store,
  db: store.db,
  keys: deriveNodeKeys(Buffer.from(secret, 'hex')),
  clock: { now: Date.now },
  random,
  log: silentLog,
  ledger: createLedgerPort(silentLog),
  ledgerTypes: new Set(['PASSVAULT_AUDIT']),
  afterCommit: () => {},
} as unknown as Context;

/** As a vault records that a secret was read. */
async function write(withEntry: boolean, asking: boolean): Promise<void> {
  const now = Date.now();
  const row = { id: recordId(now, random), vault_id: recordId(0, random), member_id: 'somebody', action: 'ENTRY_READ' };
  await transaction(ctx, async (tx) => {
    if (asking) {
      await tx.db.selectFrom('session_secrets').select('sealed').where('session_id', '=', row.vault_id).execute();
      await tx.db.selectFrom('passvault_entries').select('sealed').where('id', '=', row.id).execute();
    }
    const tags = { vault: row.vault_id };
    const entry = withEntry
      ? await appendEntry(tx, { type: 'PASSVAULT_AUDIT', tags, details: { ...row, timestamp: now } })
      : row.id;
    await tx.db
      .insertInto('passvault_audit')
      .values({ ...row, metadata: null, ledger_entry: entry, created_at: now })
      .execute();
  });
}

async function run({ withEntry, asking, writers, ms, everyMs = 0 }: Slice): Promise<Written> {
  const began = performance.now();
  const took: number[] = [];
  let failed = 0;
  const placed: number[] = [];
  let watched = false;
  const watch = async () => {
    if (watched) return;
    watched = true;
    const from = performance.now();
    await ctx.ledger.settled();
    placed.push(performance.now() - from);
    watched = false;
  };
  await Promise.all(
    Array.from({ length: writers }, async () => {
      // Not all at the same moment.
      if (everyMs > 0) await sleep(Math.random() * everyMs);
      while (performance.now() - began < ms) {
        const from = performance.now();
        await write(withEntry, asking).catch(() => (failed += 1));
        took.push(performance.now() - from);
        if (withEntry) void watch();
        const left = from + everyMs - performance.now();
        if (left > 0) await sleep(left);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  await ctx.ledger.settled();
  took.sort((a, b) => a - b);
  placed.sort((a, b) => a - b);
  return {
    perSecond: (took.length - failed) / seconds,
    failed,
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
    placedMs: placed[Math.floor(placed.length * 0.95)] ?? 0,
  };
}

process.on('message', (slice: Slice) => void run(slice).then((written) => process.send?.(written)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
