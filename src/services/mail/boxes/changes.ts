import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { mailEvents } from '../../../contract/mail/events.ts';
import type { EmailMetadata } from '../../../contract/mail/fields.ts';
import { type Folder, mailLimits } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { shownMetadata } from '../reading/metadata.ts';
import { addLabels, changeItem, nextModseq, nextUid, removeLabels } from './counters.ts';
import { itemOf, mailTopicOf, removeItem, withdrawNotice } from './items.ts';

interface Named {
  readonly messageId: string;
}

export async function markRead(ctx: Context, actor: Actor, { messageId }: Named): Promise<{ markedAsRead: true }> {
  await transaction(ctx, async (tx) => await setSeen(tx, await itemOf(tx, actor.memberId, messageId), true));
  return { markedAsRead: true };
}

export async function markUnread(ctx: Context, actor: Actor, { messageId }: Named): Promise<{ markedAsUnread: true }> {
  await transaction(ctx, async (tx) => await setSeen(tx, await itemOf(tx, actor.memberId, messageId), false));
  return { markedAsUnread: true };
}

async function setSeen(tx: Context, row: MailItemRow, seen: boolean): Promise<void> {
  if ((row.seen === 1) === seen) return;
  await changeItem(tx, row.id, { seen: seen ? 1 : 0, modseq: await nextModseq(tx, row.member_id) });
  if (seen) await withdrawNotice(tx, row);
  await publish(tx, mailTopicOf(row.member_id), mailEvents.read, {
    id: row.id,
    messageId: row.message_id,
    read: seen,
    unreadCount: await unreadOf(tx, row.member_id),
  });
}

/** Unread messages in the inbox of a member. */
export async function unreadOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<number> {
  const { count } = await db
    .selectFrom('mail_items')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('member_id', '=', memberId)
    .where('folder', '=', 'inbox')
    .where('seen', '=', 0)
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds and removes keywords of a message, in a transaction. One that is gone stays gone. */
export async function changeKeywords(
  tx: Context,
  itemId: string,
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): Promise<void> {
  const row = await tx.db.selectFrom('mail_items').selectAll().where('id', '=', itemId).executeTakeFirst();
  if (row === undefined) return;
  const before = [...(row.flagged === 1 ? ['$flagged'] : []), ...(JSON.parse(row.keywords) as string[])];
  const after = new Set([...before.filter((one) => !remove.includes(one)), ...add]);
  // Whether it was read and whether it is a draft, other operations say.
  after.delete('$seen');
  if (after.size > mailLimits.keywords) {
    const words = 'The message has too many keywords. Remove some of them first.';
    throw new Problem('conflict', 'EMAIL_LABELS_FULL', words);
  }
  const flagged = after.delete('$flagged') ? 1 : 0;
  const keywords = JSON.stringify([...after].toSorted());
  if (flagged === row.flagged && keywords === row.keywords) return;
  const modseq = await nextModseq(tx, row.member_id);
  await changeItem(tx, itemId, { flagged, keywords, modseq });
}

interface Change extends Named {
  readonly folder?: Folder | undefined;
  readonly read?: boolean | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
  readonly addKeywords?: readonly string[] | undefined;
  readonly removeKeywords?: readonly string[] | undefined;
}

export async function changeMessage(ctx: Context, actor: Actor, change: Change): Promise<EmailMetadata> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const { id } = await itemOf(tx, memberId, change.messageId);
    const row = await itemOf(tx, memberId, id);
    await nextModseq(tx, memberId);
    if (change.folder !== undefined && change.folder !== row.folder) await move(tx, row, change.folder);
    if (change.read !== undefined) await setSeen(tx, row, change.read);
    await removeLabels(tx, id, change.removeLabels ?? []);
    await addLabels(tx, memberId, id, change.addLabels ?? []);
    await changeKeywords(tx, id, {
      add: (change.addKeywords ?? []).filter((one) => one !== '$draft'),
      remove: (change.removeKeywords ?? []).filter((one) => one !== '$draft'),
    });
    const modseq = await nextModseq(tx, memberId);
    await changeItem(tx, id, { modseq });
    await publish(tx, mailTopicOf(memberId), mailEvents.changed, { id, modseq, deleted: false });
    return await shownMetadata(tx, await itemOf(tx, memberId, id));
  });
}

/** Moves a message, in a transaction. It has another number in the other folder. */
async function move(tx: Context, row: MailItemRow, folder: Folder): Promise<void> {
  const isDraft = (JSON.parse(row.keywords) as string[]).includes('$draft');
  if ((folder === 'drafts') !== isDraft && (folder === 'drafts' || !['trash', 'archive', 'spam'].includes(folder))) {
    const words = isDraft
      ? 'A draft can only be moved to archive, spam or trash. Send it instead.'
      : 'The folder drafts takes drafts alone.';
    throw new Problem('conflict', 'EMAIL_FOLDER_REFUSED', words);
  }
  const modseq = await nextModseq(tx, row.member_id);
  const uid = await nextUid(tx, row.member_id, folder);
  await changeItem(tx, row.id, { folder, uid, modseq });
  await withdrawNotice(tx, row);
}

export async function removeMessage(ctx: Context, actor: Actor, { messageId }: Named): Promise<{ deleted: true }> {
  return await transaction(ctx, async (tx) => {
    await removeItem(tx, await itemOf(tx, actor.memberId, messageId));
    return { deleted: true };
  });
}
