import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Messages that are few of a folder are listed by indexes of their own. They have no row for all others, so they cost little. */
export async function up({ schema }: Db): Promise<void> {
  for (const [name, column] of [
    ['attached', 'has_attachments'],
    ['flagged', 'flagged'],
  ] as const)
    await schema
      .createIndex(`mail_items_${name}`)
      .on('mail_items')
      .columns(['member_id', 'folder', 'dated_at', 'id'])
      .where(sql.ref(column), '=', sql.lit(1))
      .execute();
}
