import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { EmailMetadata, InboxItem } from '../../../contract/mail/fields.ts';
import type { Folder } from '../../../contract/mail/limits.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { labelsOfItems } from '../boxes/counters.ts';
import { itemOf } from '../boxes/items.ts';
import { summaries } from '../boxes/summary.ts';
import { shownMailboxOf } from '../message/addresses.ts';

export async function showMessage(
  ctx: Context,
  actor: Actor,
  { messageId }: { readonly messageId: string },
): Promise<EmailMetadata> {
  return await shownMetadata(ctx, await itemOf(ctx, actor.memberId, messageId));
}

/** A message as its owner sees it. */
export async function shownMetadata(
  ctx: Pick<Context, 'db' | 'keys' | 'random'>,
  row: MailItemRow,
): Promise<EmailMetadata> {
  const { from, to, cc, bcc, replyTo, inReplyTo, references } = summaries(ctx).open(row.id, row.sealed);
  const labels = (await labelsOfItems(ctx, [row.id])).get(row.id) ?? [];
  const waiting = await ctx.db
    .selectFrom('mail_deliveries')
    .select('send_at')
    .where('item_id', '=', row.id)
    .where('status', '=', 'PENDING')
    .where('offer_id', 'is', null)
    .executeTakeFirst();
  return {
    ...shownCommon(row, labels),
    from: shownMailboxOf(from),
    to: to.map(shownMailboxOf),
    cc: cc.map(shownMailboxOf),
    ...(bcc !== undefined && { bcc: bcc.map(shownMailboxOf) }),
    ...(replyTo !== undefined && replyTo.length > 0 && { replyTo: replyTo.map(shownMailboxOf) }),
    inReplyTo,
    references: [...references],
    receivedAt: new Date(row.received_at).toISOString(),
    ...(waiting !== undefined && { sendAt: new Date(waiting.send_at).toISOString() }),
    uid: row.uid,
    modseq: row.modseq,
  };
}

function shownCommon(row: MailItemRow, labels: readonly string[]) {
  return {
    messageId: row.message_id,
    id: row.id,
    subject: row.subject,
    date: new Date(row.dated_at).toISOString(),
    read: row.seen === 1,
    hasAttachments: row.has_attachments === 1,
    threadId: row.thread_id,
    folder: row.folder as Folder,
    labels: [...labels],
    keywords: keywordsOf(row),
    size: row.size,
  };
}

/** All keywords but `$seen`. */
export function keywordsOf(row: Pick<MailItemRow, 'keywords' | 'flagged'>): string[] {
  const others = JSON.parse(row.keywords) as string[];
  return row.flagged === 1 ? ['$flagged', ...others] : others;
}

/** Messages as lists show them, in the order of the ids. */
export async function shownItems(ctx: Context, memberId: string, ids: readonly string[]): Promise<InboxItem[]> {
  if (ids.length === 0) return [];
  const rows = await ctx.db
    .selectFrom('mail_items')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  const labels = await labelsOfItems(ctx, ids);
  const threads = [...new Set(rows.map((row) => row.thread_id))];
  const counts = await ctx.db
    .selectFrom('mail_items')
    .select(['thread_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('member_id', '=', memberId)
    .where('thread_id', 'in', threads)
    .groupBy('thread_id')
    .execute();
  const countOf = new Map(counts.map((row) => [row.thread_id, row.count]));
  const { open } = summaries(ctx);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id): InboxItem[] => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const { from, preview } = open(id, row.sealed);
    const common = shownCommon(row, labels.get(id) ?? []);
    return [{ ...common, from: shownMailboxOf(from), preview, threadCount: countOf.get(row.thread_id) ?? 1 }];
  });
}
