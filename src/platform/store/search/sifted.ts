import type { Db } from '../database.ts';
import { desc, readCursor, writeCursor, type Listing, type Page } from '../page.ts';
import { findSpace } from './documents.ts';
import { latest, type Position } from './position.ts';
import { parseQuery } from './query.ts';
import { findIn, usualBounds, type Rest, type Search, type SearchBounds } from './search.ts';

export interface Sifted extends Omit<Search, 'order'> {
  /** only documents before this moment, in milliseconds since 1970 */
  readonly before?: number | undefined;
}

/** A page that is not full after so many reads ends early. Its cursor goes on where it ended. */
const READS = 6;
/** Reading a few more documents of a window than the page needs takes no longer. */
const LEAST_READ = 25;

/**
 * Returns one page of the documents that have all words and that a caller may see, the newest first. A page that would have only hidden
 * documents goes on behind them, for a bounded amount of work: it may have fewer rows than `limit`, or none, and still say that there is
 * more.
 *
 * @param sift those of the documents that may be seen, by id
 * @throws Problem invalid INVALID_CURSOR, QUERY_TOO_LONG
 */
export async function searchSifted<Row>(
  db: Db,
  request: Sifted,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  sift: (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
  bounds: SearchBounds = usualBounds,
): Promise<Page<Row>> {
  const { among, cursors, before } = request;
  const query = parseQuery(request.space, request);
  const listing = listingOf(request);
  const start = before === undefined ? latest : { at: Math.max(0, before), number: 0 };
  let rest: Rest | undefined = {
    high: cursor === undefined ? start : positionOf(readCursor(cursors, listing, cursor).values),
  };
  const space = query === undefined ? undefined : await findSpace(db, request.space.name);
  if (query === undefined || space === undefined) return { rows: [], next: { hasMore: false } };

  const shown: Row[] = [];
  const size = Math.max(limit, LEAST_READ);
  for (let reads = 0; reads < READS && rest !== undefined && shown.length < limit; reads += 1) {
    const found: Awaited<ReturnType<typeof findIn>> = await findIn(
      db,
      { space, query, among, ranked: false, rest },
      size,
      bounds,
      limit,
    );
    const seen = await sift(found.rows.map(({ id }) => id));
    rest = found.rest;
    for (const [at, document] of found.rows.entries()) {
      const row = seen.get(document.id);
      if (row !== undefined) shown.push(row);
      if (shown.length < limit) continue;
      if (at < found.rows.length - 1) rest = { high: document };
      break;
    }
    // The search itself reached its bound.
    if (found.rows.length < limit) break;
  }
  return {
    rows: shown,
    next:
      rest === undefined
        ? { hasMore: false }
        : { cursor: writeCursor(cursors, listing, rest.high, cursors.clock.now()), hasMore: true },
  };
}

/** The parts of a cursor, in the order in which `positionOf` reads them. */
const parts: Listing<Position>['by'] = [desc('at', ({ at }) => at), desc('number', ({ number }) => number)];

function positionOf(values: readonly unknown[]): Position {
  const [at, number] = values as [number, number];
  return { at, number };
}

function listingOf({ listing, space, text, tags = [], prefix = true, before }: Sifted): Listing<Position> {
  const sought = JSON.stringify([space.name, text, tags, prefix, before]);
  return { ...listing, filter: { ...listing.filter, sought }, by: parts };
}
