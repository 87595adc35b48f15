import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions } from '../../../service/dav-matching.ts';
import type { DavConditions, DavNamed, DavTransfer, DavTransferred } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireOwnBook } from '../access.ts';
import { addCard, openText, removeCard } from '../card-rows.ts';
import { openBook } from '../own-books.ts';
import { checkedCard } from '../vcard/check.ts';
import { readOnly, type DavBook } from './collections.ts';
import { memberContents } from './members.ts';
import { assertUid, cardAt } from './write.ts';

/** Moves or copies a contact. @throws Problem as the function of the port */
export async function transferNamed(
  ctx: Context,
  actor: Actor,
  from: DavNamed<DavBook>,
  to: DavNamed<DavBook>,
  { conditions, copy, overwrite }: DavTransfer,
): Promise<DavTransferred> {
  const { memberId } = actor;
  const [source, goal] = [from.collection.book, to.collection.book];
  if (goal === undefined || (source === undefined && !copy)) throw readOnly();
  // Contacts of the book of members are put together each time, so they can only be copied.
  const ofMember = source === undefined ? await memberCard(ctx, memberId, from.name, conditions) : undefined;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await lockMembers(tx, [memberId]);
    const book = await requireOwnBook(tx, memberId, goal.id);
    using keys = openBook(tx, book);
    const found = source === undefined ? undefined : await foundAt(tx, memberId, source.id, from.name);
    if (found !== undefined) assertConditions(conditions, found.row);
    const card = checkedCard(found?.text ?? ofMember ?? '');
    const there = await cardAt(tx, book.id, to.name);
    if (there !== undefined && !overwrite)
      throw new Problem('precondition', 'PRECONDITION_FAILED', 'There is another contact at this address.');
    if (there !== undefined) await removeCard(tx, book, there);
    if (found !== undefined && !copy) await removeCard(tx, found.book, found.row);
    await assertUid(tx, book, keys, card, undefined);
    await addCard(tx, book, keys, card, to.name);
    return { created: there === undefined };
  });
}

/** @throws Problem missing NOT_FOUND */
async function foundAt(tx: Context, memberId: string, bookId: string, name: string) {
  const book = await requireOwnBook(tx, memberId, bookId);
  const row = await cardAt(tx, bookId, name);
  if (row === undefined) throw notThere('contact');
  using keys = openBook(tx, book);
  return { book, row, text: openText(keys, row) };
}

/** @throws Problem missing NOT_FOUND; precondition PRECONDITION_FAILED */
async function memberCard(ctx: Context, memberId: string, name: string, conditions: DavConditions): Promise<string> {
  const found = (await memberContents(ctx, memberId)).find((one) => one.name === name);
  if (found === undefined) throw notThere('contact');
  assertConditions(conditions, found);
  return found.text;
}
