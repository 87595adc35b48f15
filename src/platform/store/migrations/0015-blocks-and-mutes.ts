import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Who wants nothing to do with whom; gone with either of the two. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  const between = (table: string, other: string) =>
    schema
      .createTable(table)
      .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
      .addColumn(other, text, (column) => column.notNull().references('members.id').onDelete('cascade'))
      .addColumn('created_at', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['member_id', other])
      .modifyEnd(types.keyedTable);

  await between('member_blocks', 'blocked_id').execute();
  await schema.createIndex('member_blocks_blocked_id').on('member_blocks').column('blocked_id').execute();
  await between('member_mutes', 'muted_id').addColumn('ends_at', integer).execute();
  await schema.createIndex('member_mutes_muted_id').on('member_mutes').column('muted_id').execute();
  await schema
    .createIndex('member_mutes_ends_at')
    .on('member_mutes')
    .column('ends_at')
    .where('ends_at', 'is not', null)
    .execute();
}
