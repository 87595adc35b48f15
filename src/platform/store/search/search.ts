import type { Db } from '../database.ts';
import {
  DEFAULT_LIMIT,
  desc,
  readCursor,
  writeCursor,
  type Cursors,
  type Listing,
  type Page,
  type PageRequest,
  type Position as PageEnd,
} from '../page.ts';
import type { SearchSpace } from './document.ts';
import { chooseDriver } from './driver.ts';
import { findSpace } from './documents.ts';
import { earliest, isEarliest, latest, type Position } from './position.ts';
import { parseQuery, type Query, type QueryText } from './query.ts';
import { readWindow, type Among, type Ranked } from './window.ts';

export interface Search extends QueryText {
  readonly space: SearchSpace;
  readonly order: 'newest' | 'relevance';
  /**
   * Only documents among these are found. Without it whoever sifts what was found would tell, by pages that are empty and say that there is
   * more, that documents with these words are kept from the caller.
   */
  readonly among?: Among | undefined;
  /** the list for its cursors; the text of the search is added to its filter */
  readonly listing: Pick<Listing<unknown>, 'list' | 'memberId' | 'filter'>;
  readonly cursors: Cursors;
}

export interface FoundDocument {
  readonly id: string;
  readonly at: number;
}

/** The same with how good an answer it is: a sum over the words, without a unit; 0 if the order is by age. */
export interface ScoredDocument extends FoundDocument {
  readonly score: number;
}

/** The documents that are still to come: those below `high`; in the window that ends at `low`, only those behind `after`. */
export interface Rest {
  readonly high: Position;
  readonly low?: Position | undefined;
  readonly after?: Ranked | undefined;
}

/**
 * Limits for the work of one request. For relevance, all documents of a window are looked at, and windows follow one after another. For
 * age, the first few documents are usually enough.
 */
export interface SearchBounds {
  readonly documents: number;
  readonly rankedWindow: number;
  readonly firstWindow: number;
}

export const usualBounds: SearchBounds = { documents: 8_192, rankedWindow: 1_024, firstWindow: 64 };

/**
 * Returns one page of the documents that have all words. The order is the newest first, or the best first: among the newest thousand
 * candidates, then among the next. A search looks at a bounded number of documents. If its words are frequent but never occur together, a
 * page may have fewer rows than `limit`, or none, and still say that there is more.
 * @throws Problem invalid INVALID_CURSOR, QUERY_TOO_LONG
 */
export async function search(
  db: Db,
  request: Search,
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
  bounds = usualBounds,
): Promise<Page<ScoredDocument>> {
  const query = parseQuery(request.space, request);
  const listing = listingOf(request, query);
  const rest: Rest =
    cursor === undefined ? { high: latest } : restOf(readCursor(request.cursors, listing, cursor).values);
  const space = query === undefined ? undefined : await findSpace(db, request.space.name);
  if (query === undefined || space === undefined) return { rows: [], next: { hasMore: false } };
  const found = await findIn(
    db,
    { space, query, among: request.among, ranked: request.order === 'relevance', rest },
    limit,
    bounds,
  );
  return pageOf(request.cursors, listing, found.rows, found.rest);
}

/** A search in one space, and the position from which it goes on. */
export interface Sought {
  readonly space: number;
  readonly query: Query;
  readonly among?: Among | undefined;
  readonly ranked: boolean;
  readonly rest: Rest;
}

/**
 * @param enough so many, or more, are returned at the end of a window, whose next one takes eight times as long
 * @returns the documents that were found, and the rest that is still to come, if there can be any
 */
export async function findIn(
  db: Db,
  sought: Sought,
  limit: number,
  bounds: SearchBounds,
  enough = limit + 1,
): Promise<{ readonly rows: Ranked[]; readonly rest?: Rest }> {
  const { space, query, among, ranked } = sought;
  let { rest } = sought;
  const driver = await chooseDriver(db, space, query, rest.high);
  // All documents of a rare word make one window.
  const isFew = driver.most !== undefined && driver.most <= bounds.documents;
  const rows: Ranked[] = [];
  let size = ranked ? bounds.rankedWindow : bounds.firstWindow;
  for (let examined = size; ; examined += size) {
    const low = rest.low ?? (isFew ? earliest : await driver.lowest(rest.high, size));
    const window = { space, query, among, driver, ranked, ...rest, low };
    const found = await readWindow(db, window, limit - rows.length + 1);
    const shown = found.slice(0, limit - rows.length);
    rows.push(...shown);
    const last = shown.at(-1);
    if (shown.length < found.length) {
      if (last === undefined) return { rows, rest };
      return { rows, rest: ranked ? { high: rest.high, low, after: last } : { high: last } };
    }
    if (isEarliest(low)) return { rows };
    rest = { high: low };
    if (examined >= bounds.documents || rows.length >= enough) return { rows, rest };
    if (!ranked) size = Math.min(size * 8, Math.ceil(bounds.documents / 2));
  }
}

function pageOf(cursors: Cursors, listing: Listing<Rest>, found: readonly Ranked[], rest?: Rest): Page<ScoredDocument> {
  const rows = found.map(({ id, at, score }) => ({ id, at, score }));
  if (rest === undefined) return { rows, next: { hasMore: false } };
  return { rows, next: { cursor: writeCursor(cursors, listing, rest, cursors.clock.now()), hasMore: true } };
}

const none = -1;
/** The parts of a cursor, in the order in which `restOf` reads them. */
const parts: Listing<Rest>['by'] = [
  desc('high_at', ({ high }) => high.at),
  desc('high_number', ({ high }) => high.number),
  desc('low_at', ({ low }) => low?.at ?? none),
  desc('low_number', ({ low }) => low?.number ?? none),
  desc('after_score', ({ after }) => after?.score ?? none),
  desc('after_at', ({ after }) => after?.at ?? none),
  desc('after_number', ({ after }) => after?.number ?? none),
];

function restOf(values: PageEnd['values']): Rest {
  const [highAt, highNumber, lowAt, lowNumber, score, at, number] = values as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    high: { at: highAt, number: highNumber },
    low: lowAt === none ? undefined : { at: lowAt, number: lowNumber },
    after: score === none ? undefined : { id: '', score, at, number },
  };
}

function listingOf({ listing, space, order }: Search, query: Query | undefined): Listing<Rest> {
  const sought = JSON.stringify([space.name, order, query?.whole, query?.beginning]);
  return { ...listing, filter: { ...listing.filter, sought }, by: parts };
}
