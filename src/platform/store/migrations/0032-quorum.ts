import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The quorum: its members and epochs, sealed documents with their shares, proposals with their votes, aliases, and what an audit verified. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;

  await schema
    .createTable('quorum_members')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('email', text)
    .addColumn('role', text)
    .addColumn('account_id', text)
    .addColumn('active', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('quorum_members_account').on('quorum_members').columns(['account_id', 'active']).execute();

  await schema
    .createTable('quorum_epochs')
    .addColumn('number', integer, (column) => column.primaryKey().notNull())
    .addColumn('mode', text, (column) => column.notNull())
    .addColumn('threshold', integer, (column) => column.notNull())
    .addColumn('member_ids', text, (column) => column.notNull())
    .addColumn('inner_member_ids', text, (column) => column.notNull())
    .addColumn('previous', integer)
    .addColumn('proposal_id', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  // One row with id 1, which every change of the membership locks first.
  await schema
    .createTable('quorum_state')
    .addColumn('id', integer, (column) => column.primaryKey().notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('quorum_documents')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('creator_id', text, (column) => column.notNull())
    .addColumn('header', text, (column) => column.notNull())
    .addColumn('generation', integer, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('shares_required', integer, (column) => column.notNull())
    .addColumn('block_id', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('reshared_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('quorum_documents_creator').on('quorum_documents').columns(['creator_id', 'id']).execute();
  await schema.createIndex('quorum_documents_block').on('quorum_documents').column('block_id').execute();

  await schema
    .createTable('quorum_shares')
    .addColumn('document_id', text, (column) => column.notNull().references('quorum_documents.id').onDelete('cascade'))
    .addColumn('generation', integer, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('encrypted_share', blob, (column) => column.notNull())
    .addColumn('salt', blob, (column) => column.notNull())
    .addColumn('commitment', text, (column) => column.notNull())
    .addColumn('confirmation', text)
    .addColumn('confirmed_at', integer)
    .addPrimaryKeyConstraint('quorum_shares_key', ['document_id', 'generation', 'member_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('quorum_shares_member').on('quorum_shares').columns(['member_id', 'document_id']).execute();

  await schema
    .createTable('quorum_sessions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('document_id', text, (column) => column.notNull().references('quorum_documents.id').onDelete('cascade'))
    .addColumn('generation', integer, (column) => column.notNull())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('requester_id', text, (column) => column.notNull())
    .addColumn('ephemeral_public_key', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('proposal_id', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('ended_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('quorum_sessions_document')
    .on('quorum_sessions')
    .columns(['document_id', 'status'])
    .execute();
  await schema.createIndex('quorum_sessions_status').on('quorum_sessions').columns(['status', 'expires_at']).execute();

  await schema
    .createTable('quorum_contributions')
    .addColumn('session_id', text, (column) => column.notNull().references('quorum_sessions.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('encrypted_share', blob)
    .addColumn('share_hash', text, (column) => column.notNull())
    .addColumn('signature', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('quorum_contributions_key', ['session_id', 'member_id'])
    .modifyEnd(types.keyedTable)
    .execute();

  await schema
    .createTable('quorum_reshares')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('document_id', text, (column) => column.notNull().references('quorum_documents.id').onDelete('cascade'))
    .addColumn('session_id', text, (column) => column.notNull())
    .addColumn('requester_id', text, (column) => column.notNull())
    .addColumn('rekey', integer, (column) => column.notNull())
    .addColumn('from_generation', integer, (column) => column.notNull())
    .addColumn('to_generation', integer, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('member_ids', text, (column) => column.notNull())
    .addColumn('shares_required', integer, (column) => column.notNull())
    .addColumn('header', text)
    .addColumn('new_block_id', text)
    .addColumn('size', integer)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('ended_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('quorum_reshares_document')
    .on('quorum_reshares')
    .columns(['document_id', 'status'])
    .execute();
  await schema.createIndex('quorum_reshares_block').on('quorum_reshares').column('new_block_id').execute();

  await schema
    .createTable('quorum_proposals')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('action_type', text, (column) => column.notNull())
    .addColumn('action_payload', text, (column) => column.notNull())
    .addColumn('action_hash', text, (column) => column.notNull())
    .addColumn('proposer_id', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('required_threshold', integer, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('attachment_cbl_id', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('decided_at', integer)
    .addColumn('executes_at', integer)
    .addColumn('executed_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('quorum_proposals_status').on('quorum_proposals').columns(['status', 'id']).execute();

  await schema
    .createTable('quorum_votes')
    .addColumn('proposal_id', text, (column) => column.notNull().references('quorum_proposals.id').onDelete('cascade'))
    .addColumn('voter_id', text, (column) => column.notNull())
    .addColumn('decision', text, (column) => column.notNull())
    .addColumn('comment', text)
    .addColumn('signature', text, (column) => column.notNull())
    .addColumn('signed_by', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('quorum_votes_key', ['proposal_id', 'voter_id'])
    .modifyEnd(types.keyedTable)
    .execute();

  // What an executed proposal allows once: to open a document, to share it anew, or what another service asks for.
  await schema
    .createTable('quorum_permits')
    .addColumn('proposal_id', text, (column) => column.primaryKey().notNull().references('quorum_proposals.id'))
    .addColumn('action_type', text, (column) => column.notNull())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('holder_ids', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('used_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('quorum_permits_target').on('quorum_permits').columns(['action_type', 'target']).execute();

  await schema
    .createTable('quorum_aliases')
    .addColumn('name', text, (column) => column.primaryKey().notNull())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('proposal_id', text, (column) => column.notNull())
    .addColumn('registered_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('quorum_bans')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull())
    .addColumn('account_id', text)
    .addColumn('email', text)
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('proposal_id', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  // The audit trail, and how far it is verified.
  await schema
    .createTable('quorum_audit')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('actor_id', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('details', text, (column) => column.notNull())
    .addColumn('changes', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('quorum_audit_entry').on('quorum_audit').column('ledger_entry').execute();
  await schema.createIndex('quorum_audit_subject').on('quorum_audit').columns(['subject', 'ledger_entry']).execute();
  await schema
    .createTable('quorum_verified_rows')
    .addColumn('place', text, (column) => column.primaryKey().notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('quorum_verified')
    .addColumn('id', integer, (column) => column.primaryKey().notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('records', integer, (column) => column.notNull())
    .addColumn('frontier', blob, (column) => column.notNull())
    .addColumn('seal', blob, (column) => column.notNull())
    .addColumn('verified_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
}
