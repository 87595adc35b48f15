import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/open.ts';
import { durable, startPostgres } from '../../test/support/postgres.ts';
import type { Slice, Written } from './ledger-writer.ts';
import { median, printTable } from './table.ts';

const processes = 2;
const writers = 32;
const rounds = 5;
const warmUps = 10;
const target = 0.7;
/** from the commit to the place, at half of the full rate */
const targetMs = 50;

async function next<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}

function together(written: readonly Written[]): Written {
  return {
    perSecond: written.reduce((sum, one) => sum + one.perSecond, 0),
    failed: written.reduce((sum, one) => sum + one.failed, 0),
    p99: Math.max(...written.map((one) => one.p99)),
    placedMs: Math.max(...written.map((one) => one.placedMs)),
  };
}

/**
 * Measures how many records two processes write into one database of PostgreSQL, with 32 writers at once: with an entry of the ledger for
 * each, and without. Entries get their places meanwhile, in the same processes.
 * @returns whether the target is reached
 */
export async function measureProcesses(sliceMs: number): Promise<boolean> {
  await using postgres = await startPostgres(durable);
  {
    await using database = await openDatabase({ dataDir: '.', url: postgres.url, migrate: true });
    await sql`select 1`.execute(database.db);
  }
  const secret = randomBytes(32).toString('hex');
  const program = fileURLToPath(new URL('ledger-writer.ts', import.meta.url));
  const children = Array.from({ length: processes }, () =>
    fork(program, [postgres.url, secret], { execArgv: ['--import', 'tsx'] }),
  );
  await Promise.all(children.map(next));
  const slice = async (asking: boolean, withEntry: boolean, everyMs?: number): Promise<Written> => {
    const wanted: Slice = { asking, withEntry, writers: writers / processes, ms: sliceMs, everyMs };
    for (const child of children) child.send(wanted);
    return together(await Promise.all(children.map((child) => next<Written>(child))));
  };
  const rows: string[][] = [];
  const compared = async (asking: boolean, what: string): Promise<{ ratio: number; failed: number; full: number }> => {
    const rates: { with: Written[]; without: Written[] } = { with: [], without: [] };
    // Without this, most of what is measured is V8 that compiles the way with an entry, which is the longer one. Servers run for days.
    for (let round = 0; round < warmUps; round += 1)
      for (const withEntry of [true, false]) await slice(asking, withEntry);
    for (let round = 0; round < rounds; round += 1) {
      rates.with.push(await slice(asking, true));
      rates.without.push(await slice(asking, false));
    }
    const ratio = median(rates.with.map((one, round) => one.perSecond / (rates.without[round]?.perSecond ?? 0)));
    rows.push([`${what}, with an entry`, ...numbersOf(rates.with)], [`${what}, without`, ...numbersOf(rates.without)]);
    const failed = [...rates.with, ...rates.without].reduce((sum, one) => sum + one.failed, 0);
    return { ratio, failed, full: median(rates.with.map(({ perSecond }) => perSecond)) };
  };
  const atHalfOf = async (full: number): Promise<{ failed: number; placedMs: number }> => {
    const everyMs = (2 * 1_000 * writers) / full;
    const half: Written[] = [];
    for (let round = 0; round < rounds; round += 1) half.push(await slice(true, true, everyMs));
    rows.push(['the same with an entry, at half of that rate', ...numbersOf(half)]);
    const placedMs = median(half.map((one) => one.placedMs));
    return { failed: half.reduce((sum, one) => sum + one.failed, 0), placedMs };
  };
  const shown = await compared(true, 'a secret is shown and recorded');
  const half = await atHalfOf(shown.full);
  const alone = await compared(false, 'a record alone');
  for (const child of children) child.disconnect();

  printTable(
    [`PostgreSQL, ${processes} processes, ${writers} writers`, 'per second', 'p99 ms', 'placed after ms, 95 %'],
    rows,
  );
  const failed = shown.failed + half.failed + alone.failed;
  const reached = shown.ratio >= target && failed === 0 && half.placedMs <= targetMs;
  process.stdout.write(
    `${reached ? 'reached' : 'missed'}: ${shown.ratio.toFixed(2)} times the rate without entries (at least ${target}), ${failed} failures, placed after ${half.placedMs.toFixed(0)} ms at half of the rate (at most ${targetMs}); ${alone.ratio.toFixed(2)} times for a record alone\n`,
  );
  return reached;
}

function numbersOf(written: readonly Written[]): string[] {
  return [
    median(written.map((one) => one.perSecond)).toFixed(0),
    median(written.map((one) => one.p99)).toFixed(1),
    median(written.map((one) => one.placedMs)).toFixed(0),
  ];
}
