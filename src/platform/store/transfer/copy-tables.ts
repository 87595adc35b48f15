import { CompiledQuery, sql } from 'kysely';
import { Problem } from '../../../base/problem.ts';
import type { Db } from '../database.ts';
import { withoutReferenceChecks } from './references.ts';
import { countOn } from './counted-columns.ts';
import type { OnProgress } from './progress.ts';
import { rowPages, type Row, type Value } from './row-pages.ts';
import { countRows, tableShapes, type Side, type TableShape } from './table-shape.ts';
import { createHash } from 'node:crypto';

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
  /** hash of the rows, which are the same on both sides; see createTableHash */
  readonly hash: string;
}

/** PostgreSQL's protocol counts the parameters of a statement in 16 bits. */
const mostParameters = 65_535;

export interface CopyOptions {
  /** removes the rows of the target first, instead of refusing a target with rows */
  readonly replace: boolean;
  readonly onProgress: OnProgress;
}

/**
 * Copies every row of every table, then reads the target back and compares counts and hashes. Both sides have the same schema. The target
 * is one transaction, so a copy that fails or is cut off leaves no trace.
 *
 * @throws Problem conflict STORE_EXISTS | conflict SCHEMAS_DIFFER | invalid COPY_UNFIT | internal COPY_DIFFERS
 */
export async function copyTables(
  source: Side,
  target: Side,
  { replace, onProgress }: CopyOptions,
): Promise<CopiedTable[]> {
  const shapes = await sharedTables(source, target);
  if (!replace)
    await refuseRows(
      target.db,
      shapes.map(({ name }) => name),
    );
  const copied = await withoutReferenceChecks(target, async () => {
    for (const { name } of shapes) await sql`delete from ${sql.table(name)}`.execute(target.db);
    const tables: CopiedTable[] = [];
    for (const shape of shapes) tables.push(await copyTable(source, target, shape, onProgress));
    return tables;
  });
  await countOn(target);
  for (const [index, shape] of shapes.entries()) await compare(target, shape, copied[index], onProgress);
  return copied;
}

/** @throws Problem conflict STORE_EXISTS when one of the tables has rows */
export async function refuseRows(db: Db, tables: readonly string[]): Promise<void> {
  for (const table of tables) if ((await countRows(db, table)) > 0) throw storeExists(`${table} has rows`);
}

export function storeExists(why: string): Problem {
  return new Problem(
    'conflict',
    'STORE_EXISTS',
    `The target has a store already (${why}). Nothing was changed. To replace it, use --force.`,
  );
}

/**
 * The tables of the store. On PostgreSQL there may be further tables, such as counters that aren't data. The embedded engine has exactly
 * the tables of the store. So if it is one of the sides, its tables are used.
 *
 * @throws Problem conflict SCHEMAS_DIFFER
 */
async function sharedTables(source: Side, target: Side): Promise<TableShape[]> {
  const [of, other] = target.engine === 'sqljs' ? [target, source] : [source, target];
  const shapes = await tableShapes(of);
  const others = new Set((await tableShapes(other)).map(describe));
  const missing = shapes.find((shape) => !others.has(describe(shape)));
  if (!missing) return shapes;
  throw new Problem(
    'conflict',
    'SCHEMAS_DIFFER',
    `The two stores do not have the same tables: ${describe(missing)} is only in one of them.`,
  );
}

function describe({ name, columns }: TableShape): string {
  return `${name} (${[...columns].sort().join(', ')})`;
}

async function copyTable(source: Side, target: Side, shape: TableShape, onProgress: OnProgress): Promise<CopiedTable> {
  const total = await countRows(source.db, shape.name);
  const hash = createTableHash(shape.columns);
  const insert = inserter(target, shape);
  for await (const page of rowPages(source.db, shape)) {
    if (target.engine === 'postgres') for (const row of page) assertFits(shape, row);
    await insert(page);
    for (const row of page) hash.add(row);
    onProgress({ what: `copying ${shape.name}`, done: hash.rows, total });
  }
  return { name: shape.name, rows: hash.rows, hash: hash.digest() };
}

async function compare(
  target: Side,
  shape: TableShape,
  expected: CopiedTable | undefined,
  onProgress: OnProgress,
): Promise<void> {
  const hash = createTableHash(shape.columns);
  for await (const page of rowPages(target.db, shape)) {
    for (const row of page) hash.add(row);
    onProgress({ what: `comparing ${shape.name}`, done: hash.rows, total: expected?.rows ?? 0 });
  }
  if (hash.rows === expected?.rows && hash.digest() === expected.hash) return;
  const found = hash.rows === expected?.rows ? 'other values' : `${hash.rows} rows instead of ${expected?.rows ?? 0}`;
  throw new Problem(
    'internal',
    'COPY_DIFFERS',
    `The copy of the table ${shape.name} has ${found}. The copy was not kept.`,
  );
}

/** One row a statement on the embedded engine, where it stays prepared; many rows a statement on PostgreSQL, where each is a round trip. */
function inserter({ db, engine }: Side, { name, columns }: TableShape): (rows: readonly Row[]) => Promise<void> {
  const into = `insert into ${quote(name)} (${columns.map(quote).join(', ')}) values `;
  const valuesOf = (row: Row) => columns.map((column) => row[column]);
  const tuple = (row: number) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`;
  if (engine === 'sqljs') {
    const statement = into + tuple(0);
    return async (rows) => {
      for (const row of rows) await db.executeQuery(CompiledQuery.raw(statement, valuesOf(row)));
    };
  }
  const atOnce = Math.floor(mostParameters / columns.length);
  return async (rows) => {
    for (let first = 0; first < rows.length; first += atOnce) {
      const chunk = rows.slice(first, first + atOnce);
      const tuples = chunk.map((_, row) => tuple(row)).join(', ');
      await db.executeQuery(CompiledQuery.raw(into + tuples, chunk.flatMap(valuesOf)));
    }
  };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function assertFits({ name, key }: TableShape, row: Row): void {
  const column = Object.keys(row).find(
    (candidate) => typeof row[candidate] === 'string' && row[candidate].includes('\0'),
  );
  if (column === undefined) return;
  const where = key.map((part) => `${part} ${String(row[part])}`).join(', ');
  throw new Problem(
    'invalid',
    'COPY_UNFIT',
    `The text in ${name}.${column} of the row with ${where} has a NUL character, which PostgreSQL cannot store. Nothing was copied.`,
  );
}

/** Computes a hash over the rows of a table. */
export interface TableHash {
  add(row: Row): void;
  readonly rows: number;
  /** returns 64 hex digits; no row can be added afterwards */
  digest(): string;
}

/**
 * SHA-256 over the rows in the order of the primary key. This order is the same on both engines, since text columns are sorted byte by
 * byte. Each value is hashed as a letter for its type, its length and its content, so different tables never give the same input.
 */
function createTableHash(columns: readonly string[]): TableHash {
  const names = [...columns].sort();
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(row) {
      for (const name of names) feed(row[name] ?? null);
      rows += 1;
    },
    get rows() {
      return rows;
    },
    digest: () => hash.digest('hex'),
  };

  function feed(value: Value): void {
    if (value === null) hash.update('n');
    else if (typeof value === 'number') hash.update(`i${value};`);
    else if (typeof value === 'string') hash.update(`t${Buffer.byteLength(value)};`).update(value);
    else hash.update(`b${value.length};`).update(value);
  }
}
