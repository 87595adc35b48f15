import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Tables } from '../tables/tables.ts';

/** A column that holds the id of a block. The block stays while a row has its id there. */
interface BlockColumn {
  readonly table: keyof Tables;
  readonly column: string;
}

/** The columns of a table that may hold the id of a block, by the pattern of their names. */
type BlockColumnOf<T> = Extract<keyof T, 'block_id' | `${string}_block_id`>;

function column<T extends keyof Tables>(table: T, name: BlockColumnOf<Tables[T]>): BlockColumn {
  return { table, column: name };
}

/** All columns that keep blocks alive. A table that is missing here loses its blocks; a test compares the list with the store's columns. */
export const blockColumns: readonly BlockColumn[] = [
  column('passvault_attachments', 'block_id'),
  column('quorum_documents', 'block_id'),
  column('quorum_reshares', 'new_block_id'),
  column('mail_parts', 'block_id'),
  column('file_blocks', 'block_id'),
  column('social_media_blocks', 'block_id'),
  column('social_archive_blocks', 'block_id'),
  column('conversation_attachment_blocks', 'block_id'),
];

/** Ids of blocks that rows of a table refer to, in their order. @param after the last one of the page before */
export async function referredBlocks(
  db: Db,
  { table, column: name }: BlockColumn,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select distinct ${sql.ref(name)} as id from ${sql.table(table)}
    where ${sql.ref(name)} > ${after} order by 1 limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether a row of any table refers to the block. */
export async function isReferred(db: Db, blockId: string): Promise<boolean> {
  for (const one of blockColumns) if ((await referring(db, one, blockId)) !== undefined) return true;
  return false;
}

async function referring(db: Db, { table, column: name }: BlockColumn, blockId: string): Promise<unknown> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where ${sql.ref(name)} = ${blockId} limit 1`.execute(db);
  return rows[0];
}

/**
 * Keeps one row that refers to the block from being removed before the transaction of `db` ends.
 * @returns whether there is such a row
 */
export async function lockReference(db: Db, blockId: string): Promise<boolean> {
  for (const { table, column: name } of blockColumns) {
    const { rows } = await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${sql.ref(name)}
      where ${sql.ref(name)} = ${blockId} returning 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}
