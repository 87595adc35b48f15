import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { membersBook } from '../../contract/contacts/limits.ts';
import type { ContactBookRow } from '../../platform/store/tables/contacts.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

const byId = writtenQuery<ContactBookRow>('select * from contact_books where id = $1 and owner_id = $2');

/**
 * An own book. Nobody learns anything of the books of others.
 * @throws Problem missing NOT_FOUND; forbidden FORBIDDEN for the book of members, which is nobody's own
 */
export async function requireOwnBook(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  id: string,
): Promise<ContactBookRow> {
  if (id === membersBook) throw new Problem('forbidden', 'FORBIDDEN', 'Nobody changes the book of members.');
  const { rows } = await db.executeQuery(byId(id, memberId));
  const [book] = rows;
  if (book === undefined) throw notThere('address book');
  return book;
}

const ofMember = writtenQuery<ContactBookRow>(
  'select * from contact_books where owner_id = $1 order by is_default desc, id',
);

/** All own books, the default one first. */
export async function booksOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<ContactBookRow[]> {
  return (await db.executeQuery(ofMember(memberId))).rows;
}

/** What is not there, and what the caller may not know of. */
export function notThere(what: 'address book' | 'contact'): Problem {
  return new Problem('missing', 'NOT_FOUND', `There is no such ${what}, or you may not know of it.`);
}
