import { sql } from 'kysely';
import type { Db } from './database.ts';
import { writtenQuery } from './written-query.ts';

/**
 * What a member keeps, in bytes, of all services together. Whatever takes bytes does so in the transaction that makes its row, and
 * gives them back in the one that removes it; so the number is always the sum of what there is.
 */

/** What counts against the storage quota, in words for people. Each service whose bytes count has an item. */
export const countedStorage: readonly string[] = ['attachments of own password vaults'];

// The comparison stands in the statement that adds: of two that come at once, the second sees what the first took.
const take = writtenQuery<{ bytes: number }>(`
  insert into member_storage (member_id, bytes)
  select cast($1 as text), cast($2 as bigint) where cast($2 as bigint) <= cast($3 as bigint)
  on conflict (member_id) do update set bytes = member_storage.bytes + excluded.bytes
  where member_storage.bytes + excluded.bytes <= cast($3 as bigint)
  returning bytes`);

/** @returns whether there is room: otherwise nothing is taken */
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
  const row = await db
    .selectFrom('member_storage')
    .select('bytes')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Of all members together. */
export async function bytesOfAll(db: Db): Promise<number> {
  // PostgreSQL makes another type of a sum.
  const all = sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes');
  const { bytes } = await db.selectFrom('member_storage').select(all).executeTakeFirstOrThrow();
  return bytes;
}
