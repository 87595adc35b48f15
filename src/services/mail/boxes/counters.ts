import type { Context } from '../../../service/context.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { ListedColumn, MailItemRow } from '../../../platform/store/tables/mail.ts';
import { onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';

const raiseModseq = writtenQuery<{ modseq: number }>(`
  insert into mail_boxes (member_id, modseq) values ($1, 1)
  on conflict (member_id) do update set modseq = mail_boxes.modseq + 1 returning modseq`);

// A mailbox that is made again has another number, and 32 bits have to be enough: seconds.
const raiseUid = writtenQuery<{ uid_next: number }>(`
  insert into mail_mailboxes (member_id, name, kind, name_key, uid_validity, uid_next, created_at)
  values ($1, $2, $3, $4, $5, 2, $6)
  on conflict (member_id, name) do update set uid_next = mail_mailboxes.uid_next + 1 returning uid_next`);

/**
 * The number of the next change in a member's mail (MODSEQ of RFC 7162). A transaction takes it before all other rows of the mailbox, and
 * after the bytes that the member keeps: so no two of them wait for each other.
 */
export async function nextModseq(tx: Context, memberId: string): Promise<number> {
  const { rows } = await tx.db.executeQuery(raiseModseq(memberId));
  return onlyRow(rows).modseq;
}

/** The number of the last change; 0 before the first one. */
export async function lastModseq({ db }: Pick<Context, 'db'>, memberId: string): Promise<number> {
  const row = await db.selectFrom('mail_boxes').select('modseq').where('member_id', '=', memberId).executeTakeFirst();
  return row?.modseq ?? 0;
}

/** The next number in a folder of a member (UID of RFC 9051). It makes the folder. */
export async function nextUid(tx: Context, memberId: string, folder: string): Promise<number> {
  return await takeUid(tx, memberId, folder, 'folder');
}

async function takeUid(tx: Context, memberId: string, name: string, kind: 'folder' | 'label'): Promise<number> {
  const now = tx.clock.now();
  const { rows } = await tx.db.executeQuery(raiseUid(memberId, name, kind, nameKey(name), Math.floor(now / 1000), now));
  return onlyRow(rows).uid_next - 1;
}

/** Labels that differ in case alone are one. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * Puts labels on a message, in the transaction that changes it. A label that the member doesn't have is made.
 * @throws Problem conflict EMAIL_LABELS_FULL
 */
export async function addLabels(
  tx: Context,
  memberId: string,
  itemId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const known = await labelsOf(tx, memberId);
  const present = new Set((await labelsOfItems(tx, [itemId])).get(itemId));
  // Of several spellings the first one counts.
  const more = new Map(names.toReversed().map((name) => [nameKey(name), known.get(nameKey(name)) ?? name]));
  for (const name of more.values()) {
    if (present.has(name)) continue;
    if (!known.has(nameKey(name)) && known.size >= mailLimits.labels * 20) throw full();
    if (present.size >= mailLimits.labels) throw full();
    const uid = await takeUid(tx, memberId, name, 'label');
    await putLabel(tx, { memberId, name, uid, itemId });
    known.set(nameKey(name), name);
    present.add(name);
  }
}

/** What lists filter and sort by. */
export const listed = [
  'folder',
  'seen',
  'flagged',
  'has_attachments',
  'from_key',
  'subject_key',
  'dated_at',
  'size',
] as const satisfies readonly ListedColumn[];

async function putLabel(
  tx: Context,
  { memberId, name, uid, itemId }: Readonly<Record<'memberId' | 'name' | 'itemId', string>> & { readonly uid: number },
): Promise<void> {
  const item = tx.db
    .selectFrom('mail_items')
    .select((e) => [
      'member_id',
      e.cast<string>(e.val(name), 'text').as('name'),
      e.cast<number>(e.val(uid), 'bigint').as('uid'),
      'id as item_id',
      ...listed,
    ])
    .where('id', '=', itemId)
    .where('member_id', '=', memberId);
  await tx.db
    .insertInto('mail_item_labels')
    .columns(['member_id', 'name', 'uid', 'item_id', ...listed])
    .expression(item)
    .execute();
}

/** Changes what lists show of a message, in a transaction: in its labels too. */
export async function changeItem(
  tx: Context,
  itemId: string,
  change: Partial<Pick<MailItemRow, 'folder' | 'seen' | 'flagged' | 'keywords' | 'uid' | 'modseq'>>,
): Promise<void> {
  const { folder, seen, flagged } = change;
  await tx.db.updateTable('mail_items').set(change).where('id', '=', itemId).execute();
  if (folder === undefined && seen === undefined && flagged === undefined) return;
  await tx.db.updateTable('mail_item_labels').set({ folder, seen, flagged }).where('item_id', '=', itemId).execute();
}

function full(): Problem {
  const words = 'The message, or the mailbox, has too many labels. Remove some of them first.';
  return new Problem('conflict', 'EMAIL_LABELS_FULL', words);
}

export async function removeLabels(tx: Context, itemId: string, names: readonly string[]): Promise<void> {
  const keys = new Set(names.map(nameKey));
  const present = (await labelsOfItems(tx, [itemId])).get(itemId) ?? [];
  const gone = present.filter((name) => keys.has(nameKey(name)));
  if (gone.length === 0) return;
  await tx.db.deleteFrom('mail_item_labels').where('item_id', '=', itemId).where('name', 'in', gone).execute();
}

/** The labels of a member by their keys. */
export async function labelsOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('mail_mailboxes')
    .select(['name', 'name_key'])
    .where('member_id', '=', memberId)
    .where('kind', '=', 'label')
    .execute();
  return new Map(rows.map((row) => [row.name_key, row.name]));
}

/** The labels of messages by their ids, sorted. */
export async function labelsOfItems(
  { db }: Pick<Context, 'db'>,
  itemIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (itemIds.length === 0) return found;
  const rows = await db
    .selectFrom('mail_item_labels')
    .select(['item_id', 'name'])
    .where('item_id', 'in', [...itemIds])
    .orderBy('name')
    .execute();
  for (const { item_id: id, name } of rows) found.set(id, [...(found.get(id) ?? []), name]);
  return found;
}
