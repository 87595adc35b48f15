import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../service/context.ts';
import type { ContactBookRow } from '../../platform/store/tables/contacts.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { openSummary, type CardHead } from './card-rows.ts';
import { openBook } from './own-books.ts';
import type { CardSummary } from './vcard/summary.ts';

/**
 * Names and addresses are sealed, and people search for the beginnings and parts of words. An index of HMACs finds whole words only, and one
 * with all beginnings would tell how often which letters are. So the summaries of a book are opened: 10,000 take 70 ms, and few members have
 * more than some hundred.
 */

/** Rows that are read and opened at a time. Others have their turn after that: about 4 ms. */
const TOGETHER = 500;

export interface OpenedCard {
  readonly row: CardHead;
  readonly summary: CardSummary;
}

const behind = writtenQuery<CardHead>(`
  select id, book_id, name, uid_key, etag, change_seq, bytes, created_at, modified_at, summary
  from contact_cards where book_id = $1 and change_seq > $2 order by change_seq limit $3`);

/** All contacts of a book for which `wanted` holds, each once. @param most so many are looked at, and no more */
export async function lookThrough(
  ctx: Pick<Context, 'db' | 'keys'>,
  book: ContactBookRow,
  wanted: (summary: CardSummary) => boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<OpenedCard[]> {
  using keys = openBook(ctx, book);
  // One that is changed meanwhile comes again, as it is then.
  const found = new Map<string, OpenedCard>();
  for (let looked = 0, after = 0; looked < most;) {
    const size = Math.min(TOGETHER, most - looked);
    const { rows } = await ctx.db.executeQuery(behind(book.id, after, size));
    for (const row of rows) {
      const summary = openSummary(keys, row);
      if (wanted(summary)) found.set(row.id, { row, summary });
      else found.delete(row.id);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) break;
    looked += rows.length;
    after = last.change_seq;
    await setImmediate();
  }
  return [...found.values()];
}
