import { sql } from 'kysely';
import type { Context } from '../../../src/service/context.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Every row of every table, as it is when entries of the ledger have their places. */
export async function allRows({ store, db, ledger }: Context): Promise<Map<string, readonly Row[]>> {
  await ledger.settled();
  const found =
    store.engine === 'sqljs'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`.execute(db)
      : await sql<{
          name: string;
        }>`select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(db);
  const tables = new Map<string, readonly Row[]>();
  for (const { name } of found.rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    tables.set(name, rows);
  }
  return tables;
}
