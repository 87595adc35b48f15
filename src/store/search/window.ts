import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { dialectOf, type SearchDialect } from './dialect.ts';
import type { Driver } from './driver.ts';
import { compare, earliest, inside, type Position } from './position.ts';
import type { Query } from './query.ts';

export interface Ranked extends Position {
  readonly id: string;
  /** 0 if the order is by age */
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
  /** the last document of the window that was already shown */
  readonly after?: Pick<Ranked, 'score' | 'at' | 'number'> | undefined;
  /** matching documents that have no postings yet, in no order */
  readonly pending: readonly Ranked[];
}

const words = sql<string>`d.words`;

/** Returns the documents of a window that match a query, the best or the newest first. */
export async function readWindow(db: Db, window: Window, limit: number): Promise<Ranked[]> {
  const { space, query, driver, ranked, high, low, after } = window;
  const dialect = dialectOf(db);
  const score = scoreOf(dialect, query, ranked);
  const conditions = conditionsOf(dialect, query);
  if (after !== undefined)
    conditions.push(sql`(${score}, d.at, d.number) < (${after.score}, ${after.at}, ${after.number})`);
  const all = driver.rows(low, high);
  const candidates = ranked ? all : dialect.newestFirst(all);
  const { rows } = await sql<Ranked>`
    select d.id, d.at, d.number, ${score} as score
    from ${dialect.documentsAt(space, candidates)} where ${sql.join(conditions, sql` and `)}
    order by ${ranked ? sql`4 desc,` : sql``} c.at desc, c.number desc limit ${limit}`.execute(db);
  const pending = window.pending.filter(
    (found) =>
      compare(found, high) < 0 && compare(found, low) >= 0 && (after === undefined || compareRanked(found, after) < 0),
  );
  if (pending.length === 0) return rows;
  // A document whose postings were made meanwhile is in both lists, so duplicates are removed.
  const found = new Map([...pending, ...rows].map((one) => [`${one.at}/${one.number}`, one]));
  return [...found.values()].toSorted((one, other) => compareRanked(other, one)).slice(0, limit);
}

/** Returns the matching documents below `high` that have no postings yet. They are always few, so all of them are looked at. */
export async function readPending(
  db: Db,
  { space, query, ranked, high }: Pick<Window, 'space' | 'query' | 'ranked' | 'high'>,
): Promise<Ranked[]> {
  const dialect = dialectOf(db);
  const { rows } = await sql<Ranked>`
    select d.id, d.at, d.number, ${scoreOf(dialect, query, ranked)} as score from search_pending d
    where d.space = ${space} and ${inside(earliest, high)} and ${sql.join(conditionsOf(dialect, query), sql` and `)}`.execute(
    db,
  );
  return rows;
}

function compareRanked(one: Omit<Ranked, 'id'>, other: Omit<Ranked, 'id'>): number {
  return one.score - other.score || compare(one, other);
}

function conditionsOf(dialect: SearchDialect, { whole, beginning }: Query): RawBuilder<unknown>[] {
  const texts = whole.map((word) => `"${word}":`);
  if (beginning !== undefined) texts.push(`"${beginning}`);
  return texts.map((text) => sql`${dialect.position(words, text)} > 0`);
}

/** The sum over the words. It does not depend on other documents, so it stays the same from page to page. */
function scoreOf(dialect: SearchDialect, { scored, beginning }: Query, ranked: boolean): RawBuilder<number> {
  if (!ranked) return sql<number>`0`;
  const whole = scored.map((word) => weightOf(dialect, word));
  if (beginning === undefined) return sql<number>`(${sql.join([sql`0`, ...whole], sql` + `)})`;
  // A whole word counts more than a word that only begins with it.
  const open = sql`case when ${dialect.position(words, `"${beginning}":`)} > 0 then ${weightOf(dialect, beginning)} else 1 end`;
  return sql<number>`(${sql.join([...whole, open], sql` + `)})`;
}

/** 1 more than the digit after the word. Both engines count characters, and neither bytes nor surrogates. */
function weightOf(dialect: SearchDialect, word: string): RawBuilder<number> {
  const before = Array.from(word).length + 3;
  return sql<number>`1 + cast(substr(d.words, ${dialect.position(words, `"${word}":`)} + cast(${before} as integer), 1) as integer)`;
}
