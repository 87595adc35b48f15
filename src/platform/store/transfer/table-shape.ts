import { sql } from 'kysely';
import type { Db, EngineName } from '../database.ts';
import { perEngine } from '../per-engine.ts';

/** A handle and its engine. */
export interface Side {
  readonly db: Db;
  readonly engine: EngineName;
}

/** The shape of a table, read from the database itself, so that backups and copies need no list that somebody forgets to extend. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** the columns of the primary key, in its order */
  readonly key: readonly string[];
}

interface ColumnRow {
  table_name: string;
  column_name: string;
  /** 1 for the first column of the primary key, 0 outside of it */
  key_position: number;
}

/** This table describes the schema and holds no data of the store. */
const migrationsTable = 'schema_migrations';

const columnRows = perEngine({
  sqljs: sql<ColumnRow>`
    select t.name as table_name, c.name as column_name, c.pk as key_position
    from sqlite_schema t join pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    order by t.name, c.cid`,
  postgres: sql<ColumnRow>`
    select t.relname::text as table_name, c.attname::text as column_name,
      coalesce(array_position(k.conkey, c.attnum), 0) as key_position
    from pg_class t
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
    where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
    order by t.relname collate "C", c.attnum`,
});

/** The tables that hold data of the store, by name. */
export async function tableShapes({ db }: Side): Promise<TableShape[]> {
  const { rows } = await columnRows.execute(db);
  const shapes = new Map<string, { columns: string[]; key: string[] }>();
  for (const row of rows) {
    if (row.table_name === migrationsTable) continue;
    const shape = shapes.get(row.table_name) ?? { columns: [], key: [] };
    shapes.set(row.table_name, shape);
    shape.columns.push(row.column_name);
    if (row.key_position > 0) shape.key[row.key_position - 1] = row.column_name;
  }
  return [...shapes].map(([name, { columns, key }]) => {
    if (key.length === 0) throw new Error(`the table ${name} has no primary key, so it can't be read in pages`);
    return { name, columns, key };
  });
}

export async function countRows(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db);
  return rows[0]?.rows ?? 0;
}
