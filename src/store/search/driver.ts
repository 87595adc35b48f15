import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { earliest, inside, type Position } from './position.ts';
import { postings } from './postings.ts';
import type { Query } from './query.ts';

/** A list of documents that holds all that a query finds, and is short, as each of its documents is then looked at. */
export interface Driver {
  /** `at` and `number` of those from `low` to below `high` */
  rows(low: Position, high: Position): RawBuilder<Position>;
  /** from where on there are `count` of them below `high`; the earliest where there are fewer */
  lowest(high: Position, count: number): Promise<Position>;
}

/** A word that fewer documents have isn't compared with others. */
const rare = 500;
/** Postings of all words that begin alike, below which they are put together and sorted. */
const fewPostings = 2_000;

/**
 * The list of the rarest word. How rare is told by the newest documents that have it, as no numbers are kept that every change of a
 * document would have to wait for.
 */
export async function chooseDriver(db: Db, space: number, query: Query, high: Position): Promise<Driver> {
  const [word, isRare] = await rarest(db, space, query.whole, high);
  if (word !== undefined && isRare) return ofWord(db, space, word);
  if (query.beginning !== undefined && (await hasFew(db, space, query.beginning)))
    return ofBeginning(space, query.beginning);
  return word === undefined ? ofSpace(db, space) : ofWord(db, space, word);
}

async function rarest(
  db: Db,
  space: number,
  words: readonly string[],
  high: Position,
): Promise<[word: string | undefined, isRare: boolean]> {
  const [only] = words;
  if (only === undefined) return [undefined, false];
  const columns = words.map(
    (word, index) => sql`(select at from (${postings(ofWordAt(space, word, earliest, high))}
      order by at desc, number desc limit 1 offset ${rare - 1}) p) as ${sql.ref(`w${index}`)}`,
  );
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(columns)}`.execute(db);
  const since = words.map((_, index) => rows[0]?.[`w${index}`] ?? -1);
  const oldest = Math.min(...since);
  return [words[since.indexOf(oldest)], oldest === -1];
}

async function hasFew(db: Db, space: number, beginning: string): Promise<boolean> {
  const { rows } = await sql`${postings(sql`space = ${space} and ${begins(beginning)}`)}
    limit 1 offset ${fewPostings}`.execute(db);
  return rows.length === 0;
}

function begins(beginning: string): RawBuilder<boolean> {
  return sql<boolean>`word >= ${beginning} and word < ${`${beginning}\u{10ffff}`}`;
}

function ofWordAt(space: number, word: string, low: Position, high: Position): RawBuilder<boolean> {
  return sql<boolean>`space = ${space} and word = ${word} and ${inside(low, high)}`;
}

function ofWord(db: Db, space: number, word: string): Driver {
  const rows: Driver['rows'] = (low, high) => postings(ofWordAt(space, word, low, high));
  return { rows, lowest: lowestOf(db, rows) };
}

function ofSpace(db: Db, space: number): Driver {
  const rows: Driver['rows'] = (low, high) => sql`select at, number from search_documents
    where space = ${space} and ${inside(low, high)}`;
  return { rows, lowest: lowestOf(db, rows) };
}

function ofBeginning(space: number, beginning: string): Driver {
  return {
    rows: (low, high) =>
      sql`select distinct at, number from (${postings(sql`space = ${space} and ${begins(beginning)} and ${inside(low, high)}`)}) p`,
    lowest: async () => earliest,
  };
}

function lowestOf(db: Db, rowsOf: Driver['rows']): Driver['lowest'] {
  return async (high, count) => {
    const { rows } = await sql<Position>`${rowsOf(earliest, high)}
      order by at desc, number desc limit 1 offset ${count - 1}`.execute(db);
    return rows[0] ?? earliest;
  };
}
