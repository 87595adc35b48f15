import type { Context } from '../../../service/context.ts';
import type { DavContent, DavResource, DavSynced, DavSyncEnd } from '../../../service/ports/dav.ts';
import type { ContactBookRow, ContactCardRow } from '../../../platform/store/tables/contacts.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { openText } from '../card-rows.ts';
import { openBook } from '../own-books.ts';
import { changeOfToken, tokenAt } from './tokens.ts';

/** A contact without its content. */
type CardHead = Pick<ContactCardRow, 'name' | 'etag' | 'change_seq' | 'created_at' | 'modified_at'>;

const columns = 'name, etag, change_seq, created_at, modified_at';
const byName = writtenQuery<CardHead>(`
  select ${columns} from contact_cards where book_id = $1 and name > $2 order by name limit $3`);
const byChange = writtenQuery<CardHead>(`
  select ${columns} from contact_cards where book_id = $1 and change_seq > $2 order by change_seq limit $3`);
const gone = writtenQuery<{ name: string; change_seq: number }>(`
  select name, change_seq from contact_tombstones where book_id = $1 and change_seq > $2
  order by change_seq limit $3`);
const byNames = writtenList<ContactCardRow>(
  1,
  (names) => `select * from contact_cards where book_id = $1 and name in ${names}`,
);

/** Heads that are read together. */
const TOGETHER = 500;

function toResource({ name, etag, created_at: createdAt, modified_at: modifiedAt }: CardHead): DavResource {
  return { name, etag, createdAt, modifiedAt };
}

/** All contacts of a book, in the order of their names. */
export async function* headsOf({ db }: Context, bookId: string): AsyncGenerator<readonly DavResource[]> {
  for (let after = ''; ;) {
    const { rows } = await db.executeQuery(byName(bookId, after, TOGETHER));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(toResource);
    if (rows.length < TOGETHER) return;
    after = last.name;
  }
}

export async function readNamed(
  ctx: Context,
  book: ContactBookRow,
  names: readonly string[],
): Promise<readonly DavContent[]> {
  if (names.length === 0) return [];
  const { rows } = await ctx.db.executeQuery(byNames([...new Set(names)], book.id));
  using keys = openBook(ctx, book);
  return rows.map((row) => Object.assign(toResource(row), { text: openText(keys, row) }));
}

/** The next changes behind one, in their order. */
async function changesAfter(
  { db }: Context,
  bookId: string,
  seq: number,
  { most, withGone }: { readonly most: number; readonly withGone: boolean },
): Promise<(DavSynced & { readonly seq: number })[]> {
  const { rows } = await db.executeQuery(byChange(bookId, seq, most));
  const found: (DavSynced & { readonly seq: number })[] = rows.map((head) => ({
    seq: head.change_seq,
    name: head.name,
    resource: toResource(head),
  }));
  if (!withGone) return found;
  const removed = await db.executeQuery(gone(bookId, seq, most));
  for (const { name, change_seq: at } of removed.rows) found.push({ seq: at, name });
  return found.sort((one, other) => one.seq - other.seq).slice(0, most);
}

/** As for calendars. @throws Problem forbidden FORBIDDEN with `d:valid-sync-token` */
export async function* changes(
  ctx: Context,
  book: ContactBookRow,
  since: string | undefined,
  most: number,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  const withGone = since !== undefined;
  let seq = since === undefined ? -1 : changeOfToken(book, since);
  const next = async (count: number) => await changesAfter(ctx, book.id, seq, { most: count, withGone });
  for (let left = most; ;) {
    const size = Math.min(TOGETHER, left);
    const found = size === 0 ? [] : await next(size);
    const last = found.at(-1);
    if (last !== undefined) seq = last.seq;
    left -= found.length;
    if (found.length > 0) yield found;
    if (left > 0 && found.length === size) continue;
    const more = left === 0 && (await next(1)).length > 0;
    return { token: tokenAt(book, more ? seq : Math.max(seq, book.change_seq)), more };
  }
}
