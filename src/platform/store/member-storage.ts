import { sql } from 'kysely';
import type { Db } from './database.ts';
import { writtenQuery } from './written-query.ts';

/**
 * The bytes that a member keeps, of all services together. A service takes bytes in the transaction that makes its row, and returns them in
 * the transaction that removes the row. So the number is always the sum over all rows.
 */

/** The items that count against the storage quota, in words for people. Each service whose bytes count has an item. */
export const countedStorage: readonly string[] = [
  'attachments of own password vaults',
  'documents sealed for a quorum',
  'e-mail',
  'files in own containers',
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
