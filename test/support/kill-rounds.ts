import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { sql } from 'kysely';
import initSqlJs from 'sql.js';
import { openDatabase } from '../../src/platform/store/open.ts';
import { askPragma } from './store-tables.ts';

export interface RoundReport {
  /** transactions acknowledged before the kill */
  readonly acknowledged: number;
  readonly groups: number;
  readonly rows: number;
  /** whether the writer had the store open when it was killed */
  readonly wasOpen: boolean;
  readonly logBytes: number;
  readonly checkedBy: readonly string[];
}

/** What must be in a store, over all rounds. */
export interface Expected {
  readonly present: Set<string>;
  /** may be there or not: their deletion was under way, or their transaction was not acknowledged */
  readonly open: Set<string>;
}

const stock = await execa('sqlite3', ['-version'], { reject: false });
/** Whether the machine has SQLite's own program, which then looks at the store as well. */
export const hasStockSqlite = stock.exitCode === 0;

const countSql = 'select kind, count(*) as number from jobs group by kind';

/**
 * Starts a writer on the store, kills it at some moment, and looks at what is left, with up to three engines.
 * @param moment.killAfterMs from the beginning of the process, or from its first acknowledgement when `whenWriting`
 */
export async function killRound(
  program: string,
  dataDir: string,
  name: string,
  expected: Expected,
  moment: { readonly killAfterMs: number; readonly whenWriting: boolean },
): Promise<RoundReport> {
  const lines = await runAndKill(program, dataDir, name, moment);
  let acknowledged = 0;
  for (const line of lines) {
    if (line.startsWith('! ')) throw new Error(`the writer met ${line.slice(2)}`);
    if (line === 'ready') continue;
    const kind = line.slice(2);
    if (line.startsWith('+ ')) {
      expected.present.add(kind);
      acknowledged += 1;
    } else if (line.startsWith('- ')) {
      expected.present.delete(kind);
      expected.open.add(kind);
    }
  }
  const logBytes = await sizeOf(join(dataDir, 'store.db-wal'));
  const checkedBy = ['store'];
  const afterCrash = hasStockSqlite ? await readWithStockSqlite(dataDir) : undefined;
  const { counts, rows } = await readWithStore(dataDir);
  check(counts, expected);
  if (afterCrash) {
    same(counts, afterCrash, 'sqlite3');
    checkedBy.push('sqlite3');
  }
  same(counts, await readWithSqlJs(dataDir), 'sql.js in memory');
  checkedBy.push('sql.js');
  return { acknowledged, groups: counts.size, rows, wasOpen: lines.includes('ready'), logBytes, checkedBy };
}

async function runAndKill(
  program: string,
  dataDir: string,
  name: string,
  moment: { readonly killAfterMs: number; readonly whenWriting: boolean },
): Promise<string[]> {
  const child = spawn(process.execPath, [program, dataDir, name, '8'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const read = once(reader, 'close');
  const writing = new Promise<void>((resolve) => {
    reader.on('line', (line) => {
      lines.push(line);
      if (line.startsWith('+ ')) resolve();
    });
  });
  if (moment.whenWriting) await Promise.race([writing, ended]);
  await sleep(moment.killAfterMs);
  child.kill('SIGKILL');
  const [code] = await ended;
  await read;
  if (code !== null) throw new Error(`the writer ended by itself with ${code}`);
  return lines;
}

function check(counts: ReadonlyMap<string, number>, { present, open }: Expected): void {
  for (const [kind, number] of counts)
    if (number !== Number(kind.split('/')[1])) throw new Error(`a torn transaction: ${number} rows of ${kind}`);
  for (const kind of present) if (!counts.has(kind)) throw new Error(`an acknowledged transaction is lost: ${kind}`);
  // From now on it is known what became of the others.
  for (const kind of open) {
    if (counts.has(kind)) present.add(kind);
    open.delete(kind);
  }
  for (const kind of counts.keys()) present.add(kind);
}

function same(ours: ReadonlyMap<string, number>, theirs: ReadonlyMap<string, number>, who: string): void {
  if (ours.size !== theirs.size) throw new Error(`${who} finds ${theirs.size} transactions, and we ${ours.size}`);
  for (const [kind, number] of ours)
    if (theirs.get(kind) !== number)
      throw new Error(`${who} finds ${theirs.get(kind)} rows of ${kind}, and we ${number}`);
}

async function readWithStore(dataDir: string): Promise<{ counts: Map<string, number>; rows: number }> {
  await using database = await openDatabase({ dataDir, migrate: true, command: 'kill-rounds' });
  const findings = await askPragma(database, 'integrity_check');
  if (findings[0] !== 'ok') throw new Error(`damage: ${JSON.stringify(findings)}`);
  const { rows } = await sql<{ kind: string; number: number }>`${sql.raw(countSql)}`.execute(database.db);
  return {
    counts: new Map(rows.map(({ kind, number }) => [kind, number])),
    rows: rows.reduce((sum, { number }) => sum + number, 0),
  };
}

/** A plain sql.js, without our files: an independent look at the closed database. */
async function readWithSqlJs(dataDir: string): Promise<Map<string, number>> {
  const { Database } = await initSqlJs();
  const database = new Database(await readFile(join(dataDir, 'store.db')));
  try {
    const integrity = database.exec('pragma integrity_check')[0]?.values[0]?.[0];
    if (integrity !== 'ok') throw new Error(`sql.js finds damage: ${String(integrity)}`);
    return new Map(database.exec(countSql)[0]?.values.map(([kind, number]) => [String(kind), Number(number)]));
  } finally {
    database.close();
  }
}

/** SQLite itself recovers a copy of what the crash left. */
async function readWithStockSqlite(dataDir: string): Promise<Map<string, number> | undefined> {
  const copy = join(dataDir, 'copy');
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy);
  for (const name of ['store.db', 'store.db-wal', 'store.db-journal'])
    if ((await sizeOf(join(dataDir, name))) > 0) await copyFile(join(dataDir, name), join(copy, name));
  const file = join(copy, 'store.db');
  if ((await sizeOf(file)) === 0) return undefined;
  const { stdout: tables } = await execa('sqlite3', [
    file,
    "pragma integrity_check; select count(*) from sqlite_schema where name = 'jobs'",
  ]);
  const [integrity, found] = tables.split('\n');
  if (integrity !== 'ok') throw new Error(`sqlite3 finds damage: ${tables}`);
  if (found === '0') return undefined;
  const { stdout } = await execa('sqlite3', ['-separator', ' ', file, countSql]);
  return new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [string, string])
      .map(([kind, number]) => [kind, Number(number)]),
  );
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
