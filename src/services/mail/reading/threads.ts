import type { Folder } from '../../../contract/mail/limits.ts';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { itemOf } from '../boxes/items.ts';
import { summaries } from '../boxes/summary.ts';
import { shownMailboxOf } from '../message/addresses.ts';

/** Messages of a thread that are shown; the newest of more. */
const MOST = 1_000;

export async function showThread(ctx: Context, actor: Actor, { messageId }: { readonly messageId: string }) {
  const { thread_id: threadId } = await itemOf(ctx, actor.memberId, messageId);
  const rows = await ctx.db
    .selectFrom('mail_items')
    .selectAll()
    .where('member_id', '=', actor.memberId)
    .where('thread_id', '=', threadId)
    .orderBy('dated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute();
  const { open } = summaries(ctx);
  const seen = new Set<string>();
  // Who writes to themselves has two copies of a message. The one that arrived is shown.
  const received = rows.filter(({ folder }) => folder !== 'sent');
  const sent = rows.filter(({ folder }) => folder === 'sent');
  const once = [...received, ...sent].filter((row) => {
    // With the Message-ID of somebody else's message it is another one.
    const message = JSON.stringify([row.message_id, row.from_key]);
    return !seen.has(message) && seen.add(message);
  });
  const opened = once.map((row) => ({ row, summary: open(row.id, row.sealed) }));
  const messages = opened
    // A message tells its date in seconds, so an answer may have that of what it answers.
    .toSorted(
      (one, other) =>
        one.row.dated_at - other.row.dated_at ||
        one.summary.references.length - other.summary.references.length ||
        (one.row.id < other.row.id ? -1 : 1),
    )
    .map(({ row, summary: { from, inReplyTo, preview } }) => ({
      messageId: row.message_id,
      id: row.id,
      from: shownMailboxOf(from),
      subject: row.subject,
      date: new Date(row.dated_at).toISOString(),
      inReplyTo,
      read: row.seen === 1,
      folder: row.folder as Folder,
      preview,
    }));
  return { threadId, messages };
}
