import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { DavChange, DavCollection } from '../../../service/ports/dav.ts';
import { contactsLimits, membersBook } from '../../../contract/contacts/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { ContactBookRow } from '../../../platform/store/tables/contacts.ts';
import type { DavCollectionRow } from '../../../platform/store/tables/dav.ts';
import { assertSegment, chosenOf, insertChosen, namedBy } from '../../../shared/dav/collections.ts';
import { booksOf, requireOwnBook } from '../access.ts';
import { createBook, deleteBook, updateBook } from '../books.ts';
import { bookOfMembers } from '../members-book.ts';
import { defaultBook } from '../own-books.ts';
import { tokenAt } from './tokens.ts';

/** An address book as programs see it. */
export interface DavBook extends DavCollection {
  /** undefined: the book of members, which has no row */
  readonly book: ContactBookRow | undefined;
}

const KIND = 'addressbook';

/** Own books, and then that of members. */
export async function collections(ctx: Context, actor: Actor): Promise<readonly DavBook[]> {
  await defaultBook(ctx, actor.memberId);
  const chosen = await chosenOf(ctx, actor.memberId, KIND);
  const own = await booksOf(ctx, actor.memberId);
  return [...own.map((book) => toCollection(book, chosen.get(book.id))), await membersCollection(ctx, actor)];
}

export async function collection(ctx: Context, actor: Actor, segment: string): Promise<DavBook | undefined> {
  if (segment === membersBook) return await membersCollection(ctx, actor);
  const named = await namedBy(ctx, actor.memberId, KIND, segment);
  if (named === undefined) return undefined;
  try {
    return toCollection(await requireOwnBook(ctx, actor.memberId, named.id), named.chosen);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'missing') return undefined;
    throw error;
  }
}

function toCollection(book: ContactBookRow, chosen: DavCollectionRow | undefined): DavBook {
  return {
    book,
    segment: chosen?.segment ?? book.id,
    ownerId: book.owner_id,
    access: 'owner',
    displayName: book.name,
    description: book.about,
    ctag: String(book.change_seq),
    syncToken: tokenAt(book, book.change_seq),
    createdAt: book.created_at,
  };
}

async function membersCollection(ctx: Context, { memberId }: Actor): Promise<DavBook> {
  const { displayName, description, ctag } = await bookOfMembers(ctx, memberId);
  return {
    book: undefined,
    segment: membersBook,
    ownerId: memberId,
    access: 'read',
    displayName,
    description,
    ctag,
    syncToken: membersToken(ctag),
  };
}

/** The book of members has no history, only what it is. */
export function membersToken(ctag: string): string {
  return `urn:conclave:sync:members:${ctag}`;
}

export async function create(ctx: Context, actor: Actor, segment: string, change: DavChange): Promise<void> {
  assertSegment(segment);
  const { displayName = segment, description = '' } = change;
  assertNames({ displayName, description });
  await transaction(ctx, async (tx) => {
    const { book } = await createBook(tx, actor, { displayName, description, isDefault: false });
    const row = { collection_id: book.id, owner_id: actor.memberId, segment, components: '', position: null };
    await insertChosen(tx, KIND, row);
  });
}

export async function update(ctx: Context, actor: Actor, { book }: DavBook, change: DavChange): Promise<void> {
  const { displayName, description } = change;
  if (book === undefined) throw readOnly();
  assertNames({ displayName, description });
  await updateBook(ctx, actor, {
    bookId: book.id,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
  });
}

export async function remove(ctx: Context, actor: Actor, { book }: DavBook): Promise<void> {
  if (book === undefined) throw readOnly();
  await deleteBook(ctx, actor, { bookId: book.id });
}

interface Named {
  readonly displayName: string | undefined;
  readonly description: string | undefined;
}

function assertNames({ displayName, description }: Named): void {
  const { name, about } = contactsLimits;
  if (displayName !== undefined && (displayName.trim() === '' || displayName.length > name))
    throw fieldProblem('displayname', `must have 1 to ${name} characters`);
  if (description !== undefined && description.length > about)
    throw fieldProblem('addressbook-description', `must have at most ${about} characters`);
}

export function readOnly(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'Nobody changes the book of members.');
}
