import { transaction, type Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

/** So long programs that keep a copy may stay away. After that they read everything again. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Rows of one transaction. Other writers wait for it. */
const TOGETHER = 200;

interface Gone {
  readonly book_id: string;
  readonly name: string;
  readonly change_seq: number;
}

const old = writtenQuery<Gone>(`
  select book_id, name, change_seq from contact_tombstones where deleted_at <= $1 order by deleted_at limit $2`);
const forget = writtenQuery('delete from contact_tombstones where book_id = $1 and name = $2');
const note = writtenQuery('update contact_books set forgotten_seq = $1 where id = $2 and forgotten_seq < $3');

/** Forgets contacts that were deleted long ago, and notes in their books since when that is so. */
export async function purgeContacts(ctx: Context): Promise<void> {
  const until = ctx.clock.now() - KEPT_MS;
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => {
      const { rows } = await db.executeQuery(old(until, TOGETHER));
      const latest = new Map<string, number>();
      for (const { book_id: book, name, change_seq: seq } of rows) {
        await db.executeQuery(forget(book, name));
        latest.set(book, Math.max(seq, latest.get(book) ?? 0));
      }
      for (const book of [...latest.keys()].toSorted())
        await db.executeQuery(note(latest.get(book), book, latest.get(book)));
      return rows.length;
    });
}
