import { sql } from 'kysely';
import type { Database } from '../../src/platform/store/database.ts';

/**
 * Asks SQLite about the file of an open store: the one place of the tests that does, as PostgreSQL can't read it.
 * @returns the first column of each row; of `integrity_check`, `['ok']` when every page is right
 */
export async function askPragma({ db }: Pick<Database, 'db'>, name: 'integrity_check' | 'journal_mode') {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return rows.map((row) => Object.values(row)[0]);
}
