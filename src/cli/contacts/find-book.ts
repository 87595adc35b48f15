import { Flags } from '@oclif/core';
import { perform, type Caller } from '../../client/perform.ts';
import { Problem } from '../../base/problem.ts';
import type { Book } from '../../contract/contacts/books.ts';
import { contacts } from '../../contract/contacts.ts';
import { ambiguous, pick } from '../kit/pick.ts';

export const bookFlag = {
  book: Flags.string({
    description: 'name of an address book, or the beginning of its id; members: whom you know on this node',
    helpValue: 'BOOK',
  }),
};

export async function allBooks(client: Caller): Promise<Book[]> {
  return (await perform(client, contacts.listBooks, {})).books;
}

/**
 * The book with this name, or whose id begins with it.
 * @param named the default book without it
 * @throws Problem conflict AMBIGUOUS, missing NOT_FOUND
 */
export async function findBook(client: Caller, named?: string): Promise<Book> {
  const books = await allBooks(client);
  const key = named?.normalize('NFC').toLowerCase();
  const matching = books.filter((book) =>
    key === undefined ? book.isDefault : book.displayName.toLowerCase() === key || book.id === key,
  );
  const [one] = matching;
  if (one !== undefined && matching.length === 1) return one;
  const candidates = books.map((book) => ({ id: book.id, label: book.displayName, book }));
  if (one !== undefined)
    throw ambiguous(
      named ?? '',
      candidates.filter(({ book }) => matching.includes(book)),
    );
  if (!candidates.some(({ id }) => key !== undefined && id.startsWith(key))) {
    const message = `You have no address book ${JSON.stringify(named)}. To list yours, run: conclave contacts books`;
    throw new Problem('missing', 'NOT_FOUND', message);
  }
  return pick('address book', named ?? '', candidates).book;
}
