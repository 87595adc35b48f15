import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import type { Book, books } from '../../contract/contacts/books.ts';
import { contactsLimits, membersBook } from '../../contract/contacts/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import type { ContactBookRow } from '../../platform/store/tables/contacts.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { once } from '../../service/repeats.ts';
import { forgetChosen } from '../../shared/dav/collections.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { booksOf, requireOwnBook } from './access.ts';
import { planErasing } from './erasing.ts';
import { bookOfMembers } from './members-book.ts';
import { defaultBook, insertBook, makeDefault } from './own-books.ts';

type Contract = typeof books;

export async function createBook(
  ctx: Context,
  actor: Actor,
  { displayName: name, description: about, isDefault = false }: InputOf<Contract['createBook']>,
): Promise<ReplyOf<Contract['createBook']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      // Two requests at once count one after the other.
      await lockMembers(tx, [memberId]);
      await defaultBook(tx, memberId);
      if ((await booksOf(tx, memberId)).length >= contactsLimits.books)
        throw new Problem(
          'conflict',
          'BOOKS_FULL',
          `You have ${contactsLimits.books} address books, the most there can be. Delete one first.`,
        );
      const row = await insertBook(tx, { owner_id: memberId, name, about });
      if (isDefault) await makeDefault(tx, row);
      return { book: toBook({ ...row, is_default: isDefault ? 1 : 0 }) };
    });
  });
}

export async function listBooks(ctx: Context, { memberId }: Actor): Promise<ReplyOf<Contract['listBooks']>> {
  await defaultBook(ctx, memberId);
  const names = new Intl.Collator('en', { numeric: true });
  const own = (await booksOf(ctx, memberId)).toSorted(
    (a, b) => names.compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
  return { books: [...own.map(toBook), await bookOfMembers(ctx, memberId)] };
}

export async function showBook(
  ctx: Context,
  { memberId }: Actor,
  { bookId }: InputOf<Contract['showBook']>,
): Promise<ReplyOf<Contract['showBook']>> {
  if (bookId === membersBook) return { book: await bookOfMembers(ctx, memberId) };
  return { book: toBook(await requireOwnBook(ctx, memberId, bookId)) };
}

const change = writtenQuery('update contact_books set name = $1, about = $2, modified_at = $3 where id = $4');

export async function updateBook(
  ctx: Context,
  actor: Actor,
  { bookId, displayName, description, isDefault }: InputOf<Contract['updateBook']>,
): Promise<ReplyOf<Contract['updateBook']>> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnBook(tx, actor.memberId, bookId);
    await lockMembers(tx, [actor.memberId]);
    const before = await requireOwnBook(tx, actor.memberId, bookId);
    const row = {
      ...before,
      name: displayName ?? before.name,
      about: description ?? before.about,
      modified_at: tx.clock.now(),
    };
    await tx.db.executeQuery(change(row.name, row.about, row.modified_at, row.id));
    if (isDefault === true) await makeDefault(tx, row);
    return { book: toBook({ ...row, is_default: isDefault === true ? 1 : before.is_default }) };
  });
}

const remove = writtenQuery('delete from contact_books where id = $1');

export async function deleteBook(
  ctx: Context,
  actor: Actor,
  { bookId }: InputOf<Contract['deleteBook']>,
): Promise<{ success: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnBook(tx, actor.memberId, bookId);
    await lockMembers(tx, [actor.memberId]);
    const book = await requireOwnBook(tx, actor.memberId, bookId);
    if (book.is_default === 1)
      throw new Problem(
        'conflict',
        'DEFAULT_BOOK',
        'This is your default address book, where new contacts come. Make another one the default first.',
      );
    // With it goes the key of its contacts. A job removes what is left of them.
    await tx.db.executeQuery(remove(bookId));
    await forgetChosen(tx, bookId);
    await planErasing(tx, book);
  });
  return { success: true };
}

function toBook(row: ContactBookRow): Book {
  return {
    id: row.id,
    displayName: row.name,
    description: row.about,
    isDefault: row.is_default === 1,
    readOnly: false,
    cardCount: row.cards,
    ctag: String(row.change_seq),
    dateCreated: new Date(row.created_at).toISOString(),
    dateModified: new Date(row.modified_at).toISOString(),
  };
}
