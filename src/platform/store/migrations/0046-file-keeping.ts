import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What keeps the file vault in order: trash, versions that go, content that was refused, watermarks. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;

  await schema
    .createTable('file_keeping')
    .addColumn('container_id', text, (column) =>
      column.primaryKey().notNull().references('file_containers.id').onDelete('cascade'),
    )
    .addColumn('trash_days', integer)
    .addColumn('versions_number', integer)
    .addColumn('versions_days', integer)
    .addColumn('visible_watermark', integer)
    .addColumn('invisible_watermark', integer)
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_origins')
    .addColumn('file_id', text, (column) =>
      column.primaryKey().notNull().references('file_nodes.id').onDelete('cascade'),
    )
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_erasures')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('slots', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();

  await schema
    .createTable('file_scans')
    .addColumn('content_id', text, (column) =>
      column.primaryKey().notNull().references('file_contents.id').onDelete('cascade'),
    )
    .addColumn('root', text, (column) => column.notNull())
    .addColumn('scanned_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_quarantine')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull().references('file_contents.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('found', text)
    .addColumn('root', text, (column) => column.notNull())
    .addColumn('upload', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('file_quarantine_container')
    .on('file_quarantine')
    .columns(['container_id', 'created_at', 'id'])
    .execute();
  await schema.createIndex('file_quarantine_content').on('file_quarantine').column('content_id').execute();

  await schema
    .createTable('file_watermarks')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('container_id', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('version_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await schema
    .createIndex('file_nodes_trash')
    .on('file_nodes')
    .columns(['container_id', 'deleted_at', 'id'])
    .where('deleted_at', 'is not', null)
    .execute();
  await schema.createIndex('file_uploads_content').on('file_uploads').column('content_id').execute();
  await schema.createIndex('file_contents_container').on('file_contents').columns(['container_id', 'id']).execute();
}
