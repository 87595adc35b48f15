import { transaction, type Context } from '../../service/context.ts';
import { deriveKey } from '../../crypto/hkdf.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ContactBookRow } from '../../platform/store/tables/contacts.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { openContentKey, sealedContentKey } from '../../shared/content-keys/content-keys.ts';

const DEFAULT_NAME = 'Contacts';

const defaultOf = writtenQuery<ContactBookRow>('select * from contact_books where owner_id = $1 and is_default = 1');

/** The book of a member for new contacts. It is made when it is first asked for. */
export async function defaultBook(ctx: Context, memberId: string): Promise<ContactBookRow> {
  const { rows } = await ctx.db.executeQuery(defaultOf(memberId));
  const [there] = rows;
  if (there !== undefined) return there;
  return await transaction(ctx, async (tx) => {
    // Of two first requests the second one finds what the first one has made.
    await lockMembers(tx, [memberId]);
    const again = await tx.db.executeQuery(defaultOf(memberId));
    const [made] = again.rows;
    if (made !== undefined) return made;
    const row = await insertBook(tx, { owner_id: memberId, name: DEFAULT_NAME, about: '' });
    await tx.db.executeQuery(setDefault(1, row.id));
    return { ...row, is_default: 1 };
  });
}

/** Adds a book with a key of its own. It is not the default one. */
export async function insertBook(
  tx: Context,
  named: Pick<ContactBookRow, 'owner_id' | 'name' | 'about'>,
): Promise<ContactBookRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const row: ContactBookRow = {
    id,
    ...named,
    is_default: 0,
    content_key: sealedContentKey(tx, purposeOf(id)),
    change_seq: 0,
    forgotten_seq: 0,
    cards: 0,
    created_at: now,
    modified_at: now,
  };
  await insertRows(tx.db, 'contact_books', [row]);
  return row;
}

const setDefault = writtenQuery('update contact_books set is_default = $1 where id = $2');
const unsetDefault = writtenQuery('update contact_books set is_default = 0 where owner_id = $1 and is_default = 1');

/** The caller has locked the owner. */
export async function makeDefault(
  tx: Context,
  { id, owner_id: ownerId }: Pick<ContactBookRow, 'id' | 'owner_id'>,
): Promise<void> {
  await tx.db.executeQuery(unsetDefault(ownerId));
  await tx.db.executeQuery(setDefault(1, id));
}

/** The keys of a book, until they are disposed of. */
export interface BookKeys extends Disposable {
  readonly content: Uint8Array;
  /** for the HMAC of UIDs */
  readonly uids: Uint8Array;
}

/** @throws Problem internal STORE_DAMAGED */
export function openBook(ctx: Pick<Context, 'keys'>, book: Pick<ContactBookRow, 'id' | 'content_key'>): BookKeys {
  const content = openContentKey(ctx, book.content_key, purposeOf(book.id), 'an address book');
  const uids = deriveKey(content, 'conclave/contacts/uids/v1');
  return {
    content,
    uids,
    [Symbol.dispose]() {
      content.fill(0);
      uids.fill(0);
    },
  };
}

function purposeOf(id: string): string {
  return `contact-book:${id}`;
}
