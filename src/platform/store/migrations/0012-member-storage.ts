import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  await db.schema
    .createTable('member_storage')
    .addColumn('member_id', text, (column) =>
      column.primaryKey().notNull().references('members.id').onDelete('cascade'),
    )
    .addColumn('bytes', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await sql`
    insert into member_storage (member_id, bytes)
    select v.owner_id, sum(a.size_bytes) from passvault_attachments a join passvault_vaults v on v.id = a.vault_id
    group by v.owner_id`.execute(db);
}
