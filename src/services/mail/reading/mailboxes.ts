import { folders, type Folder } from '../../../contract/mail/limits.ts';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { lastModseq, labelsOfItems } from '../boxes/counters.ts';
import { addressOf } from '../message/address.ts';
import { mailboxOfMember } from '../own-mailbox.ts';
import { keywordsOf } from './metadata.ts';

export async function listMailboxes(ctx: Context, actor: Actor) {
  const { memberId } = actor;
  const rows = await ctx.db.selectFrom('mail_mailboxes').selectAll().where('member_id', '=', memberId).execute();
  const inFolders = await ctx.db
    .selectFrom('mail_items')
    .select(['folder as name', 'seen', ({ fn }) => fn.countAll<number>().as('count')])
    .where('member_id', '=', memberId)
    .groupBy(['folder', 'seen'])
    .execute();
  const labelled = await ctx.db
    .selectFrom('mail_item_labels as l')
    .innerJoin('mail_items as i', 'i.id', 'l.item_id')
    .select(['l.name', 'i.seen', ({ fn }) => fn.countAll<number>().as('count')])
    .where('l.member_id', '=', memberId)
    .groupBy(['l.name', 'i.seen'])
    .execute();
  const counts = [...inFolders, ...labelled];
  const known = new Map(rows.map((row) => [row.name, row]));
  const shown = (name: string, kind: 'folder' | 'label') => {
    const row = known.get(name);
    const own = counts.filter((one) => one.name === name);
    const sum = (those: typeof own) => those.reduce((total, { count }) => total + count, 0);
    return {
      name,
      kind,
      total: sum(own),
      unread: sum(own.filter(({ seen }) => seen === 0)),
      uidValidity: row?.uid_validity ?? 0,
      uidNext: row?.uid_next ?? 1,
    };
  };
  const labels = rows.filter(({ kind }) => kind === 'label').map(({ name }) => name);
  return {
    address: addressOf(mailboxOfMember(ctx, actor.username)),
    mailboxes: [
      ...folders.map((name) => shown(name, 'folder')),
      ...labels.toSorted((one, other) => one.localeCompare(other)).map((name) => shown(name, 'label')),
    ],
    modseq: await lastModseq(ctx, memberId),
  };
}

/** What changed after a number, in the order of the changes: one query for what is there, and one for what is gone. */
export async function listChanges(
  ctx: Context,
  { memberId }: Actor,
  { since, limit }: { readonly since: number; readonly limit: number },
) {
  // Read first: what changes afterwards has a higher number, and comes with the next request.
  const last = await lastModseq(ctx, memberId);
  const items = await ctx.db
    .selectFrom('mail_items')
    .selectAll()
    .where('member_id', '=', memberId)
    .where('modseq', '>', since)
    .where('modseq', '<=', last)
    .orderBy('modseq')
    .limit(limit + 1)
    .execute();
  const gone = await ctx.db
    .selectFrom('mail_removed')
    .select(['item_id', 'modseq'])
    .where('member_id', '=', memberId)
    .where('modseq', '>', since)
    .where('modseq', '<=', last)
    .orderBy('modseq')
    .limit(limit + 1)
    .execute();
  const all = [...items.map((row) => row.modseq), ...gone.map((row) => row.modseq)].toSorted(
    (one, other) => one - other,
  );
  const hasMore = all.length > limit;
  const until = hasMore ? (all[limit - 1] ?? last) : last;
  const labels = await labelsOfItems(
    ctx,
    items.map(({ id }) => id),
  );
  return {
    changed: items
      .filter(({ modseq }) => modseq <= until)
      .map((row) => ({
        id: row.id,
        messageId: row.message_id,
        folder: row.folder as Folder,
        uid: row.uid,
        modseq: row.modseq,
        read: row.seen === 1,
        keywords: keywordsOf(row),
        labels: labels.get(row.id) ?? [],
        size: row.size,
        date: new Date(row.dated_at).toISOString(),
        receivedAt: new Date(row.received_at).toISOString(),
      })),
    removed: gone.filter(({ modseq }) => modseq <= until).map(({ item_id: id, modseq }) => ({ id, modseq })),
    modseq: until,
    hasMore,
  };
}
