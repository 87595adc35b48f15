import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import type { cards } from '../../contract/contacts/cards.ts';
import type { CardFields, ListedCard, ShownCard } from '../../contract/contacts/fields.ts';
import { membersBook } from '../../contract/contacts/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { asc, pageOf, type Listing } from '../../platform/store/page.ts';
import type { ContactBookRow, ContactCardRow } from '../../platform/store/tables/contacts.ts';
import { once } from '../../service/repeats.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { notThere, requireOwnBook } from './access.ts';
import { addCard, cardById, cardByUid, openText, removeCard, rewriteCard, type CardHead } from './card-rows.ts';
import { lookThrough } from './look-through.ts';
import { memberCards, requireMemberCard } from './members-book.ts';
import { openBook, type BookKeys } from './own-books.ts';
import { checkedCard, type CheckedCard } from './vcard/check.ts';
import { readFields } from './vcard/fields.ts';
import { propertiesOf } from './vcard/lines.ts';
import { hasAll, soughtTerms, type CardSummary } from './vcard/summary.ts';
import { newUid } from './uids.ts';
import { changedCard, newCard, withUid } from './vcard/write.ts';

type Contract = typeof cards;
type Reply = ReplyOf<Contract['showCard']>;

interface Sorted {
  readonly sort: string;
  readonly listed: ListedCard;
}

export async function listCards(
  ctx: Context,
  { memberId }: Actor,
  { bookId, q, limit, cursor }: InputOf<Contract['listCards']>,
): Promise<ReplyOf<Contract['listCards']>> {
  const terms = soughtTerms(q ?? '');
  const found = await sortedCards(ctx, memberId, bookId, (summary) => hasAll(summary, terms));
  const listing: Listing<Sorted> = {
    list: 'contacts.list',
    memberId,
    filter: { bookId, q },
    by: [asc('sort', ({ sort }) => sort), asc('id', ({ listed }) => listed.id)],
  };
  const { rows, next } = await pageOf(ctx, listing, { limit, cursor }, async ({ values: [sort, id] }, most) => {
    const rest = sort === undefined ? found : found.filter((card) => isBehind(card, String(sort), String(id)));
    return rest.slice(0, most);
  });
  return { cards: rows.map(({ listed }) => listed), ...next };
}

function isBehind({ sort, listed: { id } }: Sorted, lastSort: string, lastId: string): boolean {
  return sort > lastSort || (sort === lastSort && id > lastId);
}

async function sortedCards(
  ctx: Context,
  memberId: string,
  bookId: string,
  wanted: (summary: CardSummary) => boolean,
): Promise<Sorted[]> {
  const found =
    bookId === membersBook
      ? (await memberCards(ctx, memberId)).flatMap(({ summary, listed }) =>
          wanted(summary) ? [{ sort: summary.sort, listed }] : [],
        )
      : (await lookThrough(ctx, await requireOwnBook(ctx, memberId, bookId), wanted)).map(({ row, summary }) => ({
          sort: summary.sort,
          listed: toListed(row, summary),
        }));
  return found.toSorted((a, b) => (isBehind(a, b.sort, b.listed.id) ? 1 : -1));
}

function toListed(row: CardHead, { kind, displayName, organization, emails, phones }: CardSummary): ListedCard {
  const { id, book_id: bookId, etag } = row;
  return { id, bookId, etag, kind, displayName, organization, emails: [...emails], phones: [...phones] };
}

export async function showCard(
  ctx: Context,
  { memberId }: Actor,
  { bookId, cardId }: InputOf<Contract['showCard']>,
): Promise<Reply> {
  if (bookId === membersBook) {
    const { listed, text } = await requireMemberCard(ctx, memberId, cardId);
    return { card: { ...listed, ...viewOf(text) } };
  }
  const book = await requireOwnBook(ctx, memberId, bookId);
  const row = await cardById(ctx, book.id, cardId);
  if (row === undefined) throw notThere('contact');
  using keys = openBook(ctx, book);
  return { card: toCard(row, openText(keys, row)) };
}

function viewOf(text: string): Omit<ShownCard, 'id' | 'bookId' | 'etag' | 'dateCreated' | 'dateModified'> {
  const { nicknames: _, ...view } = readFields(propertiesOf(text));
  return { ...view, vcard: text };
}

function toCard(row: ContactCardRow, text: string): ShownCard {
  return {
    id: row.id,
    bookId: row.book_id,
    etag: row.etag,
    ...viewOf(text),
    dateCreated: new Date(row.created_at).toISOString(),
    dateModified: new Date(row.modified_at).toISOString(),
  };
}

export async function createCard(
  ctx: Context,
  actor: Actor,
  { bookId, ...input }: InputOf<Contract['createCard']>,
): Promise<Reply> {
  return await inBook(ctx, actor, bookId, async (tx, book, keys) =>
    once(tx, async () => {
      const card = givenCard(tx, input);
      await assertNewUid(tx, book, keys, card);
      return { card: toCard(await addCard(tx, book, keys, card), card.text) };
    }),
  );
}

export async function replaceCard(
  ctx: Context,
  actor: Actor,
  { bookId, cardId, ifMatch, ...input }: InputOf<Contract['replaceCard']>,
): Promise<Reply> {
  return await inBook(ctx, actor, bookId, async (tx, book, keys) => {
    const before = await requireCard(tx, book, cardId, ifMatch);
    const card = givenCard(tx, input, readFields(propertiesOf(openText(keys, before))).uid);
    await assertNewUid(tx, book, keys, card, before.id);
    return { card: toCard(await rewriteCard(tx, book, keys, before, card), card.text) };
  });
}

export async function updateCard(
  ctx: Context,
  actor: Actor,
  { bookId, cardId, ifMatch, ...changes }: InputOf<Contract['updateCard']>,
): Promise<Reply> {
  return await inBook(ctx, actor, bookId, async (tx, book, keys) => {
    const before = await requireCard(tx, book, cardId, ifMatch);
    const card = checkedCard(changedCard(openText(keys, before), changes, tx.clock.now()));
    return { card: toCard(await rewriteCard(tx, book, keys, before, card), card.text) };
  });
}

export async function deleteCard(
  ctx: Context,
  actor: Actor,
  { bookId, cardId, ifMatch }: InputOf<Contract['deleteCard']>,
): Promise<{ success: true }> {
  return await inBook(ctx, actor, bookId, async (tx, book) => {
    await removeCard(tx, book, await requireCard(tx, book, cardId, ifMatch));
    return { success: true };
  });
}

/** Changes a book in a transaction, one change after another. */
async function inBook<T>(
  ctx: Context,
  actor: Actor,
  bookId: string,
  change: (tx: Context, book: ContactBookRow, keys: BookKeys) => Promise<T>,
): Promise<T> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwnBook(tx, actor.memberId, bookId);
    await lockMembers(tx, [actor.memberId]);
    const book = await requireOwnBook(tx, actor.memberId, bookId);
    using keys = openBook(tx, book);
    return await change(tx, book, keys);
  });
}

async function requireCard(
  tx: Context,
  book: ContactBookRow,
  cardId: string,
  tags: readonly string[] | undefined,
): Promise<ContactCardRow> {
  const card = await cardById(tx, book.id, cardId);
  if (card === undefined) throw notThere('contact');
  if (tags?.includes(card.etag) === false)
    throw new Problem(
      'precondition',
      'PRECONDITION_FAILED',
      'The contact was changed meanwhile. Read it again, and repeat your change.',
    );
  return card;
}

async function assertNewUid(
  tx: Context,
  book: ContactBookRow,
  keys: BookKeys,
  { reading: { uid } }: CheckedCard,
  own?: string,
): Promise<void> {
  const there = await cardByUid(tx, book.id, keys, uid);
  if (there === undefined || there.id === own) return;
  const message = 'The address book has a contact with this UID. Change that one, or leave the UID out.';
  throw new Problem('conflict', 'CARD_EXISTS', message, { details: { cardId: there.id } });
}

/** @param uid of what it replaces @throws Problem invalid VALIDATION_ERROR */
function givenCard(
  tx: Context,
  { vcard, ...fields }: CardFields & { readonly vcard?: string | undefined },
  uid = newUid(tx),
): CheckedCard {
  const isFields = Object.values(fields).some((field) => field !== undefined);
  if (vcard === undefined) return checkedCard(newCard(fields, uid, tx.clock.now()));
  if (isFields) throw fieldProblem('vcard', 'must not be beside other fields, which it has itself');
  const card = checkedCard(vcard);
  return card.reading.uid === '' ? checkedCard(withUid(card.text, uid)) : card;
}
