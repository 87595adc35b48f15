import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import type { SearchDocumentRow } from '../tables/search.ts';
import { dialectOf, type SearchDialect } from './dialect.ts';
import type { Position } from './position.ts';

export type Place = Pick<SearchDocumentRow, 'space' | 'at' | 'number'>;

/** `at` and `number` of the postings that meet a condition, from both tables. An `order by` may follow. */
export function postings(condition: RawBuilder<boolean>): RawBuilder<Position> {
  return sql<Position>`select at, number from search_postings where ${condition}
    union all select at, number from search_recent where ${condition}`;
}

/** As `postings`, for a query that takes the first `count` in an order that the index has. */
export function firstPostings(
  dialect: SearchDialect,
  condition: RawBuilder<boolean>,
  order: RawBuilder<unknown>,
  count: number,
): RawBuilder<Position> {
  const firstOf = (table: string) =>
    dialect.first(sql`select at, number from ${sql.table(table)} where ${condition}`, order, count);
  return sql<Position>`${firstOf('search_postings')} union all ${firstOf('search_recent')}`;
}

/** The table that postings are added to. */
export function newPostings(db: Db): RawBuilder<unknown> {
  return sql.table(dialectOf(db).gathersPostings ? 'search_recent' : 'search_postings');
}

export async function addPostings(db: Db, { space, at, number }: Place, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`insert into ${newPostings(db)} (space, word, at, number)
    select cast(${space} as bigint), value, cast(${at} as bigint), cast(${number} as bigint)
    from ${dialectOf(db).values(words)}`.execute(db);
}

export async function removePostings(db: Db, { space, at, number }: Place, words: readonly string[]): Promise<void> {
  let left = words.length;
  for (const table of ['search_recent', 'search_postings']) {
    if (left === 0) return;
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)}
      where space = ${space} and at = ${at} and number = ${number}
      and word in (select value from ${dialectOf(db).values(words)})`.execute(db);
    left -= Number(numAffectedRows);
  }
}
