import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { perEngine, type EngineStatements } from '../per-engine.ts';
import type { Position } from './position.ts';

/** SQL that differs between the two engines. */
export interface SearchDialect {
  /** the position of a text in another, from 1; 0 if it isn't in there */
  position(of: RawBuilder<string>, text: string): RawBuilder<number>;
  /** rows with one column, `value` */
  values(texts: readonly string[]): RawBuilder<{ value: string }>;
  /** `list`: rows with `at`, `number`, `id`, `words`, `size`, from a JSON list of objects */
  rows(json: string): RawBuilder<unknown>;
  /** `list`: rows with one column, `key`, that holds the words of a document */
  keys(words: RawBuilder<string>): RawBuilder<{ key: string }>;
  /** what of one table's rows a query needs that takes the first `count` of two tables in an order that the index of each has */
  first(rows: RawBuilder<unknown>, order: RawBuilder<unknown>, count: number): RawBuilder<unknown>;
  /** `c`: the places of documents, and `d`: the documents at these places, which are looked up one by one */
  documentsAt(space: number, places: RawBuilder<unknown>, read: 'words' | 'ids'): RawBuilder<unknown>;
  /**
   * Makes transactions that add documents to a space wait for one that makes very many postings, and that one for those which have begun.
   * PostgreSQL adds documents faster than it makes postings, and every search looks at the documents that have none. The locks collide with
   * nothing else. The embedded engine runs one transaction at a time.
   */
  readonly adding?: {
    begin(name: string): RawBuilder<unknown>;
    hold(space: number): RawBuilder<unknown>;
  };
  /** candidates for a join that shows the newest of them: the order lets PostgreSQL stop early, and SQLite would only sort once more */
  newestFirst(candidates: RawBuilder<Position>): RawBuilder<Position>;
  /** ends a query that locks its rows; rows that another transaction has locked are left out */
  readonly locked: RawBuilder<unknown>;
  /**
   * Whether postings gather in a small table before they move to the large one. SQLite writes whole pages, so that each page of the large
   * table has to be written seldom. PostgreSQL writes rows: what moves would be written three times, and leave dead rows in every search.
   */
  readonly gathersPostings: boolean;
}

const fragments = {
  position: (of, text) =>
    perEngine({ sqljs: sql<number>`instr(${of}, ${text})`, postgres: sql<number>`strpos(${of}, ${text})` }),
  values: (texts) => {
    const list = JSON.stringify(texts);
    return perEngine({
      sqljs: sql`json_each(${list})`,
      postgres: sql`json_array_elements_text(cast(${list} as json)) as list(value)`,
    });
  },
  rows: (json) =>
    perEngine({
      sqljs: sql`(select value ->> 'at' as at, value ->> 'number' as number, value ->> 'id' as id, value ->> 'words' as words, value ->> 'size' as size
      from json_each(${json})) as list`,
      postgres: sql`json_to_recordset(cast(${json} as json)) as list(at bigint, number bigint, id text, words text, size bigint)`,
    }),
  keys: (words) =>
    perEngine({
      sqljs: sql`json_each(${words}) as list`,
      // The keys are sorted as the index is.
      postgres: sql`lateral (select key collate "C" as key from json_object_keys(cast(${words} as json)) as keys(key)) as list`,
    }),
  documentsAt: (space, places, read) =>
    perEngine({
      // SQLite joins the tables of a cross join in the order in which they are written.
      sqljs: sql`(${places}) c cross join search_documents d ${read === 'ids' ? sql`indexed by search_documents_ids` : sql``}
      on d.space = ${space} and d.at = c.at and d.number = c.number`,
      // With `offset` PostgreSQL doesn't merge the two into a join that reads all documents, whatever its statistics say.
      postgres: sql`(${places}) c cross join lateral (
      select * from search_documents where space = ${space} and at = c.at and number = c.number offset 0) d`,
    }),
  first: (rows, order, count) =>
    perEngine({
      // It merges the two indices by itself.
      sqljs: rows,
      // Otherwise it reads and sorts all rows, which are very many for a frequent word.
      postgres: sql`select at, number from (${rows} order by ${order} limit ${count}) p`,
    }),
  newestFirst: (candidates) =>
    perEngine({
      sqljs: candidates,
      postgres: sql`select at, number from (${candidates}) r order by at desc, number desc`,
    }),
  locked: perEngine({ sqljs: sql``, postgres: sql`for update skip locked` }),
} satisfies Partial<SearchDialect>;

/** The first part of the keys of advisory locks; the second is made of the name of a space. */
const ADDING = 0x5ea2c4;

const adding: NonNullable<SearchDialect['adding']> = {
  begin: (name) => sql`select pg_advisory_xact_lock_shared(${ADDING}, hashtext(${name}))`,
  hold: (space) => sql`select pg_advisory_xact_lock(${ADDING}, hashtext(name)) from search_spaces where id = ${space}`,
};

const sqljs: SearchDialect = { ...fragments, gathersPostings: true };
const postgres: SearchDialect = { ...fragments, gathersPostings: false, adding };

export const engineStatements: EngineStatements = {
  sqljs: () => [],
  postgres: () => [adding.begin(''), adding.hold(0)],
};

/** Takes a handle, since a transaction has nothing else. */
export function dialectOf(db: Db): SearchDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqljs;
}
