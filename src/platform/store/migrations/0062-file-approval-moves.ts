import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** An approval for a move is for one way: from the folder where something was when it was asked for, to one other. */
export async function up({ schema }: Db, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('file_approvals').addColumn('from_id', text).execute();
  await schema.alterTable('file_approvals').addColumn('to_id', text).execute();
}
