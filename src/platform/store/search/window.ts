import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { dialectOf, type SearchDialect } from './dialect.ts';
import type { Driver } from './driver.ts';
import { inside, type Position } from './position.ts';
import { postings } from './postings.ts';
import type { Query } from './query.ts';

/** SQL: whether a document, whose id is given as SQL, is among those that a search is about. */
export type Among = (id: RawBuilder<string>) => RawBuilder<unknown>;

export interface Ranked extends Position {
  readonly id: string;
  /** 0 if the order is by age */
  readonly score: number;
}

/** The documents from `low` to below `high`. */
export interface Window {
  readonly space: number;
  readonly query: Query;
  readonly among?: Among | undefined;
  readonly driver: Driver;
  readonly ranked: boolean;
  readonly high: Position;
  readonly low: Position;
  /** the last document of the window that was already shown */
  readonly after?: Pick<Ranked, 'score' | 'at' | 'number'> | undefined;
}

const words = sql<string>`d.words`;

/**
 * Returns the documents of a window that match a query, the best or the newest first. One statement reads the documents that have postings
 * and those that wait for them, because a document may get its postings between two statements.
 */
export async function readWindow(db: Db, window: Window, limit: number): Promise<Ranked[]> {
  const { space, query, among, driver, ranked, high, low, after } = window;
  const dialect = dialectOf(db);
  const score = scoreOf(dialect, query, ranked);
  const conditions = conditionsOf(dialect, query);
  if (after !== undefined)
    conditions.push(sql`(${score}, d.at, d.number) < (${after.score}, ${after.at}, ${after.number})`);
  const those = among === undefined ? [] : [among(sql<string>`d.id`)];
  const best = ranked ? sql`score desc,` : sql``;
  // Each part has its own limit, so that PostgreSQL can stop early in the part that is in order.
  const firstOf = (
    documents: RawBuilder<unknown>,
    of: RawBuilder<unknown>,
    matching: readonly RawBuilder<unknown>[],
  ) => sql`
    select * from (select d.id, d.at, d.number, ${score} as score from ${documents}
    where ${sql.join([sql`1 = 1`, ...matching, ...those], sql` and `)} order by ${best} ${of}.at desc, ${of}.number desc limit ${limit}) f`;
  const all = driver.rows(low, high);
  const idsOnly = postingsTell(window);
  const candidates = dialect.documentsAt(space, ranked ? all : dialect.newestFirst(all), idsOnly ? 'ids' : 'words');
  const parts = [firstOf(candidates, sql`c`, idsOnly ? withPostings(window) : conditions)];
  const waiting = sql`(select * from search_pending where space = ${space} and ${inside(low, high)}) d`;
  if (driver.holdsWaiting !== true) parts.push(firstOf(waiting, sql`d`, conditions));
  const { rows } = await sql<Ranked>`
    ${sql.join(parts, sql` union all `)}
    order by ${best} at desc, number desc limit ${limit}`.execute(db);
  return rows;
}

/** Whether postings alone tell which documents match, so that of each only its id is read. */
function postingsTell({ query, driver, ranked, after }: Window): boolean {
  return driver.word !== undefined && query.beginning === undefined && !ranked && after === undefined;
}

/** Of a document that has postings, every word has one. */
function withPostings({ space, query, driver }: Window): RawBuilder<unknown>[] {
  const others = query.whole.filter((word) => word !== driver.word);
  return others.map(
    (word) => sql`exists (${postings(sql`space = ${space} and word = ${word} and at = c.at and number = c.number`)})`,
  );
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
