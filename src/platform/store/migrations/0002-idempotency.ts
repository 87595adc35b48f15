import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Answers that a repeated request gets again. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('key_hash', text, (column) => column.notNull())
    .addColumn('request_hash', text, (column) => column.notNull())
    .addColumn('reply', blob)
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pkey', ['member_id', 'key_hash'])
    .modifyEnd(types.table)
    .execute();
  await db.schema.createIndex('idempotency_keys_expires_at').on('idempotency_keys').column('expires_at').execute();
}
