import type { Context } from '../../../service/context.ts';
import type { Actor } from '../../../service/actor.ts';
import type { AddressbookSpace, DavContent, DavDamaged, DavResource } from '../../../service/ports/dav.ts';
import type { CardFilter, CardForm } from '../../../service/ports/dav-filters.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { contactsLimits } from '../../../contract/contacts/limits.ts';
import { collection, collections, create, remove, update, type DavBook } from './collections.ts';
import { changes, headsOf, readNamed } from './heads.ts';
import { inForm } from './form.ts';
import { matchesCard } from './matching.ts';
import { memberChanges, memberContents } from './members.ts';
import { transferNamed } from './transfer.ts';
import { eraseNamed, writeNamed } from './write.ts';

/** Contacts that are opened together. Others have their turn after that. */
const TOGETHER = 50;
/** Characters of them after which others have their turn, too: some contacts have a large picture. */
const SLICE = 256 * 1024;

/** Address books as programs see them. Books are one's own, and that of the members whom one knows, which is read alone. */
export function contactsSpace(): AddressbookSpace<DavBook> {
  return {
    kind: 'addressbook',
    root: 'contacts',
    scope: 'contacts',
    type: 'text/vcard',
    mostBytes: contactsLimits.cardBytes,
    features: ['addressbook'],
    collections,
    collection,
    create,
    update,
    remove,
    list,
    changes: (ctx, { memberId }, book, since, most) =>
      book.book === undefined ? memberChanges(ctx, memberId, book, since, most) : changes(ctx, book.book, since, most),
    read,
    write: writeNamed,
    transfer: transferNamed,
    erase: async (ctx, actor, book, name, { conditions }) => await eraseNamed(ctx, actor, book, name, conditions),
    query,
  };
}

async function* list(ctx: Context, { memberId }: Actor, { book }: DavBook): AsyncGenerator<readonly DavResource[]> {
  if (book !== undefined) yield* headsOf(ctx, book.id);
  else yield (await memberContents(ctx, memberId)).map(({ name, etag }) => ({ name, etag }));
}

async function read(
  ctx: Context,
  { memberId }: Actor,
  { book }: DavBook,
  names: readonly string[],
  form: CardForm = {},
): Promise<readonly (DavContent | DavDamaged)[]> {
  if (book !== undefined)
    return (await readNamed(ctx, book, names)).map((one) => ('damaged' in one ? one : inForm(one, form)));
  const wanted = new Set(names);
  const all = await memberContents(ctx, memberId);
  return all.filter(({ name }) => wanted.has(name)).map((content) => inForm(content, form));
}

async function* query(
  ctx: Context,
  actor: Actor,
  book: DavBook,
  filter: CardFilter,
  form: CardForm | undefined,
): AsyncGenerator<readonly (DavResource | DavContent | DavDamaged)[]> {
  for await (const heads of list(ctx, actor, book)) {
    if (filter.props.length === 0 && form === undefined) {
      yield heads;
      continue;
    }
    for (let at = 0; at < heads.length; at += TOGETHER) {
      const names = heads.slice(at, at + TOGETHER).map(({ name }) => name);
      const found: (DavContent | DavDamaged)[] = [];
      let since = 0;
      for (const content of await read(ctx, actor, book, names)) {
        // Whether it is wanted nobody knows.
        if ('damaged' in content) {
          found.push(content);
          continue;
        }
        if (matchesCard(filter, content.text)) found.push(inForm(content, form));
        since += content.text.length;
        if (since < SLICE) continue;
        since = 0;
        await nextTurn();
      }
      yield found;
      await nextTurn();
    }
  }
}
