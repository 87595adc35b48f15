import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { CardImportResult } from '../../../contract/contacts/files.ts';
import { contactsLimits, type CardDuplicateMode } from '../../../contract/contacts/limits.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { requireOwnBook } from '../access.ts';
import { addCard, cardByUid, rewriteCard } from '../card-rows.ts';
import { newUid, uidOfText } from '../uids.ts';
import { openBook } from '../own-books.ts';
import { decoded, bytesOf } from '../vcard/charset.ts';
import { checkedCard, type CheckedCard } from '../vcard/check.ts';
import { fromOldVersion, isOldVersion } from '../vcard/old-version.ts';
import { cardsIn, type FoundCard } from '../vcard/split.ts';
import { withUid } from '../vcard/write.ts';
import type { GivenFile } from './given-file.ts';

/** Contacts of one transaction. Other writers wait for it. */
const TOGETHER = 50;
/** Characters of text that are read before others have their turn. */
const CHARACTERS = 256 * 1024;

interface Readable {
  readonly line: number;
  readonly card: CheckedCard;
}

type Result = { -readonly [Name in keyof CardImportResult]: CardImportResult[Name] };

/** Reads the vCards of a file into a book. What is wrong with one is named in the result, and the others go on. */
export async function importCards(
  ctx: Context,
  actor: Actor,
  bookId: string,
  mode: CardDuplicateMode,
  file: GivenFile,
): Promise<CardImportResult> {
  const result: Result = { imported: 0, skipped: 0, overwritten: 0, failed: 0, errors: [] };
  let together: Readable[] = [];
  let characters = 0;
  const write = async (): Promise<void> => {
    if (together.length > 0) await writeCards(ctx, actor, bookId, mode, together, result);
    together = [];
    characters = 0;
    await setImmediate();
  };
  for (const found of cardsIn(file.text)) {
    try {
      together.push({ line: found.line, card: readCard(found, file) });
    } catch (error) {
      noteFailure(result, found.line, undefined, error);
    }
    characters += found.text.length;
    if (together.length === TOGETHER || characters > CHARACTERS) await write();
  }
  await write();
  return result;
}

function readCard({ text: found, wrong }: FoundCard, { form }: GivenFile): CheckedCard {
  if (wrong !== undefined) throw new Problem('invalid', 'VALIDATION_ERROR', wrong);
  // Before anything is made of it. A byte of another encoding becomes at most three.
  if (found.length > contactsLimits.cardBytes)
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The vCard is larger than 1 MiB.');
  const isOld = isOldVersion(found);
  const text = isOld ? fromOldVersion(found, form) : form === 'binary' ? decoded(bytesOf(found)) : found;
  const card = checkedCard(text);
  return card.reading.uid === '' ? checkedCard(withUid(text, uidOfText(text))) : card;
}

async function writeCards(
  ctx: Context,
  actor: Actor,
  bookId: string,
  mode: CardDuplicateMode,
  cards: readonly Readable[],
  result: Result,
): Promise<void> {
  const before = { ...result, errors: [...result.errors] };
  await transaction(ctx, async (tx) => {
    // A transaction may run again.
    Object.assign(result, { ...before, errors: [...before.errors] });
    // The file may have come for minutes.
    await assertStillSignedIn(tx, actor);
    await lockMembers(tx, [actor.memberId]);
    const book = await requireOwnBook(tx, actor.memberId, bookId);
    using keys = openBook(tx, book);
    let { cards: count } = book;
    for (const { line, card } of cards)
      try {
        const there = await cardByUid(tx, book.id, keys, card.reading.uid);
        if (there !== undefined && mode === 'skip') result.skipped += 1;
        else if (there !== undefined && mode === 'overwrite') {
          await rewriteCard(tx, book, keys, there, card);
          result.overwritten += 1;
        } else {
          assertRoom(count);
          const added = there === undefined ? card : checkedCard(withUid(card.text, newUid(tx)));
          await addCard(tx, book, keys, added);
          count += 1;
          result.imported += 1;
        }
      } catch (error) {
        noteFailure(result, line, card.reading.displayName, error);
      }
  });
}

/** Before anything is written, because a transaction that failed could not go on. @throws Problem conflict CARDS_FULL */
function assertRoom(count: number): void {
  if (count < contactsLimits.cards) return;
  const message = `The address book has ${contactsLimits.cards} contacts, the most there can be.`;
  throw new Problem('conflict', 'CARDS_FULL', message);
}

/** Kinds of problems of a single vCard. All else ends the import. */
const own: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'CARDS_FULL', 'STORAGE_QUOTA_EXCEEDED']);

function noteFailure(result: Result, line: number, name: string | undefined, error: unknown): void {
  if (!(error instanceof Problem) || !own.has(error.code)) throw error;
  result.failed += 1;
  if (result.errors.length >= contactsLimits.importErrors) return;
  const [field] = error.fields;
  const message = field === undefined ? error.message : `The vCard ${field.message}.`;
  result.errors.push({ line, ...(name !== undefined && { name }), code: error.code, message });
}
