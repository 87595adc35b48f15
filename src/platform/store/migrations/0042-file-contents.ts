import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The content of files: keys, encrypted blocks, versions, uploads that are not finished, and who did what. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;

  await schema
    .createTable('file_erasure')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('next_slot', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_container_keys')
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id').onDelete('cascade'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('for_node', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_container_keys_key', ['container_id', 'number'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_member_keys')
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id').onDelete('cascade'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('wrapped', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_member_keys_key', ['container_id', 'number', 'member_id'])
    .modifyEnd(types.keyedTable)
    .execute();

  await schema
    .createTable('file_contents')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('slot', integer, (column) => column.notNull())
    .addColumn('key_number', integer, (column) => column.notNull())
    .addColumn('wrapped_key', blob, (column) => column.notNull())
    .addColumn('manifest', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('chunk_size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('file_contents_file').on('file_contents').column('file_id').execute();
  await schema
    .createTable('file_blocks')
    .addColumn('content_id', text, (column) => column.notNull().references('file_contents.id').onDelete('cascade'))
    .addColumn('place', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('block_id', text)
    .addColumn('sealed', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_blocks_key', ['content_id', 'place'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('file_blocks_block')
    .on('file_blocks')
    .column('block_id')
    .where('block_id', 'is not', null)
    .execute();

  await schema
    .createTable('file_versions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('file_id', text, (column) => column.notNull().references('file_nodes.id'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull().references('file_contents.id'))
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('mime_type', text, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addUniqueConstraint('file_versions_number', ['file_id', 'number'])
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('file_versions_content').on('file_versions').column('content_id').execute();

  await schema
    .createTable('file_uploads')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('folder_id', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('replaces', integer, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('mime_type', text, (column) => column.notNull())
    .addColumn('modified_at', integer)
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('chunk_size', integer, (column) => column.notNull())
    .addColumn('chunks', integer, (column) => column.notNull())
    .addColumn('finalized_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('file_uploads_expiry').on('file_uploads').column('expires_at').execute();

  await schema
    .createTable('file_destructions')
    .addColumn('file_id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('folder_id', text, (column) => column.notNull())
    .addColumn('inventory', text, (column) => column.notNull())
    .addColumn('root', text, (column) => column.notNull())
    .addColumn('slots', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('requested_by', text, (column) => column.notNull())
    .addColumn('requested_at', integer, (column) => column.notNull())
    .addColumn('ledger_entry', text)
    .addColumn('destroyed_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('file_destructions_container')
    .on('file_destructions')
    .columns(['container_id', 'file_id'])
    .execute();

  await schema
    .createTable('file_audit')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull())
    .addColumn('node_id', text)
    .addColumn('member_id', text)
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('metadata', text)
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  const audit = (name: string, ...columns: string[]) =>
    schema.createIndex(`file_audit_${name}`).on('file_audit').columns(columns).execute();
  await audit('container', 'container_id', 'ledger_entry');
  await audit('node', 'node_id', 'ledger_entry');
}
