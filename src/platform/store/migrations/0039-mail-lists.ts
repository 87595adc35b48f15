import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What lists filter by. Small numbers take no room in an index of SQLite. */
const filters = ['seen', 'flagged', 'has_attachments'];

/**
 * The indexes of lists hold all that lists filter by, so that counting and sorting never read the messages: in a mailbox with 100,000 of
 * them that took 60 ms. Labels hold it too, since looking up 10,000 messages took as long.
 */
export async function up(db: Db, { text, integer }: ColumnTypes): Promise<void> {
  const { schema } = db;
  const list = async (name: string, ...columns: string[]): Promise<void> =>
    await schema
      .createIndex(`mail_items_${name}`)
      .on('mail_items')
      .columns(['member_id', 'folder', ...columns])
      .execute();
  for (const name of ['date', 'seen', 'sender', 'subject', 'size', 'attached', 'flagged'])
    await schema.dropIndex(`mail_items_${name}`).execute();
  await list('date', 'dated_at', 'id', ...filters, 'from_key');
  await list('seen', 'seen', 'dated_at', 'id', 'flagged', 'has_attachments', 'from_key');
  await list('sender', 'from_key', 'dated_at', 'id', ...filters);
  await list('subject', 'subject_key', 'id', 'dated_at', ...filters, 'from_key');
  await list('size', 'size', 'id', 'dated_at', ...filters, 'from_key');
  // For those that a search found.
  await schema
    .createIndex('mail_items_listed')
    .on('mail_items')
    .columns(['id', 'member_id', 'folder', 'dated_at', ...filters, 'from_key', 'subject_key', 'size'])
    .execute();

  const texts = ['folder', 'from_key', 'subject_key'];
  const numbers = ['dated_at', 'size', ...filters];
  for (const name of texts)
    await schema
      .alterTable('mail_item_labels')
      .addColumn(name, text, (column) => column.notNull().defaultTo(''))
      .execute();
  for (const name of numbers)
    await schema
      .alterTable('mail_item_labels')
      .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
      .execute();
  const columns = [...texts, ...numbers].map(
    (name) => sql`${sql.ref(name)} = (select ${sql.ref(`i.${name}`)} from mail_items i where i.id = item_id)`,
  );
  await sql`update mail_item_labels set ${sql.join(columns)}`.execute(db);
  await schema
    .createIndex('mail_item_labels_listed')
    .on('mail_item_labels')
    .columns(['member_id', 'name', 'folder', 'dated_at', 'item_id', ...filters, 'from_key', 'subject_key', 'size'])
    .execute();
}
