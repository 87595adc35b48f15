import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions, davRefusal } from '../../../service/dav-matching.ts';
import type { DavConditions, DavGiven, DavWritten } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { ContactBookRow, ContactCardRow } from '../../../platform/store/tables/contacts.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireOwnBook } from '../access.ts';
import { addCard, cardByUid, removeCard, rewriteCard } from '../card-rows.ts';
import { openBook, type BookKeys } from '../own-books.ts';
import { newUid } from '../uids.ts';
import { checkedCard, type CheckedCard } from '../vcard/check.ts';
import { withUid } from '../vcard/write.ts';
import { readOnly, type DavBook } from './collections.ts';

const byName = writtenQuery<ContactCardRow>('select * from contact_cards where book_id = $1 and name = $2');

interface Place {
  readonly tx: Context;
  readonly book: ContactBookRow;
  readonly keys: BookKeys;
  /** what is there now */
  readonly found: ContactCardRow | undefined;
}

async function atName<T>(
  ctx: Context,
  actor: Actor,
  { book: known }: DavBook,
  name: string,
  conditions: DavConditions,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (known === undefined) throw readOnly();
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnBook(tx, actor.memberId, known.id);
    await lockMembers(tx, [actor.memberId]);
    const book = await requireOwnBook(tx, actor.memberId, known.id);
    using keys = openBook(tx, book);
    const found = await cardAt(tx, book.id, name);
    assertConditions(conditions, found);
    return await work({ tx, book, keys, found });
  });
}

/** What a book has under a name. */
export async function cardAt(tx: Context, bookId: string, name: string): Promise<ContactCardRow | undefined> {
  return (await tx.db.executeQuery(byName(bookId, name))).rows[0];
}

/** Stores a contact under a name. @throws Problem as the function of the port */
export async function writeNamed(
  ctx: Context,
  actor: Actor,
  book: DavBook,
  name: string,
  { bytes, conditions }: DavGiven,
): Promise<DavWritten> {
  const given = readGiven(bytes);
  return await atName(ctx, actor, book, name, conditions, async ({ tx, book: row, keys, found }) => {
    const isWhole = given.reading.uid !== '';
    const card = isWhole ? given : checkedCard(withUid(given.text, newUid(tx)));
    await assertUid(tx, row, keys, card, found);
    const { etag } =
      found === undefined ? await addCard(tx, row, keys, card, name) : await rewriteCard(tx, row, keys, found, card);
    return { created: found === undefined, ...(isWhole && { etag }) };
  });
}

/** A UID is in a book once. @throws Problem conflict CONFLICT */
export async function assertUid(
  tx: Context,
  { id }: ContactBookRow,
  keys: BookKeys,
  { reading: { uid } }: CheckedCard,
  found: ContactCardRow | undefined,
): Promise<void> {
  const other = await cardByUid(tx, id, keys, uid);
  if (other === undefined || other.id === found?.id) return;
  const message = 'The address book has a contact with this UID already. Change that one.';
  throw davRefusal('conflict', 'CONFLICT', 'card:no-uid-conflict', message, other.name);
}

/** @throws Problem forbidden FORBIDDEN with the condition that it does not meet */
function readGiven(bytes: Uint8Array): CheckedCard {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('card:valid-address-data', 'A vCard must be UTF-8.');
  }
  if (/^VERSION:2\.1\s*$/im.test(text))
    throw invalid('card:supported-address-data', 'A vCard must have the version 3.0 or 4.0.');
  try {
    return checkedCard(text);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'VALIDATION_ERROR') throw error;
    const [field] = error.fields;
    throw invalid('card:valid-address-data', field === undefined ? error.message : `A vCard ${field.message}.`);
  }
}

function invalid(precondition: string, message: string): Problem {
  return davRefusal('forbidden', 'FORBIDDEN', precondition, message);
}

/** @throws Problem missing NOT_FOUND, and as the function of the port */
export async function eraseNamed(
  ctx: Context,
  actor: Actor,
  book: DavBook,
  name: string,
  conditions: DavConditions,
): Promise<void> {
  await atName(ctx, actor, book, name, conditions, async ({ tx, book: row, found }) => {
    if (found === undefined) throw notThere('contact');
    await removeCard(tx, row, found);
  });
}
