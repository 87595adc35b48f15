import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database, EngineName } from './database.ts';
import { applyMigrations, bookkeepingTables, migrations, migrationTable } from './migrations.ts';
import { columnTypes } from './migrations/column-types.ts';
import { perEngine } from './per-engine.ts';
import type { Side } from './transfer/table-shape.ts';

/** The definition of every part of a database, by its kind and name. */
type Schema = ReadonlyMap<string, string>;

interface Part {
  readonly kind: string;
  readonly name: string;
  readonly definition: string | null;
}

/** Our tables that no migration makes. Indexes, triggers and constraints on them are compared all the same. */
const besides = bookkeepingTables.filter((name) => name !== migrationTable);

const embedded = sql<Part>`
  select type as kind, case type when 'trigger' then name || ' on ' || tbl_name else name end as name, sql as definition
  from sqlite_schema where name not like 'sqlite\\_stat_' escape '\\'`;

/** Objects of PostgreSQL extensions are ignored. */
const ownRelations = sql`
  select c.* from pg_class c
  where c.relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    and c.relname <> all (${besides})`;

const server = sql<Part>`
  with own as (${ownRelations})
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end as kind,
    c.relname::text as name, case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) else c.relrowsecurity::text end as definition
  from own c where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'column', c.relname || '.' || a.attname,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
      'default ' || pg_get_expr(d.adbin, d.adrelid), a.attidentity::text, a.attgenerated::text,
      (select collname::text from pg_collation l where l.oid = a.attcollation))
  from own c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind in ('r', 'p')
  union all
  select 'index', c.relname::text, pg_get_indexdef(c.oid) from own c join pg_index i on i.indexrelid = c.oid
  where not exists (select 1 from pg_class t where t.oid = i.indrelid and t.relname = any (${besides}))
  union all
  select 'constraint', k.conname || ' on ' || c.relname, pg_get_constraintdef(k.oid)
  from own c join pg_constraint k on k.conrelid = c.oid where k.contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select 'trigger', t.tgname || ' on ' || c.relname, pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
  union all
  select 'rule', r.rulename || ' on ' || c.relname, pg_get_ruledef(r.oid)
  from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where c.relnamespace = current_schema()::regnamespace and r.rulename <> '_RETURN'
  union all
  select 'policy', p.polname || ' on ' || c.relname, pg_get_expr(p.polqual, p.polrelid)
  from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace = current_schema()::regnamespace`;

/** PostgreSQL writes the schema before a name if that schema is not the first of the search path. */
const schemaPrefix = /\b(?:pg_temp_\d+|"?[\w-]+"?)\.(?=[\w"]+ (?:USING|\())|\bpg_temp_\d+\./g;

async function describe({ db }: Pick<Side, 'db'>): Promise<Schema> {
  const { rows } = await perEngine({ sqljs: embedded, postgres: server }).execute(db);
  const spelled = (text: string | null): string => (text ?? '').replace(schemaPrefix, '').replace(/\s+/g, ' ').trim();
  return new Map(rows.map(({ kind, name, definition }) => [`${kind} ${name}`, spelled(definition)]));
}

/** The schema that the migrations create in an empty database. */
async function expectedSchema(database: Database, version: number): Promise<Schema> {
  const list = migrations.filter((migration) => migration.version <= version);
  if (database.engine === 'postgres') return await expectedOfServer(database, list);
  const folder = await mkdtemp(join(tmpdir(), 'conclave-schema-'));
  try {
    const { openSqljsDatabase } = await import('./sqljs/sqljs-database.ts');
    await using empty = await openSqljsDatabase(folder);
    await empty.exclusively(async (db) => await applyMigrations(db, columnTypes.sqljs, () => 0, list));
    return await describe(empty);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Undo extends Error {}

/** Runs the migrations in temporary tables, which end with the transaction. This needs no rights beyond those of a store. */
async function expectedOfServer(database: Database, list: typeof migrations): Promise<Schema> {
  const engine: EngineName = 'postgres';
  let found: Schema | undefined;
  try {
    await database.exclusively(async (db) => {
      await sql`set local search_path to pg_temp`.execute(db);
      await applyMigrations(db, columnTypes[engine], () => 0, list);
      found = await describe({ db });
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return found ?? new Map();
}

/**
 * Compares the schema of a store with the one that its migrations make: tables, columns, indexes, constraints, triggers, views.
 * @param version of the store
 * @returns a sentence for each difference
 */
export async function schemaFaults(database: Database, version: number): Promise<string[]> {
  const found = await describe(database);
  const expected = await expectedSchema(database, version);
  const faults: string[] = [];
  for (const [part, definition] of expected) {
    const actual = found.get(part);
    if (actual === undefined) faults.push(`the ${part} is missing`);
    else if (actual !== definition) faults.push(`the ${part} is not as Conclave makes it`);
  }
  for (const part of found.keys()) if (!expected.has(part)) faults.push(`the ${part} is not of Conclave`);
  return faults;
}
