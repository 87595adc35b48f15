import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What surrounds files: approvals of what several have to agree on, notices of quotas, and canaries. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('file_approval_policies')
    .addColumn('container_id', text, (column) => column.primaryKey().notNull().references('file_containers.id'))
    .addColumn('destruction', integer, (column) => column.notNull())
    .addColumn('external_share', integer, (column) => column.notNull())
    .addColumn('bulk_delete', integer, (column) => column.notNull())
    .addColumn('acl_change', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('file_approvals')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('operation', text, (column) => column.notNull())
    .addColumn('target_type', text, (column) => column.notNull())
    .addColumn('target_id', text, (column) => column.notNull())
    .addColumn('requester_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('required', integer, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('decided_by', text)
    .addColumn('decision', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('ended_at', integer)
    .modifyEnd(table)
    .execute();
  const approvals = (name: string, ...columns: string[]) =>
    schema.createIndex(`file_approvals_${name}`).on('file_approvals').columns(columns).execute();
  await approvals('target', 'target_id', 'operation', 'status');
  await approvals('container', 'container_id', 'id');
  await approvals('requester', 'requester_id', 'id');
  await approvals('node', 'node_id', 'id');
  await schema
    .createTable('file_approval_votes')
    .addColumn('approval_id', text, (column) => column.notNull().references('file_approvals.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('signature', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_approval_votes_key', ['approval_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('file_quota_notices')
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('quota', integer, (column) => column.notNull())
    .addColumn('percent', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_quota_notices_key', ['subject', 'quota', 'percent'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('file_canaries')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('condition', text, (column) => column.notNull())
    .addColumn('hours', integer)
    .addColumn('warn_hours', integer)
    .addColumn('actions', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('firing', integer, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .addColumn('warned_at', integer)
    .addColumn('fired_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('file_canaries_owner').on('file_canaries').columns(['owner_id', 'id']).execute();
  await schema
    .createTable('file_canary_files')
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('canary_id', text, (column) => column.notNull().references('file_canaries.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('file_canary_files_key', ['file_id', 'canary_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('file_canary_files_canary').on('file_canary_files').column('canary_id').execute();
  await schema
    .createTable('file_canary_steps')
    .addColumn('canary_id', text, (column) => column.notNull().references('file_canaries.id').onDelete('cascade'))
    .addColumn('firing', integer, (column) => column.notNull())
    .addColumn('place', integer, (column) => column.notNull())
    .addColumn('step', text, (column) => column.notNull())
    .addColumn('outcome', text)
    .addColumn('done_at', integer)
    .addPrimaryKeyConstraint('file_canary_steps_key', ['canary_id', 'firing', 'place'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('duress_codes')
    .addColumn('member_id', text, (column) =>
      column.primaryKey().notNull().references('members.id').onDelete('cascade'),
    )
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('salt', blob, (column) => column.notNull())
    .addColumn('verifier', blob, (column) => column.notNull())
    .addColumn('memory_kib', integer, (column) => column.notNull())
    .addColumn('passes', integer, (column) => column.notNull())
    .addColumn('lanes', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();

  await schema.createIndex('file_audit_member').on('file_audit').columns(['member_id', 'ledger_entry']).execute();
}
