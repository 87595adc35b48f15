import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';
import { dialectOf } from './dialect.ts';
import { earliest, inside, type Position } from './position.ts';
import { firstPostings, postings } from './postings.ts';
import type { Query } from './query.ts';

/** A list that holds all documents that a query finds. It should be short, because each of its documents is looked at. */
export interface Driver {
  /** the number of its documents is below this, if that is known */
  readonly most?: number;
  /** the word that all of its documents have, as stored in the index */
  readonly word?: string;
  /** set if its documents are all of the space, those that wait for postings included */
  readonly holdsWaiting?: true;
  /** `at` and `number` of its documents from `low` to below `high` */
  rows(low: Position, high: Position): RawBuilder<Position>;
  /** the position from which on it has `count` documents below `high`; the earliest position if it has fewer */
  lowest(high: Position, count: number): Promise<Position>;
}

/** A word in fewer documents than this is used at once, without comparing it with other words. */
const rare = 500;
/** If the words that begin alike have fewer postings than this, their postings are combined and sorted. */
const fewPostings = 2_000;
const newest = sql`at desc, number desc`;

/**
 * Chooses the list of the rarest word. The newest documents that have a word tell how rare it is. The index keeps no counts, because every
 * change of a document would have to wait for them.
 */
export async function chooseDriver(db: Db, space: number, query: Query, high: Position): Promise<Driver> {
  const [word, isRare] = await rarest(db, space, query.whole, high);
  if (word !== undefined && isRare) return { ...ofWord(db, space, word), most: rare };
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
  const columns = words.map((word, index) => {
    const those = nthNewest(db, ofWordAt(space, word, earliest, high), rare);
    return sql`(select at from (${those}) p) as ${sql.ref(`w${index}`)}`;
  });
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(columns)}`.execute(db);
  const since = words.map((_, index) => rows[0]?.[`w${index}`] ?? -1);
  const oldest = Math.min(...since);
  return [words[since.indexOf(oldest)], oldest === -1];
}

async function hasFew(db: Db, space: number, beginning: string): Promise<boolean> {
  const condition = sql<boolean>`space = ${space} and ${begins(beginning)}`;
  const { rows } = await sql`${firstPostings(dialectOf(db), condition, sql`word`, fewPostings + 1)}
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
  return {
    word,
    rows: (low, high) => postings(ofWordAt(space, word, low, high)),
    lowest: async (high, count) => await placeOf(db, nthNewest(db, ofWordAt(space, word, earliest, high), count)),
  };
}

function ofSpace(db: Db, space: number): Driver {
  const rows: Driver['rows'] = (low, high) => sql`select at, number from search_documents
    where space = ${space} and ${inside(low, high)}`;
  return {
    holdsWaiting: true,
    rows,
    lowest: async (high, count) =>
      await placeOf(db, sql`${rows(earliest, high)} order by ${newest} limit 1 offset ${count - 1}`),
  };
}

function ofBeginning(space: number, beginning: string): Driver {
  return {
    rows: (low, high) =>
      sql`select distinct at, number from (${postings(sql`space = ${space} and ${begins(beginning)} and ${inside(low, high)}`)}) p`,
    lowest: async () => earliest,
  };
}

/** The `count`th newest of the postings that meet a condition, if there are so many. */
function nthNewest(db: Db, condition: RawBuilder<boolean>, count: number): RawBuilder<Position> {
  const those = firstPostings(dialectOf(db), condition, newest, count);
  return sql<Position>`${those} order by ${newest} limit 1 offset ${count - 1}`;
}

async function placeOf(db: Db, query: RawBuilder<Position>): Promise<Position> {
  return (await query.execute(db)).rows[0] ?? earliest;
}
