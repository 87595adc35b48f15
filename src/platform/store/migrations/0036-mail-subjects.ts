import { fold } from '../search/words.ts';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

const PAGE = 500;

/** Subjects as they are searched for parts: databases know upper and lower case of ASCII alone. */
export async function up(db: Db, { text }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('mail_items')
    .addColumn('subject_folded', text, (column) => column.notNull().defaultTo(''))
    .execute();
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('mail_items')
      .select(['id', 'subject'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const { id, subject } of rows)
      await db
        .updateTable('mail_items')
        .set({ subject_folded: fold(subject) })
        .where('id', '=', id)
        .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
