import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { BlockStore } from './blocks/blocks.ts';
import { blockColumns, isReferred, referredBlocks } from './blocks/references.ts';
import type { Database, Db } from './database.ts';
import { latestVersion, schemaVersion } from './migrations.ts';
import type { EngineStatements } from './per-engine.ts';
import { schemaFaults } from './schema.ts';
import { calm, type OnProgress } from './transfer/progress.ts';
import { rowPages } from './transfer/row-pages.ts';
import { tableShapes, type TableShape } from './transfer/table-shape.ts';

/** One checked thing and its faults. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** At most this many faults of a kind are named; the rest are counted. */
const namedFaults = 20;

/**
 * Checks the whole store while it is in use: the schema, each table with its indexes, the references, and the hash of each block. A thread
 * does the long part. The rest runs in pieces, so that other work gets its turns.
 */
export async function verifyStore(database: Database, blocks: BlockStore, progress?: OnProgress): Promise<Check[]> {
  const onProgress = calm(progress);
  const checks = [await checkSchema(database), ...(await checkDatabase(database, onProgress))];
  return [...checks, await checkBlocks(blocks, onProgress), await checkReferred(database.db, blocks)];
}

async function checkSchema(database: Database): Promise<Check> {
  const [found, latest] = [await schemaVersion(database), latestVersion()];
  if (found === latest) return verdict('schema', `version ${found}`, await schemaFaults(database, found));
  return { name: 'schema', ok: false, detail: `version ${found}, and this program needs ${latest}` };
}

/** Checks the rows, their indexes and their references. */
export async function checkDatabase(database: Database, onProgress: OnProgress): Promise<Check[]> {
  const shapes = await tableShapes(database);
  onProgress({ what: 'checking tables', done: 0, total: shapes.length });
  const { integrity, references } =
    database.engine === 'postgres'
      ? await checkPostgres(database.db, shapes, onProgress)
      : await checkEmbedded(database);
  onProgress({ what: 'checking tables', done: shapes.length, total: shapes.length });
  return [
    verdict('tables', `${shapes.length} tables and their indexes`, integrity),
    verdict('references', `of ${shapes.length} tables`, references),
  ];
}

interface Findings {
  readonly integrity: readonly string[];
  readonly references: readonly string[];
}

async function checkEmbedded(database: Database): Promise<Findings> {
  const { checkFile } = await import('./sqljs/check-file.ts');
  return await database.snapshot(async (snapshot) => {
    if (snapshot.kind !== 'file') throw new Error('a snapshot of the embedded engine is a file');
    return await checkFile(snapshot.file);
  });
}

async function checkPostgres(db: Db, shapes: readonly TableShape[], onProgress: OnProgress): Promise<Findings> {
  const integrity = await invalidParts(db);
  const references: string[] = [];
  for (const [done, shape] of shapes.entries()) {
    onProgress({ what: 'checking tables', done, total: shapes.length });
    try {
      // PostgreSQL checks a page whenever it is read, and its checksum too if the cluster has checksums.
      for await (const page of rowPages(db, shape)) void page;
      references.push(...(await dangling(db, shape)));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'STORE_DAMAGED') throw error;
      integrity.push(`${shape.name}: ${error.message}`);
    }
  }
  return { integrity, references };
}

/** Indexes and constraints that PostgreSQL marks as invalid. */
const invalid = sql<{ name: string }>`
  select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
  where t.relnamespace = current_schema()::regnamespace and not (i.indisvalid and i.indisready)
  union all
  select conname::text from pg_constraint where connamespace = current_schema()::regnamespace and not convalidated`;

async function invalidParts(db: Db): Promise<string[]> {
  const { rows } = await invalid.execute(db);
  return rows.map(({ name }) => `${name} is not valid: reindex it, or validate it`);
}

interface Reference {
  parent: string;
  columns: string[];
  parent_columns: string[];
}

const referencesOf = (table: string) => sql<Reference>`
  select confrelid::regclass::text as parent,
    array(select a.attname::text from unnest(conkey) with ordinality k(n, i) join pg_attribute a on a.attrelid = conrelid and a.attnum = n order by i) as columns,
    array(select a.attname::text from unnest(confkey) with ordinality k(n, i) join pg_attribute a on a.attrelid = confrelid and a.attnum = n order by i) as parent_columns
  from pg_constraint where contype = 'f' and conrelid = to_regclass(${table})`;

function danglingOf(table: string, { parent, columns, parent_columns: parentColumns }: Reference) {
  const equal = columns.map(
    (column, index) => sql`${sql.ref(`c.${column}`)} = ${sql.ref(`p.${parentColumns[index] ?? ''}`)}`,
  );
  const set = columns.map((column) => sql`${sql.ref(`c.${column}`)} is not null`);
  return sql<{ dangling: number }>`
    select count(*) as dangling from ${sql.table(table)} c
    where ${sql.join(set, sql` and `)} and not exists (select 1 from ${sql.raw(parent)} p where ${sql.join(equal, sql` and `)})`;
}

export const engineStatements: EngineStatements = {
  sqljs: () => [],
  postgres: () => [
    invalid,
    referencesOf('sessions'),
    danglingOf('sessions', { parent: 'members', columns: ['member_id'], parent_columns: ['id'] }),
  ],
};

async function dangling(db: Db, { name }: TableShape): Promise<string[]> {
  const { rows: references } = await referencesOf(name).execute(db);
  const faults: string[] = [];
  for (const reference of references) {
    const { rows } = await danglingOf(name, reference).execute(db);
    const count = rows[0]?.dangling ?? 0;
    if (count > 0) faults.push(`${count} rows of ${name} refer to missing rows of ${reference.parent}`);
  }
  return faults;
}

async function checkBlocks(blocks: BlockStore, onProgress: OnProgress): Promise<Check> {
  const total = (await blocks.stat()).blocks;
  const faults: string[] = [];
  let checked = 0;
  for await (const { id } of blocks.list()) {
    // A block that was deleted meanwhile is not a fault.
    if (!(await blocks.verify(id)) && (await blocks.head(id))) faults.push(`${id} is damaged`);
    checked += 1;
    onProgress({ what: 'checking blocks', done: checked, total });
  }
  return verdict('blocks', `${checked} blocks`, faults);
}

const PAGE = 1000;

/** Whether every block that a row refers to is there. */
async function checkReferred(db: Db, blocks: BlockStore): Promise<Check> {
  const faults: string[] = [];
  let looked = 0;
  for (const one of blockColumns) {
    let after = '';
    for (;;) {
      const ids = await referredBlocks(db, one, after, PAGE);
      for (const id of ids) {
        // What was removed with its rows meanwhile is not a fault.
        if (!(await blocks.head(id)) && (await isReferred(db, id))) faults.push(`${id} is missing`);
      }
      looked += ids.length;
      after = ids.at(-1) ?? after;
      if (ids.length < PAGE) break;
    }
  }
  return verdict('referred blocks', `${looked} blocks that rows refer to`, faults);
}

function verdict(name: string, looked: string, faults: readonly string[]): Check {
  if (faults.length === 0) return { name, ok: true, detail: looked };
  const named = faults.slice(0, namedFaults).join('; ');
  const more = faults.length > namedFaults ? `; and ${faults.length - namedFaults} more` : '';
  return { name, ok: false, detail: `${named}${more}` };
}
