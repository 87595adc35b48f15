import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { contactsLimits } from '../../contract/contacts/limits.ts';
import { fromUtf8, toHex, utf8 } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { hmacSha256 } from '../../crypto/hash.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ContactBookRow, ContactCardRow } from '../../platform/store/tables/contacts.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { freeStorage, takeStorage } from '../../shared/members/storage.ts';
import type { BookKeys } from './own-books.ts';
import type { CheckedCard } from './vcard/check.ts';
import { summaryOf, type CardSummary } from './vcard/summary.ts';

/** Rows of contacts. Who writes them has locked the owner of the book, and read the book after that. */

/** A row without its text. */
export type CardHead = Omit<ContactCardRow, 'octets'>;

const ETAG_BYTES = 16;
const KEY_DIGITS = 32;

const byId = writtenQuery<ContactCardRow>('select * from contact_cards where id = $1 and book_id = $2');
const byUid = writtenQuery<ContactCardRow>('select * from contact_cards where book_id = $1 and uid_key = $2');

export async function cardById(
  { db }: Pick<Context, 'db'>,
  bookId: string,
  id: string,
): Promise<ContactCardRow | undefined> {
  return (await db.executeQuery(byId(id, bookId))).rows[0];
}

export async function cardByUid(
  { db }: Pick<Context, 'db'>,
  bookId: string,
  keys: BookKeys,
  uid: string,
): Promise<ContactCardRow | undefined> {
  return (await db.executeQuery(byUid(bookId, uidKey(keys, uid)))).rows[0];
}

function uidKey({ uids }: BookKeys, uid: string): string {
  return toHex(hmacSha256(uids, utf8(uid))).slice(0, KEY_DIGITS);
}

const count = writtenQuery<{ seq: number; cards: number }>(`
  update contact_books set change_seq = change_seq + 1, cards = cards + $1 where id = $2
  returning change_seq as seq, cards`);

/** @returns the number of the change. @throws Problem conflict CARDS_FULL */
async function countChange(tx: Context, bookId: string, more: number): Promise<number> {
  const { seq, cards } = onlyRow((await tx.db.executeQuery(count(more, bookId))).rows);
  if (more > 0 && cards > contactsLimits.cards)
    throw new Problem(
      'conflict',
      'CARDS_FULL',
      `The address book has ${contactsLimits.cards} contacts, the most there can be. Delete some, or use another book.`,
    );
  return seq;
}

const unbury = writtenQuery('delete from contact_tombstones where book_id = $1 and name = $2');

/**
 * @param named the name of the resource; without it, one of the id
 * @throws Problem conflict CARDS_FULL, tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function addCard(
  tx: Context,
  book: ContactBookRow,
  keys: BookKeys,
  card: CheckedCard,
  named?: string,
): Promise<ContactCardRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const name = named ?? `${id}.vcf`;
  const sealed = sealedCard(tx, keys, book.id, id, card);
  await takeStorage(tx, book.owner_id, sealed.bytes);
  const change_seq = await countChange(tx, book.id, 1);
  const row = { id, book_id: book.id, name, change_seq, created_at: now, modified_at: now, ...sealed };
  await insertRows(tx.db, 'contact_cards', [row]);
  await tx.db.executeQuery(unbury(book.id, name));
  return row;
}

const write = writtenQuery(`
  update contact_cards set uid_key = $1, etag = $2, change_seq = $3, bytes = $4, modified_at = $5, summary = $6, octets = $7
  where id = $8`);

/** @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED */
export async function rewriteCard(
  tx: Context,
  book: ContactBookRow,
  keys: BookKeys,
  before: ContactCardRow,
  card: CheckedCard,
): Promise<ContactCardRow> {
  const now = tx.clock.now();
  const sealed = sealedCard(tx, keys, book.id, before.id, card);
  const more = sealed.bytes - before.bytes;
  if (more > 0) await takeStorage(tx, book.owner_id, more);
  else await freeStorage(tx, book.owner_id, -more);
  const change_seq = await countChange(tx, book.id, 0);
  const { uid_key: uid, etag, bytes, summary, octets } = sealed;
  await tx.db.executeQuery(write(uid, etag, change_seq, bytes, now, summary, octets, before.id));
  return { ...before, ...sealed, change_seq, modified_at: now };
}

const remove = writtenQuery('delete from contact_cards where id = $1');

export async function removeCard(tx: Context, book: ContactBookRow, card: ContactCardRow): Promise<void> {
  await tx.db.executeQuery(remove(card.id));
  await freeStorage(tx, book.owner_id, card.bytes);
  const change_seq = await countChange(tx, book.id, -1);
  const tombstone = { book_id: book.id, name: card.name, card_id: card.id, change_seq, deleted_at: tx.clock.now() };
  await insertRows(tx.db, 'contact_tombstones', [tombstone]);
}

type Sealed = Pick<ContactCardRow, 'uid_key' | 'etag' | 'bytes' | 'summary' | 'octets'>;

function sealedCard(tx: Context, keys: BookKeys, bookId: string, id: string, card: CheckedCard): Sealed {
  const seal = (what: What, bytes: Uint8Array) =>
    sealWithKey(keys.content, bytes, purposeOf(what, bookId, id), tx.random);
  const octets = seal('card', utf8(card.text));
  const summary = seal('summary', utf8(JSON.stringify(summaryOf(card.reading))));
  return {
    uid_key: uidKey(keys, card.reading.uid),
    etag: toHex(tx.random(ETAG_BYTES)),
    bytes: octets.length + summary.length,
    summary,
    octets,
  };
}

export function openText(keys: BookKeys, card: Pick<ContactCardRow, 'id' | 'book_id' | 'octets'>): string {
  return fromUtf8(opened(keys, 'card', card, card.octets));
}

export function openSummary(keys: BookKeys, card: Pick<ContactCardRow, 'id' | 'book_id' | 'summary'>): CardSummary {
  return JSON.parse(fromUtf8(opened(keys, 'summary', card, card.summary))) as CardSummary;
}

type What = 'card' | 'summary';

function purposeOf(what: What, bookId: string, id: string): Uint8Array {
  return utf8(`contact-${what}:${bookId}:${id}`);
}

/** @throws Problem internal STORE_DAMAGED */
function opened(
  { content }: BookKeys,
  what: What,
  { id, book_id: bookId }: Pick<ContactCardRow, 'id' | 'book_id'>,
  sealed: Uint8Array,
): Uint8Array {
  try {
    return openWithKey(content, sealed, purposeOf(what, bookId, id));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'A contact does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  }
}
