import { sql } from 'kysely';
import type { Database } from '../../src/platform/store/database.ts';

/** The names of all tables, sorted: the one place of the tests that asks an engine for them. */
export async function tableNames({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<string[]> {
  const { rows } =
    engine === 'sqljs'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db)
      : await sql<{
          name: string;
        }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(db);
  return rows.map(({ name }) => name).toSorted();
}

/**
 * Asks SQLite about the file of an open store: the one place of the tests that does, as PostgreSQL can't read it.
 * @returns the first column of each row; of `integrity_check`, `['ok']` when every page is right
 */
export async function askPragma({ db }: Pick<Database, 'db'>, name: 'integrity_check' | 'journal_mode') {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return rows.map((row) => Object.values(row)[0]);
}
