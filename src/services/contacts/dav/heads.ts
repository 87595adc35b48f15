import type { Context } from '../../../service/context.ts';
import { changesOf } from '../../../service/dav-changes.ts';
import { unlessDamaged } from '../../../service/dav-damaged.ts';
import type { DavContent, DavDamaged, DavResource, DavSynced, DavSyncEnd } from '../../../service/ports/dav.ts';
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
): Promise<readonly (DavContent | DavDamaged)[]> {
  if (names.length === 0) return [];
  const { rows } = await ctx.db.executeQuery(byNames([...new Set(names)], book.id));
  using keys = openBook(ctx, book);
  const found: (DavContent | DavDamaged)[] = [];
  for (const row of rows) {
    const resource = toResource(row);
    found.push(await unlessDamaged(ctx, row.id, resource, () => ({ ...resource, text: openText(keys, row) })));
  }
  return found;
}

/** As for calendars. @throws Problem forbidden FORBIDDEN with `d:valid-sync-token` */
export async function* changes(
  { db }: Context,
  book: ContactBookRow,
  since: string | undefined,
  most: number,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  return yield* changesOf(
    {
      changed: async (seq, count) => (await db.executeQuery(byChange(book.id, seq, count))).rows,
      gone: async (seq, count) => (await db.executeQuery(gone(book.id, seq, count))).rows,
      seen: toResource,
    },
    {
      since: since === undefined ? undefined : changeOfToken(book, since),
      current: book.change_seq,
      most,
      tokenAt: (seq) => tokenAt(book, seq),
    },
  );
}
