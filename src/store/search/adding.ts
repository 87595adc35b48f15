import { PostgresAdapter, sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * PostgreSQL adds documents faster than it makes postings, and every search looks at the documents that have none. So transactions that add
 * documents to a space wait while postings of very many of them are made. These locks collide with nothing else, and end with their
 * transaction. The embedded engine runs one transaction at a time.
 */
const ADDING = 0x5ea2c4;

export async function beginAdding(db: Db, name: string): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock_shared(${ADDING}, hashtext(${name}))`.execute(db);
}

/** Waits for the transactions that are adding documents to the space; others begin after this transaction. */
export async function holdAdding(db: Db, space: number): Promise<void> {
  if (isPostgres(db))
    await sql`select pg_advisory_xact_lock(${ADDING}, hashtext(name)) from search_spaces where id = ${space}`.execute(
      db,
    );
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
