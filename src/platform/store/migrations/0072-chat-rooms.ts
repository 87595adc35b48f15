import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Since when a member is suspended, how often members may speak in a conversation, and how long it keeps messages. */
export async function up(db: Db, { integer }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema.alterTable('members').addColumn('suspended_at', integer).execute();
  // Nothing has changed the row of a suspended member but the suspension, or something after it.
  await sql`update members set suspended_at = updated_at where status = 'suspended'`.execute(db);
  await schema
    .createIndex('members_suspended')
    .on('members')
    .columns(['suspended_at', 'id'])
    .where('suspended_at', 'is not', null)
    .execute();
  for (const [name, column] of [
    ['conversations', 'slow_seconds'],
    ['conversation_places', 'spoke_at'],
    ['conversations', 'erased_seq'],
  ] as const)
    await schema
      .alterTable(name)
      .addColumn(column, integer, (added) => added.notNull().defaultTo(0))
      .execute();
  await schema.alterTable('conversations').addColumn('retention_ms', integer).execute();
  await schema
    .createIndex('conversations_retention')
    .on('conversations')
    .columns(['id', 'retention_ms'])
    .where('retention_ms', 'is not', null)
    .execute();
}
