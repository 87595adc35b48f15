// Acknowledged durable writes per second through `transaction`, for one writer and for many at once, on the embedded engine.
//
//   npx tsx scripts/bench/store-group-commit.ts [--seconds 3] [--folder <on the disk in question>]
//
// Ends with 1 when 64 writers don't reach 6 times one writer with the write of POST /api/user/settings, its SQL built before: what is
// shared is the commit, and building SQL costs the same in either case. The ratio grows with what a flush of the disk takes.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import type { Database, Db } from '../../src/store/database.ts';
import { nodeDisk } from '../../src/store/sqljs/disk.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openSqljsDatabase } from '../../src/store/sqljs/sqljs-database.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' }, folder: { type: 'string' } } });
const rounds = 9;
const numbersOfWriters = [1, 8, 64];
const milliseconds = (Number(values.seconds) * 1000) / rounds;
const target = 6;

const flushes = { count: 0, ms: 0 };
const disk = {
  ...nodeDisk,
  fdatasyncSync(fd: number): void {
    const began = performance.now();
    nodeDisk.fdatasyncSync(fd);
    flushes.ms += performance.now() - began;
    flushes.count += 1;
  },
};

let next = 0;
const headline = 'settings (update, built before)';
const settingsUpdate = CompiledQuery.raw('update member_settings set timezone = ?, dark_mode = ? where member_id = ?');
/** The writes that a server makes most often. */
const bodies: Record<string, (db: Db) => Promise<unknown>> = {
  'nonce of a sign-in (insert)': (db) =>
    db
      .insertInto('used_direct_login_tokens')
      .values({ nonce: randomBytes(32).toString('hex'), expires_at: next++ })
      .execute(),
  'settings (update)': (db) =>
    db
      .updateTable('member_settings')
      .set({ timezone: `zone ${next++}`, dark_mode: next & 1 })
      .where('member_id', '=', `member ${next % 100}`)
      .execute(),
  [headline]: (db) =>
    db.executeQuery({ ...settingsUpdate, parameters: [`zone ${next++}`, next & 1, `member ${next % 100}`] }),
  'session (insert, five indexes)': (db) =>
    db
      .insertInto('sessions')
      .values({
        id: `${next++}`,
        member_id: `member ${next % 100}`,
        jti_hash: randomBytes(32).toString('hex'),
        sealed_key: new Uint8Array(80),
        created_at: next,
        last_used_at: next,
        expires_at: next,
        user_agent: 'a browser of some kind',
      })
      .execute(),
};

async function addMembers(database: Database): Promise<void> {
  await database.transaction(async (db) => {
    for (let index = 0; index < 100; index += 1) {
      const id = `member ${index}`;
      const unique = { id, username: id, username_key: id, email: id, email_key: id, public_key: id, mnemonic_tag: id };
      const times = {
        created_at: 0,
        created_by: id,
        updated_at: 0,
        role_updated_at: 0,
        role_updated_by: id,
        last_login_at: null,
      };
      await db
        .insertInto('members')
        .values({ ...unique, ...times, type: 'User', status: 'active', email_verified: 0 })
        .execute();
      const settings = {
        member_id: id,
        timezone: 'UTC',
        site_language: 'en',
        currency: 'USD',
        dark_mode: 0,
        direct_challenge: 0,
      };
      await db.insertInto('member_settings').values(settings).execute();
    }
  });
}

interface Slice {
  readonly rate: number;
  readonly perFlush: number;
  readonly flushMs: number;
}

async function writesPerSecond(
  database: Database,
  writers: number,
  body: (db: Db) => Promise<unknown>,
): Promise<Slice> {
  Object.assign(flushes, { count: 0, ms: 0 });
  const began = performance.now();
  let acknowledged = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() - began < milliseconds) {
        await database.transaction(body);
        acknowledged += 1;
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return { rate: acknowledged / seconds, perFlush: acknowledged / flushes.count, flushMs: flushes.ms / flushes.count };
}

const folder = await mkdtemp(join(values.folder ?? tmpdir(), 'conclave-bench-'));
let reached = true;
try {
  await using database = await openSqljsDatabase(folder, disk);
  await migrate(database);
  await addMembers(database);
  const rows: string[][] = [];
  for (const [name, body] of Object.entries(bodies)) {
    // The first run warms up: what it takes to compile the code is no part of a write.
    await writesPerSecond(database, 64, body);
    // In turn, as a disk that others use is now fast and now slow.
    const found = new Map(numbersOfWriters.map((writers) => [writers, [] as Slice[]]));
    for (let round = 0; round < rounds; round += 1)
      for (const writers of numbersOfWriters) found.get(writers)?.push(await writesPerSecond(database, writers, body));
    for (const [writers, slices] of found) {
      const of = (value: (slice: Slice, round: number) => number, digits: number): string =>
        median(slices.map(value)).toFixed(digits);
      const ratio = of(({ rate }, round) => rate / (found.get(1)?.[round]?.rate ?? Number.NaN), 1);
      rows.push([
        name,
        `${writers}`,
        of(({ rate }) => rate, 0),
        of(({ perFlush }) => perFlush, 1),
        of(({ flushMs }) => flushMs, 3),
        ratio,
      ]);
      if (name === headline && writers === 64) reached = Number(ratio) >= target;
    }
  }
  printTable(['write', 'writers', 'writes/s', 'writes a flush', 'ms a flush', 'against one'], rows);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${reached ? 'reached' : 'missed'}: 64 writers at least ${target} times one\n`);
process.exitCode = reached ? 0 : 1;
