import type { Db } from '../database.ts';
import { DEFAULT_LIMIT, desc, readCursor, writeCursor, type Listing, type Page, type PageRequest } from '../page.ts';
import type { SearchSpace } from './document.ts';
import { latest, type Position } from './position.ts';
import { parseQuery, type QueryText } from './query.ts';
import { findIn, usualBounds, type FoundDocument, type Rest, type Search, type SearchBounds } from './search.ts';

export interface SearchSpaces extends QueryText, Pick<Search, 'listing' | 'cursors' | 'among'> {
  /** each with its own key, if any; no space twice, and at most `mostSpaces` */
  readonly spaces: readonly SearchSpace[];
  /** only documents before this moment, in milliseconds since 1970 */
  readonly before?: number | undefined;
}

export interface FoundInSpace extends FoundDocument {
  /** the name of the document's space */
  readonly space: string;
}

/** The limit exists because each space is searched by itself. */
const mostSpaces = 100;

/** The position of a document among the documents of all spaces. */
interface Place extends Position {
  readonly space: number;
}

/** How many spaces are searched at once, on an engine that can do so. */
const atOnce = 4;

/**
 * Returns one page of the documents that have all words, of several spaces together, the newest first. As with `search`, a page may have
 * fewer rows than `limit`, or none, and still say that there is more. The spaces may change from page to page, for example when a member
 * loses one. Each page shows only documents of the spaces that it was given.
 * @throws Problem invalid INVALID_CURSOR, QUERY_TOO_LONG
 */
export async function searchSpaces(
  db: Db,
  request: SearchSpaces,
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
  bounds = usualBounds,
): Promise<Page<FoundInSpace>> {
  const { spaces, cursors } = request;
  if (spaces.length > mostSpaces) throw new RangeError(`a search goes through at most ${mostSpaces} spaces`);
  const listing = listingOf(request);
  const start = request.before === undefined ? undefined : { at: Math.max(0, request.before), space: 0, number: 0 };
  const before = cursor === undefined ? start : placeOf(readCursor(cursors, listing, cursor).values);
  const found = await findAll(db, request, before, limit, {
    ...bounds,
    documents: Math.ceil(bounds.documents / spaces.length),
  });

  const rows = found.flatMap(({ rows: those }) => those).toSorted((one, other) => comparePlaces(other, one));
  // All documents above this place were looked at, in all spaces.
  const edge = found
    .flatMap(({ space, rest }) => (rest === undefined ? [] : [{ ...rest.high, space }]))
    .reduce<Place | undefined>((high, place) => (high && comparePlaces(high, place) > 0 ? high : place), undefined);
  const known = edge === undefined ? rows : rows.filter((row) => comparePlaces(row, edge) >= 0);
  const shown = known.slice(0, limit);
  const last = shown.length < known.length ? (shown.at(-1) ?? before) : edge;
  return {
    rows: shown.map(({ id, at, name }) => ({ id, at, space: name })),
    next:
      last === undefined
        ? { hasMore: false }
        : { cursor: writeCursor(cursors, listing, last, cursors.clock.now()), hasMore: true },
  };
}

interface FoundHere {
  readonly space: number;
  readonly rows: (Place & { readonly id: string; readonly name: string })[];
  readonly rest?: Rest | undefined;
}

async function findAll(
  db: Db,
  { spaces, among, ...text }: SearchSpaces,
  before: Place | undefined,
  limit: number,
  bounds: SearchBounds,
): Promise<FoundHere[]> {
  // Queries are parsed even for spaces that don't exist, so that an invalid query is refused for everybody.
  const queries = new Map(spaces.map((space) => [space.name, parseQuery(space, text)]));
  if (queries.size < spaces.length) throw new RangeError('a search names no space twice');
  const known = queries.size === 0 ? [] : await findSpaces(db, [...queries.keys()]);
  const found: FoundHere[] = [];
  const waiting = known.values();
  async function findNext(): Promise<void> {
    for (const { id: space, name } of waiting) {
      const query = queries.get(name);
      if (query === undefined) continue;
      const rest: Rest = { high: before === undefined ? latest : highOf(space, before) };
      const here = await findIn(db, { space, query, among, ranked: false, rest }, limit, bounds);
      found.push({ space, rows: here.rows.map((row) => ({ ...row, space, name })), rest: here.rest });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, findNext));
  return found;
}

async function findSpaces(db: Db, names: readonly string[]): Promise<{ id: number; name: string }[]> {
  return await db.selectFrom('search_spaces').select(['id', 'name']).where('name', 'in', names).execute();
}

/** Of documents with the same moment, those of the space with the higher number come first. */
function comparePlaces(one: Place, other: Place): number {
  return one.at - other.at || one.space - other.space || one.number - other.number;
}

/** The position in a space from which on its documents come after a place. */
function highOf(space: number, { at, space: other, number }: Place): Position {
  if (space === other) return { at, number };
  return { at: space < other ? at + 1 : at, number: 0 };
}

/** The parts of a cursor, in the order in which `placeOf` reads them. */
const parts: Listing<Place>['by'] = [
  desc('at', ({ at }) => at),
  desc('space', ({ space }) => space),
  desc('number', ({ number }) => number),
];

function placeOf(values: readonly unknown[]): Place {
  const [at, space, number] = values as [number, number, number];
  return { at, space, number };
}

/** The cursor depends on the text, tags, prefix and moment of the search, but not on the spaces. */
function listingOf({ listing, text, tags = [], prefix = true, before }: SearchSpaces): Listing<Place> {
  return { ...listing, filter: { ...listing.filter, sought: JSON.stringify([text, tags, prefix, before]) }, by: parts };
}
