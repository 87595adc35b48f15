import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Admission to the pool: the signed lists, who they name, and who asks to be named. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  const { schema } = db;

  await schema
    .createTable('pool_state')
    .addColumn('id', integer, (column) => column.primaryKey().notNull())
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('ledger_index', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  const lists = (table: string) =>
    schema
      .createTable(table)
      .addColumn('pool_id', text, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('document', text, (column) => column.notNull())
      .addColumn('signatures', text, (column) => column.notNull())
      .addColumn('source', text, (column) => column.notNull());
  await lists('pool_lists')
    .addColumn('accepted_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_lists_pkey', ['pool_id', 'version'])
    .modifyEnd(types.table)
    .execute();
  await lists('pool_evidence')
    .addColumn('found_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_evidence_pkey', ['pool_id', 'hash'])
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('pool_writers')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('mail_domain', text)
    .addColumn('added_at', integer, (column) => column.notNull())
    .addColumn('added_by', text, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .addColumn('removed_version', integer)
    .addPrimaryKeyConstraint('pool_writers_pkey', ['pool_id', 'node_id'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('pool_writers_mail_domain')
    .on('pool_writers')
    .columns(['pool_id', 'mail_domain'])
    .where('mail_domain', 'is not', null)
    .execute();

  await schema
    .createTable('pool_contacts')
    .addColumn('node_id', text, (column) => column.primaryKey().notNull())
    .addColumn('addresses', text, (column) => column.notNull())
    .addColumn('last_seen_at', integer)
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('pool_requests')
    .addColumn('node_id', text, (column) => column.primaryKey().notNull())
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('document', text, (column) => column.notNull())
    .addColumn('signature', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('message', text, (column) => column.notNull())
    .addColumn('mail_domain', text)
    .addColumn('addresses', text, (column) => column.notNull())
    .addColumn('requested_at', integer, (column) => column.notNull())
    .addColumn('received_at', integer, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('decided_at', integer)
    .addColumn('decided_by', text)
    .addColumn('denial', text)
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('pool_requests_status_received_at')
    .on('pool_requests')
    .columns(['status', 'received_at', 'node_id'])
    .execute();

  await schema
    .createTable('pool_joins')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('pool_id', text)
    .addColumn('host_key', text)
    .addColumn('message', text, (column) => column.notNull())
    .addColumn('mail_domain', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('asked_at', integer, (column) => column.notNull())
    .addColumn('requested_at', integer)
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('last_error', text)
    .modifyEnd(types.table)
    .execute();
}
