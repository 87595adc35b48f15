import { sql } from 'kysely';
import type { Context } from '../../../src/service/context.ts';
import { tableNames } from '../../support/store-tables.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Every row of every table whose name is so, as it is when entries of the ledger have their places. */
export async function allRows({ store, db, ledger }: Context, named = /(?:)/): Promise<Map<string, readonly Row[]>> {
  await ledger.settled();
  const tables = new Map<string, readonly Row[]>();
  for (const name of await tableNames({ engine: store.engine, db })) {
    if (!named.test(name)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    tables.set(name, rows);
  }
  return tables;
}
