// How long opening the embedded store, and reading one row by a key through kysely, take; and what a million rows change.
//
//   npx tsx scripts/bench/store-reads.ts [--rows 1000000]
//
// Ends with 1 when a point read takes longer than 30 microseconds with a thousand rows.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const targetMicroseconds = 30;
const batch = 5_000;

const hash = (index: number): string => index.toString(16).padStart(8, '0').split('').toReversed().join('').repeat(8);

async function addMember(database: Database): Promise<void> {
  const unique = {
    id: 'm',
    username: 'm',
    username_key: 'm',
    email: 'm',
    email_key: 'm',
    public_key: 'm',
    mnemonic_tag: 'm',
  };
  const times = {
    created_at: 0,
    created_by: 'm',
    updated_at: 0,
    role_updated_at: 0,
    role_updated_by: 'm',
    last_login_at: null,
  };
  await database.db
    .insertInto('members')
    .values({ ...unique, ...times, type: 'User', status: 'active', email_verified: 0 })
    .execute();
}

async function addSessions(database: Database, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += batch) {
    await database.transaction(async (db) => {
      for (let index = start; index < Math.min(to, start + batch); index += 1) {
        const times = { created_at: index, last_used_at: index, expires_at: index };
        const keys = { jti_hash: hash(index), sealed_key: new Uint8Array(80) };
        await db
          .insertInto('sessions')
          .values({ id: `s${index}`, member_id: 'm', user_agent: 'a browser', ...times, ...keys })
          .execute();
      }
    });
  }
}

/** Microseconds for one row by a unique key, the median of several thousands each. */
async function readTime(database: Database, rows: number): Promise<number> {
  const reads = 10_000;
  const rounds: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const began = performance.now();
    for (let turn = 0; turn < reads; turn += 1) {
      const found = await database.db
        .selectFrom('sessions')
        .select(['id', 'member_id', 'expires_at', 'sealed_key'])
        .where('jti_hash', '=', hash((turn * 7919) % rows))
        .executeTakeFirst();
      if (!found) throw new Error('a row is missing');
    }
    rounds.push(((performance.now() - began) / reads) * 1000);
  }
  return median(rounds);
}

async function openTime(dataDir: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const began = performance.now();
    const database = await openDatabase({ dataDir });
    times.push(performance.now() - began);
    await database[Symbol.asyncDispose]();
  }
  return median(times);
}

const dataDir = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const table: string[][] = [];
let reached = true;
try {
  let database = await openDatabase({ dataDir, migrate: true });
  await addMember(database);
  let filled = 0;
  for (const rows of [1_000, Number(values.rows)]) {
    await addSessions(database, filled, rows);
    filled = rows;
    const read = await readTime(database, rows);
    await database[Symbol.asyncDispose]();
    const open = await openTime(dataDir);
    database = await openDatabase({ dataDir });
    table.push([`${rows}`, read.toFixed(1), open.toFixed(1), (process.memoryUsage().rss / 2 ** 20).toFixed(0)]);
    if (rows === 1_000) reached = read <= targetMicroseconds;
  }
  await database[Symbol.asyncDispose]();
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
printTable(['sessions', 'us a read', 'ms to open', 'MiB resident'], table);
process.stdout.write(`${reached ? 'reached' : 'missed'}: a read in ${targetMicroseconds} microseconds\n`);
process.exitCode = reached ? 0 : 1;
