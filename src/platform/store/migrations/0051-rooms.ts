import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Rooms, which groups of members of every kind share, and hubs of the social network. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  await rooms(db, types);
  await hubs(db, types);
  await db.schema.alterTable('events').addColumn('withheld', types.text).execute();
}

async function rooms({ schema }: Db, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('rooms')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('member_count', integer, (column) => column.notNull())
    .addColumn('changes', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('rooms_key', ['kind', 'id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('rooms_parent').on('rooms').columns(['kind', 'parent_id']).execute();
  await schema
    .createTable('room_members')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id'))
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('joined_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_members_key', ['kind', 'room_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('room_members_member')
    .on('room_members')
    .columns(['member_id', 'kind', 'room_id'])
    .execute();
  await schema
    .createIndex('room_members_joined')
    .on('room_members')
    .columns(['kind', 'room_id', 'joined_at', 'member_id'])
    .execute();
  await schema
    .createTable('room_bans')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('banned_by', text)
    .addColumn('reason', text)
    .addColumn('banned_at', integer, (column) => column.notNull())
    .addColumn('ends_at', integer)
    .addPrimaryKeyConstraint('room_bans_key', ['kind', 'room_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('room_bans_id').on('room_bans').columns(['kind', 'room_id', 'id']).unique().execute();
  await schema.createIndex('room_bans_member').on('room_bans').columns(['member_id', 'kind', 'room_id']).execute();
  await schema
    .createTable('room_mutes')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id'))
    .addColumn('muted_by', text)
    .addColumn('muted_at', integer, (column) => column.notNull())
    .addColumn('ends_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_mutes_key', ['kind', 'room_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('room_mutes_member').on('room_mutes').column('member_id').execute();
  await schema
    .createTable('room_invites')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('max_uses', integer)
    .addColumn('uses', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .modifyEnd(table)
    .execute();
  await schema.createIndex('room_invites_room').on('room_invites').columns(['kind', 'room_id', 'id']).execute();
}

async function hubs(db: Db, { text, integer, real, table, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('social_hubs')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id'))
    .addColumn('slug', text, (column) => column.unique())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('rules', text, (column) => column.notNull())
    .addColumn('icon', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('trust_tier', text, (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('is_default', integer, (column) => column.unique())
    .addColumn('post_count', integer, (column) => column.notNull())
    .addColumn('trend', real, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('deleted_at', integer)
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_hubs_parent').on('social_hubs').columns(['parent_id', 'id']).execute();
  await schema.createIndex('social_hubs_owner').on('social_hubs').column('owner_id').execute();
  await sql`create index social_hubs_trend on social_hubs (trend desc, id desc) where deleted_at is null`.execute(db);
  await schema
    .createTable('social_hub_log')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('hub_id', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('moderator_id', text, (column) => column.notNull())
    .addColumn('subject_id', text)
    .addColumn('reason', text)
    .addColumn('post_id', text)
    .addColumn('ends_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('social_hub_log_hub').on('social_hub_log').columns(['hub_id', 'id']).execute();
  await schema
    .createIndex('social_hub_log_subject')
    .on('social_hub_log')
    .columns(['subject_id', 'hub_id', 'id'])
    .execute();
  await schema
    .createTable('social_post_hubs')
    .addColumn('hub_id', text, (column) => column.notNull())
    .addColumn('post_id', text, (column) => column.notNull().references('social_posts.id').onDelete('cascade'))
    .addColumn('listed', integer, (column) => column.notNull())
    .addColumn('engagement', integer, (column) => column.notNull())
    .addColumn('controversy', real, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_post_hubs_key', ['hub_id', 'post_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('social_post_hubs_post').on('social_post_hubs').columns(['post_id', 'hub_id']).execute();
  const orders = { new: '', engagement: 'engagement desc, ', controversy: 'controversy desc, ' };
  for (const [name, column] of Object.entries(orders))
    await sql`create index ${sql.ref(`social_post_hubs_${name}`)}
      on social_post_hubs (hub_id, ${sql.raw(column)}post_id desc) where listed = 1`.execute(db);
  await schema
    .createTable('social_hub_scores')
    .addColumn('hub_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('score', integer, (column) => column.notNull())
    .addColumn('post_count', integer, (column) => column.notNull())
    .addColumn('upvotes', integer, (column) => column.notNull())
    .addColumn('last_active_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_hub_scores_key', ['hub_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await sql`create index social_hub_scores_score on social_hub_scores (hub_id, score desc, post_count desc, member_id)`.execute(
    db,
  );
}
