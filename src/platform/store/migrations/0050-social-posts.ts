import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Posts, what members think of them, and reports. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  await posts(schema, types);
  await postIndexes(schema);
  await reactions(schema, types);
  await reports(schema, types);
}

async function posts(
  schema: Db['schema'],
  { text, integer, real, blob, table, keyedTable }: ColumnTypes,
): Promise<void> {
  const counts = [
    'like_count',
    'repost_count',
    'reply_count',
    'quote_count',
    'upvote_count',
    'downvote_count',
    'engagement',
  ];
  let making = schema
    .createTable('social_posts')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('author_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('audience', text, (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('root_id', text)
    .addColumn('depth', integer, (column) => column.notNull())
    .addColumn('subject_id', text)
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('warning', text, (column) => column.notNull())
    .addColumn('sensitive', integer, (column) => column.notNull())
    .addColumn('mentions', text, (column) => column.notNull())
    .addColumn('sealed', blob)
    .addColumn('sealed_in', text)
    .addColumn('epoch', integer)
    .addColumn('first_epoch', integer)
    .addColumn('revision', integer)
    .addColumn('counted', integer, (column) => column.notNull());
  for (const column of counts) making = making.addColumn(column, integer, (is) => is.notNull());
  await making
    .addColumn('controversy', real, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('edited_at', integer)
    .addColumn('deleted_at', integer)
    .modifyEnd(table)
    .execute();

  await schema
    .createTable('social_post_tags')
    .addColumn('tag', text, (column) => column.notNull())
    .addColumn('post_id', text, (column) => column.notNull().references('social_posts.id').onDelete('cascade'))
    .addColumn('engagement', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_post_tags_key', ['tag', 'post_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('social_post_tags_post').on('social_post_tags').column('post_id').execute();
  await schema
    .createIndex('social_post_tags_engagement')
    .on('social_post_tags')
    .expression(sql.raw('tag, engagement desc, post_id desc'))
    .execute();
}

async function postIndexes(schema: Db['schema']): Promise<void> {
  const index = (name: string, ...columns: string[]) =>
    schema
      .createIndex(`social_posts_${name}`)
      .on('social_posts')
      .expression(sql.raw(columns.join(', ')));
  const live = sql<boolean>`deleted_at is null`;
  const isPublic = sql<boolean>`deleted_at is null and audience = 'public' and kind in ('original', 'quote')`;
  const isOther = sql<boolean>`deleted_at is null and (audience <> 'public' or kind not in ('original', 'quote'))`;
  await index('author', 'author_id', 'id desc').where(live).execute();
  await index('author_engagement', 'author_id', 'engagement desc', 'id desc').where(live).execute();
  await index('public', 'id desc').where(isPublic).execute();
  await index('public_engagement', 'engagement desc', 'id desc').where(isPublic).execute();
  // With the index before, all that nobody deleted: who follows many finds the best posts of those by the two.
  await index('other_engagement', 'engagement desc', 'id desc').where(isOther).execute();
  await index('thread', 'root_id', 'id')
    .where(sql<boolean>`root_id is not null`)
    .execute();
  await index('replies', 'parent_id', 'id')
    .where(sql<boolean>`parent_id is not null`)
    .execute();
  await index('subject', 'subject_id', 'id')
    .where(sql<boolean>`subject_id is not null`)
    .execute();
  await index('sealed', 'sealed_in', 'id')
    .where(sql<boolean>`sealed_in is not null`)
    .execute();
  await index('repost_once', 'author_id', 'subject_id')
    .unique()
    .where(sql<boolean>`kind = 'repost' and deleted_at is null`)
    .execute();
}

async function reactions(schema: Db['schema'], { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  const ofPost = (name: string) =>
    schema
      .createTable(name)
      .addColumn('post_id', text, (column) => column.notNull().references('social_posts.id').onDelete('cascade'))
      .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
      .addColumn('created_at', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${name}_key`, ['post_id', 'member_id'])
      .modifyEnd(keyedTable);
  await ofPost('social_likes').execute();
  await schema.createIndex('social_likes_member').on('social_likes').columns(['member_id', 'post_id']).execute();
  const like = ['post_id', 'member_id'] as const;
  await schema
    .createTable('social_untold_likes')
    .addColumn('post_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('author_id', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_untold_likes_key', [...like])
    .addForeignKeyConstraint('social_untold_likes_like', [...like], 'social_likes', [...like], (e) =>
      e.onDelete('cascade'),
    )
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('social_untold_likes_order')
    .on('social_untold_likes')
    .columns(['created_at', ...like])
    .execute();
  await ofPost('social_votes')
    .addColumn('value', integer, (column) => column.notNull())
    .execute();
  await schema.createIndex('social_votes_member').on('social_votes').columns(['member_id', 'post_id']).execute();
}

async function reports(schema: Db['schema'], { text, integer, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('social_reports')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('post_id', text, (column) => column.notNull().references('social_posts.id').onDelete('cascade'))
    .addColumn('reporter_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('hub_id', text)
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('reviewed_by', text)
    .addColumn('reviewed_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_reports_status').on('social_reports').columns(['status', 'id']).execute();
  await schema.createIndex('social_reports_hub').on('social_reports').columns(['hub_id', 'status', 'id']).execute();
  await schema.createIndex('social_reports_reporter').on('social_reports').columns(['reporter_id', 'id']).execute();
  // One open report of a member on a post.
  await schema
    .createIndex('social_reports_once')
    .on('social_reports')
    .columns(['post_id', 'reporter_id'])
    .unique()
    .where(sql<boolean>`status = 'pending'`)
    .execute();
}
