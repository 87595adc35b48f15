import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { Completed, completion } from '../../contract/contacts/completion.ts';
import { contactsLimits, membersBook } from '../../contract/contacts/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fold } from '../../platform/store/search/words.ts';
import { booksOf } from './access.ts';
import { lookThrough } from './look-through.ts';
import { memberCards } from './members-book.ts';
import { hasAll, soughtTerms, type CardSummary } from './vcard/summary.ts';

type Contract = typeof completion;

interface Ranked extends Completed {
  readonly rank: number;
}

export async function complete(
  ctx: Context,
  { memberId }: Actor,
  { q }: InputOf<Contract['complete']>,
): Promise<ReplyOf<Contract['complete']>> {
  const terms = soughtTerms(q);
  if (terms.length === 0) return { matches: [] };
  const wanted = (summary: CardSummary): boolean => summary.emails.length > 0 && hasAll(summary, terms);
  const found: Ranked[] = [];
  let left: number = contactsLimits.looked;
  for (const book of await booksOf(ctx, memberId)) {
    for (const { row, summary } of left > 0 ? await lookThrough(ctx, book, wanted, left) : [])
      found.push(...rankedOf({ bookId: book.id, cardId: row.id }, summary, terms));
    left -= book.cards;
  }
  for (const { username, listed, summary } of await memberCards(ctx, memberId))
    if (wanted(summary)) found.push(...rankedOf({ bookId: membersBook, cardId: listed.id, username }, summary, terms));
  return { matches: bestOf(found) };
}

/** The best first. An address is named once; a member's username is kept for it. */
function bestOf(found: readonly Ranked[]): Completed[] {
  const usernames = new Map(
    found.flatMap(({ address, username }) => (username === undefined ? [] : [[keyOf(address), username]])),
  );
  const matches = new Map<string, Completed>();
  // Sorting keeps own contacts before members.
  for (const { rank: _, ...match } of found.toSorted((a, b) => a.rank - b.rank)) {
    const key = keyOf(match.address);
    const username = usernames.get(key);
    if (!matches.has(key)) matches.set(key, { ...match, ...(username !== undefined && { username }) });
    if (matches.size === contactsLimits.completions) break;
  }
  return [...matches.values()];
}

function keyOf(address: string): string {
  return address.toLowerCase();
}

function rankedOf(
  where: Pick<Completed, 'bookId' | 'cardId' | 'username'>,
  { displayName, emails }: CardSummary,
  terms: readonly string[],
): Ranked[] {
  const name = fold(displayName);
  return emails.flatMap(({ value: address, preferred = false }) => {
    const folded = fold(address);
    // What is searched may stand in another address of the same contact.
    if (terms.length === 1 && terms[0]?.includes('@') === true && !folded.includes(terms[0])) return [];
    const rank = 2 * rankOf(name, folded, terms) + (!preferred && emails.length > 1 ? 1 : 0);
    return [{ ...where, name: displayName, address, rank }];
  });
}

/** 0: what people would have typed next. */
function rankOf(name: string, address: string, terms: readonly string[]): number {
  const whole = terms.join(' ');
  if (name.startsWith(whole) || address.startsWith(whole)) return 0;
  const words = [...name.split(/[\s.'-]+/), ...address.split(/[.@_+-]+/)];
  return terms.every((term) => words.some((word) => word.startsWith(term))) ? 1 : 2;
}
