import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The file vault: containers, the tree of folders and files, and who may do what with them. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;

  await schema
    .createTable('file_containers')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text)
    .addColumn('description', text)
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('root_id', text, (column) => column.notNull())
    .addColumn('quota', integer)
    .addColumn('used', integer, (column) => column.notNull())
    .addColumn('reserved', integer, (column) => column.notNull())
    .addColumn('quorum_governed', integer, (column) => column.notNull())
    .addColumn('client_encrypted', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addUniqueConstraint('file_containers_name', ['owner_id', 'name_key'])
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('file_nodes')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('kind', integer, (column) => column.notNull())
    .addColumn('parent_id', text, (column) => column.references('file_nodes.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('description', text)
    .addColumn('tags', text, (column) => column.notNull())
    .addColumn('mime_type', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('version_id', text)
    .addColumn('quorum_governed', integer, (column) => column.notNull())
    .addColumn('visible_watermark', integer, (column) => column.notNull())
    .addColumn('invisible_watermark', integer, (column) => column.notNull())
    .addColumn('accessed_at', integer)
    .addColumn('deleted_at', integer)
    .addColumn('destruction_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  const nodes = (name: string, ...columns: string[]) =>
    schema.createIndex(`file_nodes_${name}`).on('file_nodes').columns(columns);
  // A name in the trash is free for another.
  await nodes('place', 'parent_id', 'name_key').unique().where('deleted_at', 'is', null).execute();
  await nodes('names', 'parent_id', 'kind', 'name_key', 'id').execute();
  await nodes('dates', 'parent_id', 'kind', 'modified_at', 'id').execute();
  await nodes('sizes', 'parent_id', 'kind', 'size', 'id').execute();
  await nodes('counts', 'container_id', 'kind', 'accessed_at').execute();

  await schema
    .createTable('file_permission_sets')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('created_by', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('flags', text, (column) => column.notNull())
    .addColumn('organization_id', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addUniqueConstraint('file_permission_sets_name', ['created_by', 'name_key'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createTable('file_acl_entries')
    .addColumn('node_id', text, (column) => column.notNull().references('file_nodes.id').onDelete('cascade'))
    .addColumn('place', integer, (column) => column.notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('principal_id', text, (column) => column.notNull())
    .addColumn('level', text)
    .addColumn('flags', text)
    .addColumn('set_id', text, (column) => column.references('file_permission_sets.id'))
    .addColumn('conditions', text)
    .addPrimaryKeyConstraint('file_acl_entries_key', ['node_id', 'place'])
    .modifyEnd(types.keyedTable)
    .execute();
  const entries = (name: string, ...columns: string[]) =>
    schema.createIndex(`file_acl_entries_${name}`).on('file_acl_entries').columns(columns).execute();
  await entries('principal', 'principal_id', 'container_id');
  await entries('set', 'set_id');
}
