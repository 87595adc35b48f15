import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What members keep for themselves: lists, bookmarks, filters, imports and archives. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  await lists(schema, types);
  await bookmarks(schema, types);
  await filters(schema, types);
  await imports(schema, types);
  await archives(schema, types);
}

type Schema = Db['schema'];

async function lists(schema: Schema, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('social_lists')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('social_lists_name')
    .on('social_lists')
    .columns(['owner_id', 'kind', 'name_key'])
    .unique()
    .execute();
  await schema
    .createTable('social_list_members')
    .addColumn('list_id', text, (column) => column.notNull().references('social_lists.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_list_members_key', ['list_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('social_list_members_member').on('social_list_members').column('member_id').execute();
}

async function bookmarks(schema: Schema, { text, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('social_bookmarks')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('post_id', text, (column) => column.notNull().references('social_posts.id').onDelete('cascade'))
    .modifyEnd(table)
    .execute();
  const index = (name: string, ...columns: string[]) =>
    schema.createIndex(`social_bookmarks_${name}`).on('social_bookmarks').columns(columns);
  await index('once', 'member_id', 'post_id').unique().execute();
  await index('newest', 'member_id', 'id').execute();
  await index('post', 'post_id').execute();
}

async function filters(schema: Schema, { text, integer, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('social_filters')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('phrase', text, (column) => column.notNull())
    .addColumn('whole_word', integer, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('contexts', text, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_filters_member').on('social_filters').columns(['member_id', 'id']).execute();
}

async function imports(schema: Schema, { text, integer, table }: ColumnTypes): Promise<void> {
  let making = schema
    .createTable('social_imports')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().unique().references('members.id').onDelete('cascade'));
  for (const column of ['what', 'mode', 'state', 'lines', 'report'])
    making = making.addColumn(column, text, (is) => is.notNull());
  const counts = [
    'total',
    'done',
    'imported',
    'requested',
    'present',
    'removed',
    'refused',
    'created_at',
    'updated_at',
  ];
  for (const column of counts) making = making.addColumn(column, integer, (is) => is.notNull());
  await making.modifyEnd(table).execute();
}

async function archives(schema: Schema, { text, integer, blob, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('social_archives')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().unique().references('members.id').onDelete('cascade'))
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('done', integer, (column) => column.notNull())
    .addColumn('total', integer, (column) => column.notNull())
    .addColumn('sealed_key', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('finished_at', integer)
    .addColumn('expires_at', integer)
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_archives_expiry').on('social_archives').column('expires_at').execute();
  // No cascade: whoever removes the row must also drop the block.
  await schema
    .createTable('social_archive_blocks')
    .addColumn('archive_id', text, (column) => column.notNull().references('social_archives.id'))
    .addColumn('piece', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('block_id', text)
    .addColumn('sealed', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_archive_blocks_key', ['archive_id', 'piece'])
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_archive_blocks_block').on('social_archive_blocks').column('block_id').execute();
}
