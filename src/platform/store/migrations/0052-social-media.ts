import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Pictures, videos and sounds of posts and profiles, in encrypted blocks. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await schema
    .createTable('social_media')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('mime_type', text)
    .addColumn('node_key', blob)
    .addColumn('width', integer, (column) => column.notNull())
    .addColumn('height', integer, (column) => column.notNull())
    .addColumn('alt_text', text, (column) => column.notNull())
    .addColumn('sensitive', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('social_media_expiry')
    .on('social_media')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();
  await schema.createIndex('social_media_owner').on('social_media').columns(['owner_id', 'expires_at']).execute();
  await schema
    .createTable('social_media_blocks')
    .addColumn('media_id', text, (column) => column.notNull().references('social_media.id').onDelete('cascade'))
    .addColumn('piece', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('block_id', text)
    .addColumn('sealed', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_media_blocks_key', ['media_id', 'piece'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('social_media_blocks_block')
    .on('social_media_blocks')
    .column('block_id')
    .where('block_id', 'is not', null)
    .execute();
  await schema
    .createTable('social_post_media')
    .addColumn('post_id', text, (column) => column.notNull())
    .addColumn('position', integer, (column) => column.notNull())
    .addColumn('media_id', text, (column) => column.notNull().references('social_media.id').onDelete('cascade'))
    .addColumn('alt_text', text, (column) => column.notNull())
    .addColumn('sensitive', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_post_media_key', ['post_id', 'position'])
    .modifyEnd(types.table)
    .execute();
  for (const name of ['picture_id', 'header_id'])
    await schema.alterTable('social_profiles').addColumn(name, text).execute();
  await schema.createIndex('social_post_media_media').on('social_post_media').column('media_id').unique().execute();
}
