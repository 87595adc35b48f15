import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { utf8, type Random } from '../crypto/bytes.ts';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../crypto/sealing.ts';
import { fieldProblem } from '../problem.ts';
import { pageLimits } from '../contract/page/limits.ts';

/** What a row has where a list is sorted by; text or a finite number, as the column holds. */
export type SortValue = string | number;

/** One key of an order. Rows with equal keys are told apart by the next one; the last makes them unique. */
export interface SortKey<Row> {
  /** the column, or the name of what `sql` computes */
  readonly column: string;
  readonly order: 'asc' | 'desc';
  /** how a row of the query says it */
  readonly of: (row: Row) => SortValue | null;
  /** rows without a value come last in either direction: the engines don't agree on where they would come */
  readonly nullable?: boolean;
  /** computed instead of a column, as of the moment of the first page; never null unless `nullable` */
  readonly sql?: (asOf: number) => RawBuilder<unknown>;
}

/** A list that comes in pages, as one caller sees it. Its cursors are good for nothing else. */
export interface Listing<Row> {
  /** the operation that shows it */
  readonly list: string;
  /** who asks; empty for a list that is the same for everybody */
  readonly memberId: string;
  /** what chooses its rows, beside who asks; another choice is another list */
  readonly filter?: Readonly<Record<string, SortValue | boolean | undefined>>;
  /** the most significant first */
  readonly by: readonly SortKey<Row>[];
}

/** The key for cursors; a context has it. */
export interface Cursors {
  readonly keys: { readonly cursor: Uint8Array };
  readonly random: Random;
  readonly clock: { now(): number };
}

/** Without limit and cursor, the page is all of the list. */
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

/** Where a page ended. */
export interface Position {
  readonly values: readonly (SortValue | null)[];
  /** the moment of the first page, which all pages of a walk through the list keep to */
  readonly asOf: number;
}

/** Rows of a page that is asked for by its cursor alone. */
export const DEFAULT_LIMIT = pageLimits.size;
/** Characters; as the contract takes them. A bound before anything is opened. */
const LONGEST_CURSOR = pageLimits.cursor;

export function asc<Row>(column: string, of: SortKey<Row>['of'], more: Partial<SortKey<Row>> = {}): SortKey<Row> {
  return { column, of, order: 'asc', ...more };
}

export function desc<Row>(column: string, of: SortKey<Row>['of'], more: Partial<SortKey<Row>> = {}): SortKey<Row> {
  return { column, of, order: 'desc', ...more };
}

/**
 * One page of a list: the rows behind the cursor, in the list's order, on both engines. A row that stays where it is in the order
 * is in exactly one page of a walk, whatever comes and goes meanwhile.
 *
 * @param query without order and limit; a function where what it selects depends on the moment of the first page
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
 * The same where rows don't come from one query.
 *
 * @param read answers the rows behind a position (behind none: from the first on), in the order of the list; all of them, or `most`
 */
export async function pageOf<Row>(
  cursors: Cursors,
  listing: Listing<Row>,
  { limit, cursor }: PageRequest,
  read: (after: Position, most: number | undefined) => Promise<Row[]>,
): Promise<Page<Row>> {
  const after = cursor === undefined ? { values: [], asOf: cursors.clock.now() } : readCursor(cursors, listing, cursor);
  const size = limit ?? (cursor === undefined ? undefined : DEFAULT_LIMIT);
  // One more than the page tells whether there is another.
  const found = await read(after, size === undefined ? undefined : size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  if (size === undefined || found.length <= size || last === undefined) return { rows, next: { hasMore: false } };
  return { rows, next: { cursor: writeCursor(cursors, listing, last, after.asOf), hasMore: true } };
}

type Key = Pick<SortKey<never>, 'order' | 'nullable'> & { readonly is: RawBuilder<unknown> };

/** Whether a row comes after a position. */
function isBehind(keys: readonly Key[], values: Position['values']): RawBuilder<boolean> {
  const [first] = keys;
  // What an index is read by, where the keys allow it.
  if (first !== undefined && keys.every(({ order, nullable }) => order === first.order && nullable !== true)) {
    const sign = sql.raw(first.order === 'asc' ? '>' : '<');
    return sql<boolean>`(${sql.join(keys.map(({ is }) => is))}) ${sign} (${sql.join(values.map((value) => sql`${value}`))})`;
  }
  const behind = isBehindFrom(keys, values);
  const [value] = values;
  if (first === undefined || first.nullable === true || value === undefined || value === null) return behind;
  // Says nothing new, but an index can be entered there.
  return sql<boolean>`(${first.is} ${sql.raw(first.order === 'asc' ? '>=' : '<=')} ${value} and ${behind})`;
}

/** Behind by the first key, or equal in it and behind by the others. */
function isBehindFrom([key, ...keys]: readonly Key[], [value, ...values]: Position['values']): RawBuilder<boolean> {
  if (key === undefined || value === undefined) return sql<boolean>`1 = 0`;
  const { is, order, nullable } = key;
  const others = isBehindFrom(keys, values);
  // Nothing comes behind what has no value but others that have none.
  if (value === null) return sql<boolean>`(${is} is null and ${others})`;
  const sign = sql.raw(order === 'asc' ? '>' : '<');
  const last = nullable === true ? sql` or ${is} is null` : sql``;
  return sql<boolean>`(${is} ${sign} ${value}${last} or (${is} = ${value} and ${others}))`;
}

/**
 * Base64url of the sealed position. What a page ended at may be nothing that its reader may know of: lists leave out what is hidden
 * from them after it was read.
 */
export function writeCursor<Row>(cursors: Cursors, listing: Listing<Row>, last: Row, asOf: number): string {
  const position = utf8(JSON.stringify([asOf, ...listing.by.map(({ of }) => of(last))]));
  const sealed = sealWithKey(cursors.keys.cursor, position, scopeOf(listing), cursors.random);
  const text = Buffer.from(sealed).toString('base64url');
  if (text.length > LONGEST_CURSOR) throw new Error(`the keys that ${listing.list} is sorted by are too long`);
  return text;
}

/** @throws Problem invalid INVALID_CURSOR for everything that `writeCursor` did not make for this list */
export function readCursor<Row>(cursors: Pick<Cursors, 'keys'>, listing: Listing<Row>, text: string): Position {
  const position = text.length <= LONGEST_CURSOR ? open(cursors.keys.cursor, listing, text) : undefined;
  if (position !== undefined) return position;
  const message = 'is not valid for this list';
  const sentence = `cursor: ${message}. Begin again without one.`;
  throw fieldProblem('cursor', message, { code: 'INVALID_CURSOR', sentence });
}

function open<Row>(key: Uint8Array, listing: Listing<Row>, text: string): Position | undefined {
  const sealed = Buffer.from(text, 'base64url');
  // Decoding skips what isn't base64url; each cursor has one spelling.
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
