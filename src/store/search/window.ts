import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { dialectOf, type SearchDialect } from './dialect.ts';
import type { Driver } from './driver.ts';
import type { Position } from './position.ts';
import type { Query } from './query.ts';

export interface Ranked extends Position {
  readonly id: string;
  /** 0 where the order is by age */
  readonly score: number;
}

/** The documents from `low` to below `high`. */
export interface Window {
  readonly space: number;
  readonly query: Query;
  readonly driver: Driver;
  readonly ranked: boolean;
  readonly high: Position;
  readonly low: Position;
  /** the last that was shown of it */
  readonly after?: Pick<Ranked, 'score' | 'at' | 'number'> | undefined;
}

const words = sql<string>`d.words`;

/** What a query finds in a window, the best or the newest first. */
export async function readWindow(db: Db, window: Window, limit: number): Promise<Ranked[]> {
  const { space, query, driver, ranked, high, low, after } = window;
  const dialect = dialectOf(db);
  const score = ranked ? scoreOf(dialect, query) : sql<number>`0`;
  const conditions = [
    ...query.whole.map((word) => sql`${dialect.position(words, ` ${word}=`)} > 0`),
    ...(query.beginning === undefined ? [] : [sql`${dialect.position(words, ` ${query.beginning}`)} > 0`]),
    ...(after === undefined ? [] : [sql`(${score}, d.at, d.number) < (${after.score}, ${after.at}, ${after.number})`]),
  ];
  // SQLite takes the tables of a cross join in the order in which they stand.
  const { rows } = await sql<Ranked>`
    select d.id, d.at, d.number, ${score} as score
    from (${driver.rows(low, high)}) c cross join search_documents d
    where d.space = ${space} and d.at = c.at and d.number = c.number and ${sql.join(conditions, sql` and `)}
    order by ${ranked ? sql`4 desc,` : sql``} c.at desc, c.number desc limit ${limit}`.execute(db);
  return rows;
}

/** The sum over the words. It says nothing of other documents, so that it stays the same from page to page. */
function scoreOf(dialect: SearchDialect, { scored, beginning }: Query): RawBuilder<number> {
  const whole = scored.map((word) => weightOf(dialect, word));
  if (beginning === undefined) return sql<number>`(${sql.join([sql`0`, ...whole], sql` + `)})`;
  // The word itself is better than one that only begins like it.
  const open = sql`case when ${dialect.position(words, ` ${beginning}=`)} > 0 then ${weightOf(dialect, beginning)} else 1 end`;
  return sql<number>`(${sql.join([...whole, open], sql` + `)})`;
}

/** 1 more than the digit behind the word. Both engines count characters, not bytes and not halves of pairs. */
function weightOf(dialect: SearchDialect, word: string): RawBuilder<number> {
  const before = Array.from(word).length + 2;
  return sql<number>`1 + cast(substr(d.words, ${dialect.position(words, ` ${word}=`)} + cast(${before} as integer), 1) as integer)`;
}
