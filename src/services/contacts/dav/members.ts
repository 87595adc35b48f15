import type { Context } from '../../../service/context.ts';
import type { DavContent, DavSynced, DavSyncEnd } from '../../../service/ports/dav.ts';
import { memberCards } from '../members-book.ts';
import { membersToken, type DavBook } from './collections.ts';
import { invalidToken } from './tokens.ts';

/** The book of members as programs see it: it is put together each time. */
export async function memberContents(ctx: Context, memberId: string): Promise<readonly DavContent[]> {
  const cards = await memberCards(ctx, memberId);
  return cards.map(({ listed: { id, etag }, text }) => ({ name: `${id}.vcf`, etag, text }));
}

/** Whoever has another state than the current one reads all of it again. @throws Problem forbidden FORBIDDEN */
export async function* memberChanges(
  ctx: Context,
  memberId: string,
  { ctag }: DavBook,
  since: string | undefined,
  most: number,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  const token = membersToken(ctag);
  if (since === token) return { token, more: false };
  if (since !== undefined) throw invalidToken();
  const all = await memberContents(ctx, memberId);
  // There is no token for a part of it.
  if (all.length > most) throw invalidToken();
  yield all.map(({ name, etag }) => ({ name, resource: { name, etag } }));
  return { token, more: false };
}
