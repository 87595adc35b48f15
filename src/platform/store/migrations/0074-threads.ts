import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Messages that answer each other, how many answers the first one has, and what members have in such threads. */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema.alterTable('conversation_messages').addColumn('thread_id', text).execute();
  await schema
    .alterTable('conversation_messages')
    .addColumn('reply_count', integer, (added) => added.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('conversation_messages').addColumn('last_reply_seq', integer).execute();
  await schema
    .createTable('conversation_thread_places')
    .addColumn('thread_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('read_seq', integer, (column) => column.notNull())
    .addColumn('following', integer)
    .addPrimaryKeyConstraint('conversation_thread_places_key', ['thread_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();

  await fill(db);

  await schema
    .createIndex('conversation_messages_thread')
    .on('conversation_messages')
    .columns(['thread_id', 'seq'])
    .where('thread_id', 'is not', null)
    .execute();
  await schema
    .createIndex('conversation_messages_replied')
    .on('conversation_messages')
    .columns(['conversation_id', 'last_reply_seq'])
    .where('last_reply_seq', 'is not', null)
    .execute();
  await schema
    .createIndex('conversation_thread_places_member')
    .on('conversation_thread_places')
    .columns(['conversation_id', 'member_id', 'thread_id'])
    .execute();
}

/** What was said until now. An answer is younger than what it answers, so the steps from answer to answer end. */
async function fill(db: Db): Promise<void> {
  // Only here answers are looked for by what they answer.
  await db.schema
    .createIndex('conversation_messages_filling')
    .on('conversation_messages')
    .column('reply_to_id')
    .execute();
  await sql`
    with recursive answers (id, seq, root_id) as (
      select a.id, a.seq, t.id
      from conversation_messages a
      join conversation_messages t on t.id = a.reply_to_id and t.conversation_id = a.conversation_id
      join conversations c on c.id = a.conversation_id and c.type in ('direct', 'group', 'channel')
      where t.reply_to_id is null
      union all
      select m.id, m.seq, answers.root_id
      from answers join conversation_messages m on m.reply_to_id = answers.id and m.seq > answers.seq
    )
    update conversation_messages set thread_id = answers.root_id
    from answers where answers.id = conversation_messages.id`.execute(db);
  await db.schema.dropIndex('conversation_messages_filling').execute();
  await sql`
    update conversation_messages set reply_count = counted.replies, last_reply_seq = counted.last_seq
    from (
      select thread_id, count(*) as replies, max(seq) as last_seq
      from conversation_messages where thread_id is not null group by thread_id) as counted
    where counted.thread_id = conversation_messages.id`.execute(db);
  await sql`
    insert into conversation_thread_places (thread_id, member_id, conversation_id, read_seq, following)
    select f.thread_id, f.member_id, f.conversation_id, 0, 1
    from (
      select thread_id, sender_id as member_id, conversation_id from conversation_messages where thread_id is not null
      union
      select id, sender_id, conversation_id from conversation_messages where reply_count > 0
      union
      select a.thread_id, n.member_id, a.conversation_id
      from conversation_messages a
      join conversation_mentions n on n.conversation_id = a.conversation_id and n.seq = a.seq
      where a.thread_id is not null) as f
    join conversation_places p on p.conversation_id = f.conversation_id and p.member_id = f.member_id
    where p.left_seq is null`.execute(db);
}
