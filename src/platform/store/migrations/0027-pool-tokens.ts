import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Join tokens of this node, the nodes that it admitted by them, and the token that this node itself asks with. */
export async function up(db: Db, { text, integer, table }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('pool_tokens')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('document', text, (column) => column.notNull())
    .addColumn('signature', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('revoked_at', integer)
    .modifyEnd(table)
    .execute();
  await db.schema
    .createTable('pool_token_uses')
    .addColumn('token_id', text, (column) => column.notNull())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('used_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_token_uses_pkey', ['token_id', 'node_id'])
    .modifyEnd(table)
    .execute();
  await db.schema.alterTable('pool_joins').addColumn('token', text).execute();
}
