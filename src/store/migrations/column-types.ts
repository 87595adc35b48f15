import { sql, type RawBuilder } from 'kysely';
import type { EngineName } from '../database.ts';

/** What a column of each kind is called on an engine. Rows look the same on both: see tables.ts. */
export interface ColumnTypes {
  /** compared and sorted byte by byte on both engines */
  readonly text: RawBuilder<unknown>;
  /** whole numbers to 2^53 */
  readonly integer: RawBuilder<unknown>;
  readonly real: RawBuilder<unknown>;
  readonly blob: RawBuilder<unknown>;
  /** the end of `create table` */
  readonly table: RawBuilder<unknown>;
  /** the same for small rows that are only ever found by their primary key, which SQLite then stores once instead of twice */
  readonly keyedTable: RawBuilder<unknown>;
}

export const columnTypes: Record<EngineName, ColumnTypes> = {
  sqljs: {
    text: sql`text`,
    integer: sql`integer`,
    real: sql`real`,
    blob: sql`blob`,
    // Without it SQLite takes any value in any column, which PostgreSQL would refuse.
    table: sql`strict`,
    keyedTable: sql`strict, without rowid`,
  },
  postgres: {
    text: sql`text collate "C"`,
    integer: sql`bigint`,
    real: sql`double precision`,
    blob: sql`bytea`,
    table: sql``,
    keyedTable: sql``,
  },
};
