import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Members with what belongs to each, their sessions, and the jobs of the node. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, real, blob } = types;
  const { schema } = db;

  await schema
    .createTable('members')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('username', text, (column) => column.notNull())
    .addColumn('username_key', text, (column) => column.notNull().unique())
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('email_key', text, (column) => column.notNull().unique())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull().unique())
    .addColumn('mnemonic_tag', text, (column) => column.notNull().unique())
    .addColumn('email_verified', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('role_updated_at', integer, (column) => column.notNull())
    .addColumn('role_updated_by', text, (column) => column.notNull())
    .addColumn('last_login_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('members_created_at_id').on('members').columns(['created_at', 'id']).execute();

  const ofMember = (table: string) =>
    schema
      .createTable(table)
      .addColumn('member_id', text, (column) =>
        column.primaryKey().notNull().references('members.id').onDelete('cascade'),
      );

  await ofMember('member_credentials')
    .addColumn('verifier', blob, (column) => column.notNull())
    .addColumn('memory_kib', integer, (column) => column.notNull())
    .addColumn('passes', integer, (column) => column.notNull())
    .addColumn('lanes', integer, (column) => column.notNull())
    .addColumn('argon2_salt', blob, (column) => column.notNull())
    .addColumn('wrapped_key', blob, (column) => column.notNull())
    .addColumn('pbkdf2_iterations', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await ofMember('member_settings')
    .addColumn('timezone', text, (column) => column.notNull())
    .addColumn('site_language', text, (column) => column.notNull())
    .addColumn('currency', text, (column) => column.notNull())
    .addColumn('dark_mode', integer, (column) => column.notNull())
    .addColumn('direct_challenge', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await ofMember('member_profiles')
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('storage_quota', text, (column) => column.notNull())
    .addColumn('storage_used', text, (column) => column.notNull())
    .addColumn('last_active', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('auto_replication', integer, (column) => column.notNull())
    .addColumn('min_redundancy', integer, (column) => column.notNull())
    .addColumn('preferred_regions', text, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await ofMember('energy_accounts')
    .addColumn('balance', real, (column) => column.notNull())
    .addColumn('earned', real, (column) => column.notNull())
    .addColumn('spent', real, (column) => column.notNull())
    .addColumn('reserved', real, (column) => column.notNull())
    .addColumn('reputation', real, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await ofMember('social_profiles')
    .addColumn('display_name', text, (column) => column.notNull())
    .addColumn('bio', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('sessions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('jti_hash', text, (column) => column.notNull().unique())
    .addColumn('previous_jti_hash', text)
    .addColumn('previous_until', integer)
    .addColumn('sealed_key', blob)
    .addColumn('previous_sealed_key', blob)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_used_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('sessions_member_id').on('sessions').column('member_id').execute();
  await schema.createIndex('sessions_expires_at').on('sessions').column('expires_at').execute();
  await schema
    .createIndex('sessions_previous_jti_hash')
    .on('sessions')
    .column('previous_jti_hash')
    .where('previous_jti_hash', 'is not', null)
    .execute();

  await schema
    .createTable('used_direct_login_tokens')
    .addColumn('nonce', text, (column) => column.primaryKey().notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createIndex('used_direct_login_tokens_expires_at')
    .on('used_direct_login_tokens')
    .column('expires_at')
    .execute();

  await schema
    .createTable('backup_codes')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('tag', text, (column) => column.notNull().unique())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('backup_codes_member_id').on('backup_codes').column('member_id').execute();

  await schema
    .createTable('jobs')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('run_at', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('claimed_until', integer)
    .addColumn('last_error', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('jobs_run_at').on('jobs').column('run_at').execute();
}
