import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Every token that a refresh replaced has its own time of grace, where `sessions` had room for the last one alone. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await schema
    .createTable('replaced_tokens')
    .addColumn('jti_hash', text, (column) => column.primaryKey().notNull())
    .addColumn('session_id', text, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('sealed_key', blob)
    .addColumn('sealed_next', blob, (column) => column.notNull())
    .addColumn('good_until', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('replaced_tokens_session_id').on('replaced_tokens').column('session_id').execute();
  await schema.createIndex('replaced_tokens_good_until').on('replaced_tokens').column('good_until').execute();

  // What stands there is good for half a minute.
  await schema.dropIndex('sessions_previous_jti_hash').execute();
  for (const column of ['previous_jti_hash', 'previous_until', 'previous_sealed_key'])
    await schema.alterTable('sessions').dropColumn(column).execute();
}
