import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** An id made of an index: 32 digits, so that it sorts by the index, and before the id of every new entry. */
const idOf = (index: string) =>
  sql.raw(`substr('${'0'.repeat(32)}' || cast(${index} as text), length(cast(${index} as text)) + 1)`);

/**
 * Entries of the ledger wait for their places. Rows that are about an entry name its id, since its index and its hash are known only when it
 * has its place.
 */
export async function up(db: Db, { text, integer, counted, blob, table }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('ledger_waiting')
    .addColumn('position', counted, (column) => column.primaryKey().notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('content', blob, (column) => column.notNull())
    .addColumn('seal', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();

  await schema.alterTable('ledger_entries').addColumn('entry_id', text).execute();
  await sql`update ledger_entries set entry_id = ${idOf('leaf_index')}`.execute(db);
  await schema.createIndex('ledger_entries_entry_id').on('ledger_entries').column('entry_id').unique().execute();

  await schema.alterTable('pool_state').renameTo('pool_state_before').execute();
  await schema
    .createTable('pool_state')
    .addColumn('id', integer, (column) => column.notNull())
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_state_key', ['id'])
    .modifyEnd(table)
    .execute();
  await sql`insert into pool_state (id, pool_id, version, hash, ledger_entry)
    select id, pool_id, version, hash, ${idOf('ledger_index')} from pool_state_before`.execute(db);
  await schema.dropTable('pool_state_before').execute();

  await schema.alterTable('passvault_audit').renameTo('passvault_audit_before').execute();
  await schema
    .createTable('passvault_audit')
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('vault_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('metadata', text)
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('passvault_audit_key', ['id'])
    .modifyEnd(table)
    .execute();
  await sql`insert into passvault_audit (id, vault_id, member_id, action, metadata, ledger_entry, created_at)
    select id, vault_id, member_id, action, metadata, ${idOf('ledger_index')}, created_at
    from passvault_audit_before`.execute(db);
  await schema.dropTable('passvault_audit_before').execute();
  await schema
    .createIndex('passvault_audit_vault_id')
    .on('passvault_audit')
    .columns(['vault_id', 'ledger_entry'])
    .execute();
}
