import { sql, type RawBuilder } from 'kysely';
import type { Context } from '../../../service/context.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import {
  digestsAt,
  placeOf,
  rowDigest,
  rowPrefix,
  verifiedTables,
  type VerifiedRow,
  type VerifiedTable,
} from './row-digests.ts';

/** Rows that one statement reads. */
const PAGE = 500;

/** Rows that are not as the verified part of the ledger says, by their places. They may have changed since that part was verified. */
export type Suspects = Map<string, VerifiedRow>;

/**
 * Compares every row of the quorum with the digest that the verified part of the ledger has for it.
 * @param alive called between two pages
 */
export async function suspectsOf(ctx: Context, alive: () => Promise<void>): Promise<Suspects> {
  const suspects: Suspects = new Map();
  for (const table of Object.keys(verifiedTables) as VerifiedTable[]) {
    const known = await compareTable(ctx, table, suspects, alive);
    if (known < (await countVerified(ctx, table))) await findMissing(ctx, table, suspects);
  }
  return suspects;
}

/** @returns how many of the rows have a digest */
async function compareTable(
  { db }: Context,
  table: VerifiedTable,
  suspects: Suspects,
  alive: () => Promise<void>,
): Promise<number> {
  const columns = verifiedTables[table];
  const keys = sql.join(columns.map((column) => sql.ref(`t.${column}`)));
  let known = 0;
  let after: readonly (string | number)[] | undefined;
  for (;;) {
    const later = after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(after)})`;
    const { rows } = await sql<Record<string, unknown>>`
      select t.*, v.digest as verified_digest from ${sql.table(table)} t
      left join quorum_verified_rows v on v.place = ${placeIn(table)}
      ${later} order by ${keys} limit ${PAGE}`.execute(db);
    for (const { verified_digest: digest, ...row } of rows) {
      const key = columns.map((column) => row[column] as string | number);
      if (digest !== null) known += 1;
      if (digest !== rowDigest(table, row)) suspects.set(placeOf([table, ...key]), [table, ...key]);
      after = key;
    }
    if (rows.length < PAGE) return known;
    await alive();
  }
}

/** The place of a row `t`, as `placeOf` says it. */
function placeIn(table: VerifiedTable): RawBuilder<string> {
  const parts = verifiedTables[table].map((column) => sql`'/' || cast(${sql.ref(`t.${column}`)} as text)`);
  return sql<string>`${sql.lit(rowPrefix(table))} || ${sql.join(parts, sql` || `)}`;
}

/** The places of a table begin with its name and a slash, and the character after the slash is zero. */
function placesOf(table: VerifiedTable): RawBuilder<boolean> {
  return sql<boolean>`v.place >= ${`${rowPrefix(table)}/`} and v.place < ${`${rowPrefix(table)}0`}`;
}

async function countVerified({ db }: Context, table: VerifiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from quorum_verified_rows v where ${placesOf(table)}`.execute(db);
  return rows[0]?.count ?? 0;
}

async function findMissing({ db }: Context, table: VerifiedTable, suspects: Suspects): Promise<void> {
  const { rows } = await sql<{ place: string }>`
    with present as materialized (select ${placeIn(table)} as place from ${sql.table(table)} t)
    select v.place from quorum_verified_rows v
    where ${placesOf(table)} and v.place not in (select place from present)`.execute(db);
  for (const { place } of rows) suspects.set(place, [table, ...keyIn(table, place)]);
}

function keyIn(table: VerifiedTable, place: string): (string | number)[] {
  const rest = place.slice(rowPrefix(table).length + 1);
  const columns = verifiedTables[table];
  const parts = columns.length === 1 ? [rest] : rest.split('/');
  return parts.map((part, at) => (isNumber(table, columns[at]) ? (wholeNumber(part) ?? part) : part));
}

/** Whether a column of a key is a number. */
function isNumber(table: VerifiedTable, column: string | undefined): boolean {
  return column === 'number' || column === 'generation' || table === 'quorum_state';
}

/** What is wrong with a row, for people; undefined if it is as the verified part of the ledger says. */
export async function faultOf({ db }: Context, place: string, row: VerifiedRow): Promise<string | undefined> {
  const verified = await db
    .selectFrom('quorum_verified_rows')
    .select('digest')
    .where('place', '=', place)
    .executeTakeFirst();
  const now = (await digestsAt(db, [row]))[place] ?? undefined;
  if (verified?.digest === now) return undefined;
  if (now === undefined) return `${place} is gone`;
  return verified === undefined ? `${place} was never recorded` : `${place} is not as it was recorded`;
}
