import { createHmac, timingSafeEqual } from 'node:crypto';
import { sql, type SelectQueryBuilder } from 'kysely';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { Problem } from '../problem.ts';

/** What a row has where a list is sorted by; text or a whole number, as the column holds. */
export type SortValue = string | number;

/** A list that comes in pages, as one caller sees it. Its cursors are good for nothing else. */
export interface Listing<Row> {
  /** key of the node's cursors, see config/node-keys.ts */
  readonly key: Uint8Array;
  /** the operation that shows it */
  readonly list: string;
  /** who asks */
  readonly memberId: string;
  /** what chooses its rows, beside who asks; another choice is another list */
  readonly filter?: Readonly<Record<string, SortValue | undefined>>;
  readonly order: 'asc' | 'desc';
  /** columns that together are unique, the most significant first, none of them null, and how a row names them */
  readonly by: readonly (readonly [column: string, of: (row: Row) => SortValue])[];
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Row> {
  readonly rows: Row[];
  /** as replies carry it */
  readonly next: { cursor?: string; hasMore: boolean };
}

/** 128 bits: a forged cursor only asks for another page of the same list, and can't be tried offline. */
const tagBytes = 16;
/** Nobody's sort keys are longer; a bound before anything is computed. */
const maximumLength = 4096;

/**
 * One page of a list: the rows behind the cursor, in the list's order, on both engines.
 * @throws Problem invalid INVALID_CURSOR for a cursor that was not given out for this list, filter, order and member
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  listing: Listing<Row>,
  { limit, cursor }: PageRequest,
): Promise<Page<Row>> {
  const columns = listing.by.map(([column]) => sql.ref(column));
  let sorted = query.limit(limit + 1);
  for (const column of columns) sorted = sorted.orderBy(column, listing.order);
  if (cursor !== undefined) {
    const after = readCursor(listing, cursor).map((value) => sql`${value}`);
    const behind = sql.raw(listing.order === 'asc' ? '>' : '<');
    sorted = sorted.where(sql<boolean>`(${sql.join(columns)}) ${behind} (${sql.join(after)})`);
  }
  const found = await sorted.execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit || last === undefined) return { rows, next: { hasMore: false } };
  return { rows, next: { cursor: writeCursor(listing, last), hasMore: true } };
}

/** Base64url of tag and JSON: opaque to clients, who could otherwise ask for positions that no page ever ended at. */
export function writeCursor<Row>(listing: Listing<Row>, last: Row): string {
  const body = Buffer.from(JSON.stringify(listing.by.map(([, of]) => of(last))));
  return Buffer.concat([tagOf(listing, body), body]).toString('base64url');
}

/** @throws Problem invalid INVALID_CURSOR for everything that `writeCursor` did not make for this list */
export function readCursor<Row>(listing: Listing<Row>, text: string): SortValue[] {
  const position = text.length <= maximumLength ? open(listing, text) : undefined;
  if (position !== undefined) return position;
  const message = 'is not one that the server gave out for this list';
  throw new Problem('invalid', 'INVALID_CURSOR', `cursor: ${message}. Begin again without one.`, {
    fields: [{ path: 'cursor', message }],
  });
}

function open<Row>(listing: Listing<Row>, text: string): SortValue[] | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips what isn't base64url; each cursor has one spelling.
  if (bytes.length <= tagBytes || bytes.toString('base64url') !== text) return undefined;
  const body = bytes.subarray(tagBytes);
  if (!timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(listing, body))) return undefined;
  return JSON.parse(body.toString('utf8')) as SortValue[];
}

/** Over what the cursor is good for, and where the page ended. Canonical JSON holds no zero byte. */
function tagOf<Row>({ key, list, memberId, filter = {}, order, by }: Listing<Row>, body: Uint8Array): Buffer {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const scope = { list, memberId, filter: given, order, by: by.map(([column]) => column) };
  return createHmac('sha256', key)
    .update('conclave/cursor/v2\0')
    .update(canonicalJsonBytes(scope))
    .update('\0')
    .update(body)
    .digest()
    .subarray(0, tagBytes);
}
