import { Args } from '@oclif/core';
import { collectPages } from '../../client/pages.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { Problem } from '../../base/problem.ts';
import type { ListedCard, ShownCard } from '../../contract/contacts/fields.ts';
import { contacts } from '../../contract/contacts.ts';
import { ambiguous } from '../kit/pick.ts';
import { allBooks, findBook } from './find-book.ts';

export const cardArgument = {
  contact: Args.string({
    description: 'name or e-mail address of the contact, a part of them, or the beginning of its id',
    required: true,
  }),
};

/** Contacts of one book, or of all own ones. */
export async function cardsIn(client: Caller, book: string | undefined, q: string | undefined): Promise<ListedCard[]> {
  const books =
    book === undefined ? (await allBooks(client)).filter(({ readOnly }) => !readOnly) : [await findBook(client, book)];
  return await cardsOf(
    client,
    books.map(({ id }) => id),
    q,
  );
}

async function cardsOf(client: Caller, books: readonly string[], q: string | undefined): Promise<ListedCard[]> {
  const found: ListedCard[] = [];
  for (const bookId of books) {
    const input = { bookId, ...(q !== undefined && { q }) };
    found.push(...(await collectPages(client, contacts.listCards, input, 'cards')).items);
  }
  return found;
}

const idForm = /^[0-9a-f]{8,32}$/;

/**
 * The contact that somebody names. One whose whole name or address it is comes before those that have it in part.
 * @param book where it is; without it, all books, that of members too
 * @throws Problem conflict AMBIGUOUS, missing NOT_FOUND
 */
export async function findCard(client: Caller, named: string, book: string | undefined): Promise<ShownCard> {
  const books = book === undefined ? await allBooks(client) : [await findBook(client, book)];
  const ids = books.map(({ id }) => id);
  const key = named.normalize('NFC').toLowerCase();
  const byId = idForm.test(key) ? (await cardsOf(client, ids, undefined)).filter(({ id }) => id.startsWith(key)) : [];
  const found = byId.length > 0 ? byId : await cardsOf(client, ids, named);
  const whole = found.filter(
    ({ displayName, emails }) =>
      displayName.normalize('NFC').toLowerCase() === key || emails.some(({ value }) => value.toLowerCase() === key),
  );
  const candidates = whole.length > 0 ? whole : found;
  const [one] = candidates;
  if (one === undefined) {
    const message = `There is no contact ${JSON.stringify(named)}. To list yours, run: conclave contacts list`;
    throw new Problem('missing', 'NOT_FOUND', message);
  }
  if (candidates.length > 1)
    throw ambiguous(
      named,
      candidates.map(({ id, displayName, emails }) => ({
        id,
        label: `${displayName} ${emails[0]?.value ?? ''}`.trim(),
      })),
    );
  return (await perform(client, contacts.showCard, { bookId: one.bookId, cardId: one.id })).card;
}
