import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Passwords that members make for programs which know only a name and a password. */
export async function up({ schema }: Db, { text, integer, blob, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('app_passwords')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('handle', text, (column) => column.notNull().unique())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('check_value', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_used_at', integer)
    .addColumn('expires_at', integer)
    .modifyEnd(table)
    .execute();
  await schema.createIndex('app_passwords_member').on('app_passwords').columns(['member_id', 'id']).execute();
  await schema
    .createIndex('app_passwords_expiry')
    .on('app_passwords')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();
}
