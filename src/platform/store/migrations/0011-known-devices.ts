import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Devices on which members signed in have attempts of their own: strangers don't lock them out. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  await schema
    .createTable('known_devices')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('device', text, (column) => column.notNull())
    .addColumn('used_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('known_devices_key', ['member_id', 'device'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema.createIndex('known_devices_used_at').on('known_devices').column('used_at').execute();
}
