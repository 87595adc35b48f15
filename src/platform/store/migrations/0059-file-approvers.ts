import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Who could approve when it was asked for: whoever was made an owner afterwards must not decide on it. */
export async function up({ schema }: Db, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('file_approvals').addColumn('approvers', text).execute();
}
