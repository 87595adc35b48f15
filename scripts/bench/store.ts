// The embedded store: acknowledged durable writes a second through `transaction`, for many writers at once next to one writer; and how long
// opening it and reading one row by a key through kysely take, with a million rows next to a thousand.
// npx tsx scripts/bench/store.ts [--seconds 3] [--rows 1000000] [--folder <on the disk in question>] [--small]
//
// The bound of 64 writers is for the write of POST /api/user/settings, its SQL built before: what is shared is the commit, and building SQL costs
// the same in either case. The ratio grows with what a flush of the disk takes.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import type { Database, Db } from '../../src/platform/store/database.ts';
import { migrate } from '../../src/platform/store/migrations.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { nodeDisk } from '../../src/platform/store/sqljs/disk.ts';
import { openSqljsDatabase } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { inTurns, median, type Measured, ownFolder, ratioOf, report, settings, timed } from './harness.ts';

const { seconds, rows, reads, folder } = settings(
  { seconds: 3, rows: 1_000_000, reads: 10_000, folder: '' },
  { seconds: 0.2, rows: 5_000, reads: 500 },
);
const ROUNDS = 9;
const FEW_ROWS = 1_000;
/** Rows in a transaction. */
const BATCH = 5_000;

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
        .values({ ...unique, ...times, type: 'User', status: 'active', verified_email_key: null })
        .execute();
      const row = {
        member_id: id,
        timezone: 'UTC',
        site_language: 'en',
        currency: 'USD',
        dark_mode: 0,
        direct_challenge: 0,
      };
      await db.insertInto('member_settings').values(row).execute();
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
      while (performance.now() - began < (seconds * 1000) / ROUNDS) {
        await database.transaction(body);
        acknowledged += 1;
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  return { rate: acknowledged / took, perFlush: acknowledged / flushes.count, flushMs: flushes.ms / flushes.count };
}

async function writes(): Promise<Measured[]> {
  await using own = await ownFolder(folder);
  await using database = await openSqljsDatabase(own.path, disk);
  await migrate(database);
  await addMembers(database);
  const results: Measured[] = [];
  for (const [name, body] of Object.entries(bodies)) {
    const slices: Record<'one' | 'eight' | 'many', Slice[]> = { one: [], eight: [], many: [] };
    const measure = async (which: keyof typeof slices, writers: number, round: number): Promise<number> => {
      const slice = await writesPerSecond(database, writers, body);
      if (round >= 0) slices[which].push(slice);
      return slice.rate;
    };
    const rates = await inTurns(ROUNDS, {
      many: async (round) => await measure('many', 64, round),
      eight: async (round) => await measure('eight', 8, round),
      one: async (round) => await measure('one', 1, round),
    });
    for (const [which, writers] of [
      ['eight', 8],
      ['many', 64],
    ] as const) {
      const perFlush = median(slices[which].map((slice) => slice.perFlush));
      const flushMs = median(slices[which].map((slice) => slice.flushMs));
      results.push({
        what: `${name}, ${writers} writers, ${perFlush.toFixed(1)} a flush of ${flushMs.toFixed(2)} ms`,
        value: median(rates[which]),
        unit: '/s',
        nextTo: `one writer, ${median(rates.one).toFixed(0)}/s`,
        ratio: ratioOf(rates[which], rates.one),
        ratioAtLeast: name === headline && which === 'many' ? 6 : undefined,
      });
    }
  }
  return results;
}

const hash = (index: number): string => index.toString(16).padStart(8, '0').split('').toReversed().join('').repeat(8);

async function addSessions(database: Database, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += BATCH) {
    await database.transaction(async (db) => {
      for (let index = start; index < Math.min(to, start + BATCH); index += 1) {
        const times = { created_at: index, last_used_at: index, expires_at: index };
        const keys = { jti_hash: hash(index), sealed_key: new Uint8Array(80) };
        await db
          .insertInto('sessions')
          .values({ id: `s${index}`, member_id: 'member 0', user_agent: 'a browser', ...times, ...keys })
          .execute();
      }
    });
  }
}

/** Microseconds for one row by a unique key, the median of several thousands each. */
async function readMicroseconds(database: Database, count: number): Promise<number> {
  const read = async (): Promise<void> => {
    for (let turn = 0; turn < reads; turn += 1) {
      const found = await database.db
        .selectFrom('sessions')
        .select(['id', 'member_id', 'expires_at', 'sealed_key'])
        .where('jti_hash', '=', hash((turn * 7919) % count))
        .executeTakeFirst();
      if (!found) throw new Error('a row is missing');
    }
  };
  return (median((await inTurns(7, { read }, { warmUps: 0 })).read) / reads) * 1000;
}

async function openMs(dataDir: string): Promise<number> {
  const open = async (): Promise<number> => {
    let database: Database | undefined;
    const took = await timed(async () => (database = await openDatabase({ dataDir })));
    await database?.[Symbol.asyncDispose]();
    return took;
  };
  return median((await inTurns(7, { open }, { warmUps: 0 })).open);
}

/** With a thousand rows, and then with all. */
async function largeTable(): Promise<Measured[]> {
  await using own = await ownFolder(folder);
  const dataDir = join(own.path, 'data');
  const found: { read: number; open: number }[] = [];
  for (const [from, to] of [
    [0, FEW_ROWS],
    [FEW_ROWS, rows],
  ] as const) {
    let read: number;
    {
      await using database = await openDatabase({ dataDir, migrate: true });
      if (from === 0) await addMembers(database);
      await addSessions(database, from, to);
      read = await readMicroseconds(database, to);
    }
    found.push({ read, open: await openMs(dataDir) });
  }
  const [few = { read: Number.NaN, open: Number.NaN }, many = few] = found;
  const row = (what: string, unit: string, value: number, before: number): Measured => {
    const nextTo = `with ${FEW_ROWS}, ${before.toFixed(1)} ${unit}`;
    return { what: `${what}, ${rows} rows`, value, unit, nextTo, ratio: value / before };
  };
  return [
    { what: `a row by its key, ${FEW_ROWS} rows`, value: few.read, unit: 'µs', atMost: 30 },
    row('a row by its key', 'µs', many.read, few.read),
    row('opening the store', 'ms', many.open, few.open),
  ];
}

report('The embedded store', [...(await writes()), ...(await largeTable())]);
