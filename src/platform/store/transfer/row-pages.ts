import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { TableShape } from './table-shape.ts';

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

const mostRows = 500;
/** A page of rows with large texts or blobs is cut so that about this many bytes are in memory at once. */
const pageBytes = 2 ** 20;

/**
 * Reads all rows of a table in pages, with one statement a page, so that neither memory nor the event loop has to handle all rows at once.
 * The order is the order of the primary key as this database sorts it; two databases may sort text in different orders.
 */
export async function* rowPages(db: Db, { name, columns, key }: TableShape): AsyncGenerator<readonly Row[]> {
  const refs = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  let limit = 32;
  let last: Row | undefined;
  for (;;) {
    const from = last;
    const where =
      from === undefined ? sql`` : sql`where (${refs(key)}) > (${sql.join(key.map((column) => from[column]))})`;
    const { rows } = await sql<Row>`
      select ${refs(columns)} from ${sql.table(name)} ${where} order by ${refs(key)} limit ${limit}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1);
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 1);
    limit = Math.max(1, Math.min(mostRows, 2 * limit, Math.floor((limit * pageBytes) / bytes)));
    // The embedded engine answers in the same turn of the event loop, so others would never run.
    await nextTurn();
  }
}

function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row))
    bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
