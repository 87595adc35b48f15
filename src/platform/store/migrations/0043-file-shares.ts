import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Files that members share with each other, links to files, and the keys for both. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;

  await schema
    .createTable('file_shares')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('file_id', text, (column) => column.notNull().references('file_nodes.id').onDelete('cascade'))
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('recipient_id', text, (column) => column.notNull())
    .addColumn('shared_by', text, (column) => column.notNull())
    .addColumn('level', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addUniqueConstraint('file_shares_once', ['file_id', 'recipient_id', 'shared_by'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('file_shares_recipient')
    .on('file_shares')
    .columns(['recipient_id', 'container_id', 'id'])
    .execute();

  await schema
    .createTable('file_links')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('token_hash', text, (column) => column.notNull())
    .addColumn('token_start', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('version_id', text, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('mode', text, (column) => column.notNull())
    .addColumn('protected', integer, (column) => column.notNull())
    .addColumn('verifier', blob)
    .addColumn('salt', blob)
    .addColumn('memory_kib', integer, (column) => column.notNull())
    .addColumn('passes', integer, (column) => column.notNull())
    .addColumn('lanes', integer, (column) => column.notNull())
    .addColumn('ephemeral_key', text)
    .addColumn('recipient_key', text)
    .addColumn('expires_at', integer)
    .addColumn('max_count', integer)
    .addColumn('access_count', integer, (column) => column.notNull())
    .addColumn('revoked_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addUniqueConstraint('file_links_token', ['token_hash'])
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('file_links_file').on('file_links').column('file_id').execute();

  // Not strictly bound to shares and links: the hash of a key outlives the share that it was given for.
  await schema
    .createTable('file_share_keys')
    .addColumn('share_id', text, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull().references('file_contents.id').onDelete('cascade'))
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('sealed', blob)
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_share_keys_key', ['share_id', 'content_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('file_share_keys_content').on('file_share_keys').column('content_id').execute();
}
