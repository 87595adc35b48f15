import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;

  await schema
    .createTable('session_secrets')
    .addColumn('session_id', text, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('jti_hash', text, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('used_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('session_secrets_key', ['session_id', 'name', 'jti_hash'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('session_secrets_name').on('session_secrets').column('name').execute();

  await schema
    .createTable('passvault_vaults')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('name', blob, (column) => column.notNull())
    .addColumn('password_hash', text, (column) => column.notNull())
    .addColumn('argon2_salt', blob, (column) => column.notNull())
    .addColumn('memory_kib', integer, (column) => column.notNull())
    .addColumn('passes', integer, (column) => column.notNull())
    .addColumn('lanes', integer, (column) => column.notNull())
    .addColumn('wrapped_seed', blob, (column) => column.notNull())
    .addColumn('wrapped_key', blob, (column) => column.notNull())
    .addColumn('key_version', integer, (column) => column.notNull())
    .addColumn('header', blob, (column) => column.notNull())
    .addColumn('entry_count', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('passvault_vaults_owner_id').on('passvault_vaults').column('owner_id').execute();

  const ofVault = (table: string) =>
    schema
      .createTable(table)
      .addColumn('vault_id', text, (column) => column.notNull().references('passvault_vaults.id').onDelete('cascade'));

  await ofVault('passvault_members')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('wrapped_key', blob)
    .addColumn('added_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('passvault_members_key', ['vault_id', 'member_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('passvault_members_member_id').on('passvault_members').column('member_id').execute();

  await ofVault('passvault_pages')
    .addColumn('page', integer, (column) => column.notNull())
    .addColumn('records', integer, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('passvault_pages_key', ['vault_id', 'page'])
    .modifyEnd(types.table)
    .execute();

  await ofVault('passvault_entries')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('page', integer, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('passvault_entries_vault_id').on('passvault_entries').column('vault_id').execute();

  await ofVault('passvault_attachments')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('entry_id', text, (column) => column.notNull().references('passvault_entries.id').onDelete('cascade'))
    .addColumn('block_id', text, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('passvault_attachments_vault_id').on('passvault_attachments').column('vault_id').execute();
  await schema.createIndex('passvault_attachments_entry_id').on('passvault_attachments').column('entry_id').execute();

  await schema
    .createTable('passvault_emergency')
    .addColumn('vault_id', text, (column) =>
      column.primaryKey().notNull().references('passvault_vaults.id').onDelete('cascade'),
    )
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('threshold', integer, (column) => column.notNull())
    .addColumn('public_key', blob, (column) => column.notNull())
    .addColumn('wrapped_key', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await ofVault('passvault_trustees')
    .addColumn('trustee_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('encrypted_share', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('passvault_trustees_key', ['vault_id', 'trustee_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('passvault_trustees_trustee_id').on('passvault_trustees').column('trustee_id').execute();

  await schema
    .createTable('passvault_audit')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('vault_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('metadata', text)
    .addColumn('ledger_index', integer, (column) => column.notNull())
    .addColumn('ledger_hash', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('passvault_audit_vault_id')
    .on('passvault_audit')
    .columns(['vault_id', 'ledger_index'])
    .execute();
}
