import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Invitations to events, what is to be mailed about them, and reminders. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('calendar_invitations')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('uid_key', text, (column) => column.notNull())
    .addColumn('organizer_key', text, (column) => column.notNull())
    .addColumn('object_id', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('known', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('sealed', blob)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('calendar_invitations_event')
    .on('calendar_invitations')
    .columns(['member_id', 'organizer_key', 'uid_key'])
    .unique()
    .execute();
  await schema
    .createIndex('calendar_invitations_list')
    .on('calendar_invitations')
    .columns(['member_id', 'status', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('calendar_invitations_time')
    .on('calendar_invitations')
    .column('updated_at')
    .where(sql<boolean>`object_id is null`)
    .execute();

  await schema
    .createTable('calendar_proposals')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('organizer_id', text)
    .addColumn('attendee_id', text)
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('party_key', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('sequence', integer, (column) => column.notNull())
    .addColumn('stamp', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('calendar_proposals_object')
    .on('calendar_proposals')
    .columns(['object_id', 'party_key'])
    .execute();
  await schema
    .createIndex('calendar_proposals_organizer')
    .on('calendar_proposals')
    .columns(['organizer_id', 'status', 'id'])
    .execute();
  await schema
    .createIndex('calendar_proposals_attendee')
    .on('calendar_proposals')
    .columns(['attendee_id', 'status', 'id'])
    .execute();

  await schema
    .createTable('calendar_outgoing')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('uid_key', text, (column) => column.notNull())
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('recipients', text, (column) => column.notNull())
    .addColumn('due_at', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('calendar_outgoing_event')
    .on('calendar_outgoing')
    .columns(['member_id', 'uid_key'])
    .execute();
  await schema
    .createIndex('calendar_outgoing_due')
    .on('calendar_outgoing')
    .columns(['member_id', 'due_at', 'id'])
    .execute();

  await schema
    .createTable('calendar_inviting')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull())
    .addColumn('since', integer, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();

  await schema
    .createTable('calendar_reminders')
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('recurrence', integer, (column) => column.notNull())
    .addColumn('alarm', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('due_at', integer, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_reminders_key', ['object_id', 'recurrence', 'alarm', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('calendar_reminders_due')
    .on('calendar_reminders')
    .columns(['member_id', 'due_at'])
    .execute();
}
