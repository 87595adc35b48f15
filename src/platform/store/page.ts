import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { utf8, type Random } from '../../crypto/bytes.ts';
import { canonicalJsonBytes } from '../../crypto/canonical-json.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { fieldProblem } from '../../base/problem.ts';
import { pageLimits } from '../../contract/page/limits.ts';

/** The value of a row for one sort key: text or a finite number, as the column holds it. */
export type SortValue = string | number;

/** One key of an order. The next key sorts rows with equal values; the last key makes rows unique. */
export interface SortKey<Row> {
  /** the column, or the name of the value that `sql` computes */
  readonly column: string;
  readonly order: 'asc' | 'desc';
  /** reads the value from a row of the query */
  readonly of: (row: Row) => SortValue | null;
  /** rows without a value come last in both directions, because the engines disagree about their place */
  readonly nullable?: boolean;
  /** computes the value at the moment of the first page, instead of reading a column; never null unless `nullable` */
  readonly sql?: (asOf: number) => RawBuilder<unknown>;
}

/** A list that comes in pages, as one caller sees it. Its cursors are valid for no other list. */
export interface Listing<Row> {
  /** the operation that returns the list */
  readonly list: string;
  /** the member who asks; empty for a list that is the same for everybody */
  readonly memberId: string;
  /** further conditions that select the rows; other conditions make another list */
  readonly filter?: Readonly<Record<string, SortValue | boolean | undefined>>;
  /** the most significant key first */
  readonly by: readonly SortKey<Row>[];
}

/** The key that seals cursors; a context has it. */
export interface Cursors {
  readonly keys: { readonly cursor: Uint8Array };
  readonly random: Random;
  readonly clock: { now(): number };
}

/** A request without limit and cursor gets the whole list as one page. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The end of a reply that is a page. */
export interface Next {
  cursor?: string;
  hasMore: boolean;
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly next: Next;
}

/** The position at which a page ended. */
export interface Position {
  readonly values: readonly (SortValue | null)[];
  /** the moment of the first page; all later pages of the same walk use it */
  readonly asOf: number;
}

/** The page size for a request with a cursor and no limit. */
export const DEFAULT_LIMIT = pageLimits.size;
/** The longest cursor in characters, as in the contract. The length is checked before a cursor is opened. */
const LONGEST_CURSOR = pageLimits.cursor;

export function asc<Row>(column: string, of: SortKey<Row>['of'], more: Partial<SortKey<Row>> = {}): SortKey<Row> {
  return { column, of, order: 'asc', ...more };
}

export function desc<Row>(column: string, of: SortKey<Row>['of'], more: Partial<SortKey<Row>> = {}): SortKey<Row> {
  return { column, of, order: 'desc', ...more };
}

/**
 * Reads one page of a list: the rows behind the cursor, in the list's order, on both engines. A row that keeps its place in the order is in
 * exactly one page of a walk, even if other rows come and go meanwhile.
 *
 * @param query without order and limit; a function if its conditions depend on the moment of the first page
 * @throws Problem invalid INVALID_CURSOR for a cursor that was not given out for this list, filter, order and member
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  cursors: Cursors,
  query: SelectQueryBuilder<DB, TB, Row> | ((asOf: number) => SelectQueryBuilder<DB, TB, Row>),
  listing: Listing<Row>,
  request: PageRequest,
): Promise<Page<Row>> {
  return await pageOf(cursors, listing, request, async (after, most) => {
    const { asOf } = after;
    const keys = listing.by.map((key) => ({ ...key, is: key.sql?.(asOf) ?? sql.ref(key.column) }));
    let sorted = typeof query === 'function' ? query(asOf) : query;
    if (most !== undefined) sorted = sorted.limit(most);
    for (const { is, order, nullable } of keys)
      sorted = sorted.orderBy(is, (by) => (nullable === true ? by[order]().nullsLast() : by[order]()));
    if (after.values.length > 0) sorted = sorted.where(isBehind(keys, after.values));
    return await sorted.execute();
  });
}

/**
 * Like `readPage`, for rows that don't come from one query.
 *
 * @param read returns rows in the order of the list: the rows behind a position, or from the first row on if the position has no values; at
 *   most `most` rows, or all
 */
export async function pageOf<Row>(
  cursors: Cursors,
  listing: Listing<Row>,
  { limit, cursor }: PageRequest,
  read: (after: Position, most: number | undefined) => Promise<Row[]>,
): Promise<Page<Row>> {
  const after = cursor === undefined ? { values: [], asOf: cursors.clock.now() } : readCursor(cursors, listing, cursor);
  const size = limit ?? (cursor === undefined ? undefined : DEFAULT_LIMIT);
  // One row more than the page holds tells whether another page follows.
  const found = await read(after, size === undefined ? undefined : size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  if (size === undefined || found.length <= size || last === undefined) return { rows, next: { hasMore: false } };
  return { rows, next: { cursor: writeCursor(cursors, listing, last, after.asOf), hasMore: true } };
}

type Key = Pick<SortKey<never>, 'order' | 'nullable'> & { readonly is: RawBuilder<unknown> };

/** Whether a row comes after a position; for lists that are read by statements of their own. */
export function isBehind(keys: readonly Key[], values: Position['values']): RawBuilder<boolean> {
  const [first] = keys;
  // An index can serve this comparison of rows; it needs one direction and no nullable keys.
  if (first !== undefined && keys.every(({ order, nullable }) => order === first.order && nullable !== true)) {
    const sign = sql.raw(first.order === 'asc' ? '>' : '<');
    return sql<boolean>`(${sql.join(keys.map(({ is }) => is))}) ${sign} (${sql.join(values.map((value) => sql`${value}`))})`;
  }
  const behind = isBehindFrom(keys, values);
  const [value] = values;
  if (first === undefined || first.nullable === true || value === undefined || value === null) return behind;
  // The first condition follows from the second, but it lets the engine use an index.
  return sql<boolean>`(${first.is} ${sql.raw(first.order === 'asc' ? '>=' : '<=')} ${value} and ${behind})`;
}

/** A row is behind by the first key, or equal in it and behind by the others. */
function isBehindFrom([key, ...keys]: readonly Key[], [value, ...values]: Position['values']): RawBuilder<boolean> {
  if (key === undefined || value === undefined) return sql<boolean>`1 = 0`;
  const { is, order, nullable } = key;
  const others = isBehindFrom(keys, values);
  // Rows without a value come last, so only other rows without a value can follow.
  if (value === null) return sql<boolean>`(${is} is null and ${others})`;
  const sign = sql.raw(order === 'asc' ? '>' : '<');
  const last = nullable === true ? sql` or ${is} is null` : sql``;
  return sql<boolean>`(${is} ${sign} ${value}${last} or (${is} = ${value} and ${others}))`;
}

/**
 * Seals the position and encodes it as Base64url. The position is sealed because its reader may not be allowed to know it: a list removes
 * hidden rows only after the page was read.
 */
export function writeCursor<Row>(cursors: Cursors, listing: Listing<Row>, last: Row, asOf: number): string {
  const position = utf8(JSON.stringify([asOf, ...listing.by.map(({ of }) => of(last))]));
  const sealed = sealWithKey(cursors.keys.cursor, position, scopeOf(listing), cursors.random);
  const text = Buffer.from(sealed).toString('base64url');
  if (text.length > LONGEST_CURSOR) throw new Error(`the keys that ${listing.list} is sorted by are too long`);
  return text;
}

/** @throws Problem invalid INVALID_CURSOR for any text that `writeCursor` did not make for this list */
export function readCursor<Row>(cursors: Pick<Cursors, 'keys'>, listing: Listing<Row>, text: string): Position {
  const position = text.length <= LONGEST_CURSOR ? open(cursors.keys.cursor, listing, text) : undefined;
  if (position !== undefined) return position;
  const message = 'is not valid for this list';
  const sentence = `cursor: ${message}. Begin again without one.`;
  throw fieldProblem('cursor', message, { code: 'INVALID_CURSOR', sentence });
}

function open<Row>(key: Uint8Array, listing: Listing<Row>, text: string): Position | undefined {
  const sealed = Buffer.from(text, 'base64url');
  // Decoding skips characters that aren't base64url, but each cursor must have only one spelling.
  if (sealed.length === 0 || sealed.toString('base64url') !== text) return undefined;
  try {
    const position = Buffer.from(openWithKey(key, sealed, scopeOf(listing))).toString('utf8');
    const [asOf, ...values] = JSON.parse(position) as [number, ...(SortValue | null)[]];
    return { asOf, values };
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** The list, filter and member that the cursor is valid for. */
function scopeOf<Row>({ list, memberId, filter = {}, by }: Listing<Row>): Uint8Array {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const order = by.map(({ column, order: direction, nullable = false }) => [column, direction, nullable]);
  return canonicalJsonBytes({ for: 'conclave/cursor/v3', list, memberId, filter: given, order });
}
