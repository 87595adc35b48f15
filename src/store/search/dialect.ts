import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';

/** SQL that differs between the two engines. */
export interface SearchDialect {
  /** the position of a text in another, from 1; 0 if it isn't in there */
  position(of: RawBuilder<string>, text: string): RawBuilder<number>;
  /** rows with one column, `value` */
  values(texts: readonly string[]): RawBuilder<{ value: string }>;
  /** `list`: rows with `at`, `id`, `words`, `size`, from a JSON list of objects */
  rows(json: string): RawBuilder<unknown>;
  /** `list`: rows with one column, `key`, that holds the words of a document */
  keys(words: RawBuilder<string>): RawBuilder<{ key: string }>;
  /** ends a query that locks its rows; rows that another transaction has locked are left out */
  readonly locked: RawBuilder<unknown>;
}

const sqljs: SearchDialect = {
  position: (of, text) => sql<number>`instr(${of}, ${text})`,
  values: (texts) => sql`json_each(${JSON.stringify(texts)})`,
  rows: (json) =>
    sql`(select value ->> 'at' as at, value ->> 'id' as id, value ->> 'words' as words, value ->> 'size' as size
      from json_each(${json})) as list`,
  keys: (words) => sql`json_each(${words}) as list`,
  locked: sql``,
};

const postgres: SearchDialect = {
  position: (of, text) => sql<number>`strpos(${of}, ${text})`,
  values: (texts) => sql`json_array_elements_text(cast(${JSON.stringify(texts)} as json)) as list(value)`,
  rows: (json) => sql`json_to_recordset(cast(${json} as json)) as list(at bigint, id text, words text, size bigint)`,
  // The keys are sorted as the index is.
  keys: (words) =>
    sql`lateral (select key collate "C" as key from json_object_keys(cast(${words} as json)) as keys(key)) as list`,
  locked: sql`for update skip locked`,
};

/** Takes a handle, since a transaction has nothing else. */
export function dialectOf(db: Db): SearchDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqljs;
}
