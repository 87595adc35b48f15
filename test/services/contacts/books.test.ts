import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { books } from '../../../src/contract/contacts/books.ts';
import { cards } from '../../../src/contract/contacts/cards.ts';
import { contactsLimits } from '../../../src/contract/contacts/limits.ts';
import { bothEngines } from '../../support/stores.ts';
import { openContacts } from './contacts-scene.ts';

const { listBooks, createBook, showBook, updateBook, deleteBook } = books;

describe.each(bothEngines)('address books on %s', (engine) => {
  it('begin with a default one, which two first requests make once, and the book of members', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const [first, second] = await Promise.all([scene.done(listBooks, ann, {}), scene.done(listBooks, ann, {})]);
    expect(first).toEqual(second);
    expect(first.books).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        displayName: 'Contacts',
        description: '',
        isDefault: true,
        readOnly: false,
        cardCount: 0,
        ctag: '0',
        dateCreated: '2026-01-15T12:00:00.000Z',
        dateModified: '2026-01-15T12:00:00.000Z',
      },
      expect.objectContaining({ id: 'members', readOnly: true, isDefault: false, cardCount: 0 }),
    ]);
  });

  it('are created, changed and deleted with what is in them, by their owner alone', async () => {
    await using scene = await openContacts(engine);
    const { ann, bob, house } = scene;
    const first = await scene.book(ann);
    const { book } = await scene.done(createBook, ann, { displayName: 'Work', description: 'People', isDefault: true });
    expect(await scene.book(ann)).toBe(book.id);
    expect(await scene.refused(deleteBook, ann, { bookId: book.id })).toBe('409 DEFAULT_BOOK');
    await scene.add(ann, book.id, { displayName: 'Dora' });
    expect(await scene.storedBytes(ann)).toBeGreaterThan(0);
    for (const refused of [
      await scene.refused(showBook, bob, { bookId: book.id }),
      await scene.refused(updateBook, bob, { bookId: book.id, displayName: 'Mine' }),
      await scene.refused(deleteBook, bob, { bookId: book.id }),
      await scene.refused(cards.listCards, bob, { bookId: book.id }),
      await scene.refused(cards.createCard, bob, { bookId: book.id, displayName: 'Eve' }),
    ])
      expect(refused).toBe('404 NOT_FOUND');
    house.clock.advance(1_000);
    const changed = await scene.done(updateBook, ann, { bookId: book.id, displayName: 'Office / city' });
    expect(changed.book).toEqual({
      ...book,
      displayName: 'Office / city',
      cardCount: 1,
      ctag: '1',
      dateModified: '2026-01-15T12:00:01.000Z',
    });
    await scene.done(updateBook, ann, { bookId: first, isDefault: true });
    await scene.done(deleteBook, ann, { bookId: book.id });
    expect(await scene.refused(showBook, ann, { bookId: book.id })).toBe('404 NOT_FOUND');
    await scene.later(0);
    expect(await scene.storedBytes(ann)).toBe(0);
    expect(await house.ctx.db.selectFrom('contact_cards').select('id').execute()).toEqual([]);
  });

  it('are at most fifty, and those of members cannot be changed', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    for (const displayName of ['', ' ', '\u202ekooB', 'a'.repeat(256)])
      expect(await scene.refused(createBook, ann, { displayName })).toBe('400 VALIDATION_ERROR');
    for (let count = 1; count < contactsLimits.books; count += 1)
      await scene.done(createBook, ann, { displayName: `Book ${count}` });
    expect(await scene.refused(createBook, ann, { displayName: 'One more' })).toBe('409 BOOKS_FULL');
    const bookId = 'members';
    for (const refused of [
      await scene.refused(updateBook, ann, { bookId, displayName: 'Mine' }),
      await scene.refused(deleteBook, ann, { bookId }),
      await scene.refused(cards.createCard, ann, { bookId, displayName: 'Eve' }),
    ])
      expect(refused).toBe('403 FORBIDDEN');
  });

  it('are for app passwords with the scope contacts, and with no other', async () => {
    await using scene = await openContacts(engine);
    const { ann, house } = scene;
    const asked = async (scopes: ('contacts' | 'mail')[]) => {
      const { body } = await house.perform(accounts.createAppPassword, { name: 'Telephone', scopes }, ann.token);
      const authorization = `Basic ${Buffer.from(`ann:${body.password}`).toString('base64')}`;
      return await house.api('GET', '/api/contacts/books', { headers: { authorization } });
    };
    expect(await asked(['contacts'])).toMatchObject({ status: 200, body: { books: [{ isDefault: true }, {}] } });
    expect(await asked(['mail'])).toMatchObject({ status: 403 });
  });
});
