import { sql } from 'kysely';
import type { Database, Db } from './database.ts';
import type { EngineStatements } from './per-engine.ts';
import { writtenList, writtenQuery } from './written-query.ts';

/**
 * The bytes that a member keeps, of all services together. A service takes bytes in the transaction that makes its row, and returns them in
 * the transaction that removes the row. So the number is always the sum over all rows.
 */

/** The items that count against the storage quota, in words for people. Each service whose bytes count has an item. */
export const countedStorage: readonly string[] = [
  'attachments of own password vaults',
  'contacts',
  'documents sealed for a quorum',
  'e-mail',
  'events of own calendars',
  'files in own containers',
  'messages in conversations',
  'pictures, videos and sounds of own posts',
];

// The statement that adds also compares: of two concurrent requests, the second sees the bytes that the first took.
const take = writtenQuery<{ bytes: number }>(`
  insert into member_storage (member_id, bytes)
  select cast($1 as text), cast($2 as bigint) where cast($2 as bigint) <= cast($3 as bigint)
  on conflict (member_id) do update set bytes = member_storage.bytes + excluded.bytes
  where member_storage.bytes + excluded.bytes <= cast($3 as bigint)
  returning bytes`);

const taken = writtenQuery<{ bytes: number }>('select bytes from member_storage where member_id = $1');

// Rows that the condition excludes are locked all the same, one after another. Who has no row gets one, since it could not be locked.
const lock = writtenList(
  0,
  (ids) => `
  insert into member_storage (member_id, bytes) select id, 0 from members where id in ${ids} order by id
  on conflict (member_id) do update set bytes = excluded.bytes where false`,
);

export const engineStatements: EngineStatements = { sqljs: () => [], postgres: () => [lock([''])] };

/**
 * Rows of one table are always taken in the order of their ids: two transactions that each have what the other one wants next would wait for
 * each other, and PostgreSQL notices that only after a second. So a transaction that takes or returns bytes of several members, or writes
 * what belongs to several, locks these members before it writes any of it. On the embedded engine nobody else writes meanwhile.
 */
export async function lockMembers(
  { db, store }: { readonly db: Db; readonly store: Pick<Database, 'engine'> },
  ids: readonly string[],
): Promise<void> {
  if (store.engine !== 'postgres' || ids.length === 0) return;
  await db.executeQuery(lock([...new Set(ids)]));
}

/** @returns whether there was room; if not, nothing is taken */
export async function takeBytes(db: Db, memberId: string, bytes: number, quota: number): Promise<boolean> {
  const { rows } = await db.executeQuery(take(memberId, bytes, quota));
  return rows.length === 1;
}

export async function giveBytesBack(db: Db, memberId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await db
    .updateTable('member_storage')
    .set((e) => ({ bytes: e('bytes', '-', bytes) }))
    .where('member_id', '=', memberId)
    .execute();
}

export async function bytesOf(db: Db, memberId: string): Promise<number> {
  const { rows } = await db.executeQuery(taken(memberId));
  return rows[0]?.bytes ?? 0;
}

/** The bytes of all members together. */
export async function bytesOfAll(db: Db): Promise<number> {
  // In PostgreSQL the sum of a column has another type.
  const all = sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes');
  const { bytes } = await db.selectFrom('member_storage').select(all).executeTakeFirstOrThrow();
  return bytes;
}
