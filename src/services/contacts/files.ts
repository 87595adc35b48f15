import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import type { files } from '../../contract/contacts/files.ts';
import { membersBook } from '../../contract/contacts/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { utf8 } from '../../crypto/bytes.ts';
import type { Download, Upload } from '../../service/raw-bodies.ts';
import { earlierReply, once } from '../../service/repeats.ts';
import type { ContactBookRow, ContactCardRow } from '../../platform/store/tables/contacts.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { requireOwnBook } from './access.ts';
import { openText } from './card-rows.ts';
import { givenFile } from './files/given-file.ts';
import { importCards } from './files/import-cards.ts';
import { memberCards } from './members-book.ts';
import { openBook } from './own-books.ts';

type Contract = typeof files;

/** Contacts that are read at a time. Each may have 1 MiB. */
const TOGETHER = 10;

export async function exportVcf(
  ctx: Context,
  { memberId }: Actor,
  { bookId }: InputOf<Contract['exportVcf']>,
): Promise<Download> {
  const common = { type: 'text/vcard; charset=utf-8', filename: 'contacts.vcf' };
  if (bookId === membersBook) {
    const cards = await memberCards(ctx, memberId);
    return { ...common, content: cards.map(({ text }) => text).join('') };
  }
  const book = await requireOwnBook(ctx, memberId, bookId);
  return { ...common, content: { flow: () => written(ctx, book) } };
}

const some = writtenQuery<ContactCardRow>(
  'select * from contact_cards where book_id = $1 and change_seq > $2 order by change_seq limit $3',
);

async function* written(ctx: Context, book: ContactBookRow): AsyncGenerator<Uint8Array> {
  using keys = openBook(ctx, book);
  // One that is changed meanwhile comes again.
  const seen = new Set<string>();
  for (let after = 0; ;) {
    const { rows } = await ctx.db.executeQuery(some(book.id, after, TOGETHER));
    for (const row of rows) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      const text = openText(keys, row);
      yield utf8(/[\r\n]$/.test(text) ? text : `${text}\r\n`);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < TOGETHER) return;
    after = last.change_seq;
  }
}

export async function importVcf(
  ctx: Context,
  actor: Actor,
  { bookId, duplicateMode }: InputOf<Contract['importVcf']>,
  upload: Upload,
): Promise<ReplyOf<Contract['importVcf']>> {
  await requireOwnBook(ctx, actor.memberId, bookId);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as ReplyOf<Contract['importVcf']>;
  const file = await givenFile(upload);
  if (file.text.trim() === '') throw new Problem('invalid', 'IMPORT_UNREADABLE', 'The file has no vCard.');
  const result = await importCards(ctx, actor, bookId, file.duplicateMode ?? duplicateMode, file);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => ({ result }));
  });
}
