import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';

/** SQL that differs between the two engines. */
export interface SearchDialect {
  /** the place of a text in another, from 1; 0 where it isn't there */
  position(of: RawBuilder<string>, text: string): RawBuilder<number>;
  /** rows with one column, `value` */
  values(texts: readonly string[]): RawBuilder<{ value: string }>;
}

const sqljs: SearchDialect = {
  position: (of, text) => sql<number>`instr(${of}, ${text})`,
  values: (texts) => sql`json_each(${JSON.stringify(texts)})`,
};

const postgres: SearchDialect = {
  position: (of, text) => sql<number>`strpos(${of}, ${text})`,
  values: (texts) => sql`json_array_elements_text(cast(${JSON.stringify(texts)} as json)) as list(value)`,
};

/** Of a handle, as a transaction gets no more than that. */
export function dialectOf(db: Db): SearchDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqljs;
}
