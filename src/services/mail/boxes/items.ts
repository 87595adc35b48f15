import type { Folder } from '../../../contract/mail/limits.ts';
import type { Context } from '../../../service/context.ts';
import { mailEvents, mailTopic } from '../../../contract/mail/events.ts';
import { topicName } from '../../../contract/event.ts';
import { freeStorage, takeStorage } from '../../../shared/members/storage.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { indexed, type IndexedDocument } from '../../../platform/store/search/document.ts';
import { putDocument, removeDocument } from '../../../platform/store/search/documents.ts';
import { fold } from '../../../platform/store/search/words.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { keyOfAddress } from '../message/addresses.ts';
import { emailNotFound } from '../problems.ts';
import { dropUnused } from '../storage/contents.ts';
import { indexTask } from './index-task.ts';
import { addLabels, nextModseq, nextUid } from './counters.ts';
import { searchSpace, summaries, type Summary } from './summary.ts';
import { joinThread, leaveThread } from './threads.ts';

/** What is common to all copies of a message. */
export interface MessageFacts {
  readonly messageId: string;
  readonly subject: string;
  /** milliseconds since 1970; undefined: the message says none */
  readonly date: number | undefined;
  readonly size: number;
  readonly hasAttachments: boolean;
  /** it has a part of iCalendar, which may be about an event */
  readonly hasCalendar: boolean;
  readonly summary: Summary;
  /** for searches; plain */
  readonly text: string;
}

/** A copy for one member that is not in the store. What takes long is done already. */
export interface PreparedItem {
  readonly id: string;
  readonly memberId: string;
  readonly facts: MessageFacts;
  readonly datedAt: number;
  readonly receivedAt: number;
  readonly words: IndexedDocument;
}

export interface ItemPlace {
  readonly folder: Folder;
  readonly seen: boolean;
  readonly flagged?: boolean;
  readonly keywords?: readonly string[];
  readonly labels?: readonly string[];
  readonly origin?: string;
}

/** Characters of a subject that lists sort by. */
const SORTED = 200;
const replies = /^\s*(?:(?:re|aw|sv|antw|r|fwd?|wg|tr)(?:\[\d+\])?\s*:\s*)+/i;

export function mailTopicOf(memberId: string): string {
  return topicName(mailTopic, memberId);
}

/** Characters. Usual texts are shorter, and indexed in a few milliseconds. */
const INLINE_CHARACTERS = 8_000;

/**
 * Does what takes long before the transaction: splits the text into words and makes their HMAC, in a thread if the text is long.
 * @throws Problem unavailable OVERLOADED
 */
export async function prepareItem(
  ctx: Pick<Context, 'keys' | 'offload'>,
  memberId: string,
  id: string,
  facts: MessageFacts,
  receivedAt: number,
): Promise<PreparedItem> {
  const { summary, subject, text } = facts;
  const named = [summary.from, ...summary.to, ...summary.cc, ...(summary.bcc ?? [])];
  const addresses = named.map(({ address, displayName = '' }) => `${address} ${displayName}`).join(' ');
  const datedAt = Math.max(0, Math.min(facts.date ?? receivedAt, receivedAt));
  const document = { id, at: receivedAt, title: subject, text: `${addresses}\n${text}` };
  const space = searchSpace(ctx, memberId);
  const words =
    document.text.length > INLINE_CHARACTERS
      ? await ctx.offload.run(indexTask, { space, document })
      : indexed(space, document);
  return { id, memberId, facts, datedAt, receivedAt, words };
}

/** What the origins of notices begin with. The node writes these, so they take nothing of what a member may store. */
export const NOTICE = 'notice:';

function isCounted(origin: string | null | undefined): boolean {
  return origin?.startsWith(NOTICE) !== true;
}

/**
 * Adds a member's copy of a message, in the transaction that adds its content.
 * @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED, conflict EMAIL_LABELS_FULL
 */
export async function addItem(
  tx: Context,
  contentId: string,
  { id, memberId, facts, datedAt, receivedAt, words }: PreparedItem,
  place: ItemPlace,
): Promise<MailItemRow> {
  const { messageId, subject, summary, size } = facts;
  if (isCounted(place.origin)) await takeStorage(tx, memberId, size);
  const modseq = await nextModseq(tx, memberId);
  const fromKey = keyOfAddress(summary.from);
  const references = [...summary.references, ...(summary.inReplyTo === null ? [] : [summary.inReplyTo])];
  const isTaken = await isOfAnother(tx, memberId, messageId, fromKey);
  const threadId = await joinThread(tx, memberId, isTaken ? references : [messageId, ...references]);
  const row: MailItemRow = {
    id,
    member_id: memberId,
    content_id: contentId,
    message_id: messageId,
    thread_id: threadId,
    folder: place.folder,
    uid: await nextUid(tx, memberId, place.folder),
    modseq,
    seen: place.seen ? 1 : 0,
    flagged: place.flagged === true ? 1 : 0,
    keywords: JSON.stringify([...(place.keywords ?? [])].toSorted()),
    has_attachments: facts.hasAttachments ? 1 : 0,
    from_key: fromKey,
    subject,
    subject_key: fold(subject.replace(replies, '')).slice(0, SORTED),
    subject_folded: fold(subject),
    dated_at: datedAt,
    received_at: receivedAt,
    size,
    sealed: summaries(tx).seal(id, summary),
    origin: place.origin ?? null,
  };
  await insertRows(tx.db, 'mail_items', [row]);
  await addLabels(tx, memberId, id, place.labels ?? []);
  await putDocument(tx.db, words);
  return row;
}

const firstWithId = writtenQuery<Pick<MailItemRow, 'from_key'>>(`
  select from_key from mail_items where member_id = $1 and message_id = $2 order by received_at, id limit 1`);

/** Whether somebody else's message has this Message-ID already, as far as the member has seen. Then it isn't the message's to be found by. */
async function isOfAnother(tx: Context, memberId: string, messageId: string, fromKey: string): Promise<boolean> {
  const [first] = (await tx.db.executeQuery(firstWithId(memberId, messageId))).rows;
  return first !== undefined && first.from_key !== fromKey;
}

/**
 * The caller's copies of a message: by the id of a copy, or by its Message-ID. Nobody's message takes the place of one that was there before it:
 * those from whom the first one came are first, a received copy before the one that was sent.
 */
export async function copiesOf(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  given: string,
): Promise<readonly MailItemRow[]> {
  const name = given.trim().replace(/^<(.*)>$/, '$1');
  if (/^[0-9a-f]{32}$/.test(name)) {
    const own = await db
      .selectFrom('mail_items')
      .selectAll()
      .where('id', '=', name)
      .where('member_id', '=', memberId)
      .executeTakeFirst();
    if (own !== undefined) return [own];
  }
  const rows = await db
    .selectFrom('mail_items')
    .selectAll()
    .where('member_id', '=', memberId)
    .where('message_id', '=', name)
    .orderBy('received_at')
    .orderBy('id')
    .execute();
  const rank = (row: MailItemRow): number =>
    (row.from_key === rows[0]?.from_key ? 0 : 2) + (row.folder === 'sent' ? 1 : 0);
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

/** @throws Problem missing EMAIL_NOT_FOUND */
export async function itemOf(ctx: Pick<Context, 'db'>, memberId: string, name: string): Promise<MailItemRow> {
  const [first] = await copiesOf(ctx, memberId, name);
  if (first === undefined) throw emailNotFound();
  return first;
}

/** Takes back the notice of new mail, when a message was read or went out of the inbox, and was the last unread one of its thread there. */
export async function withdrawNotice(tx: Context, before: MailItemRow): Promise<void> {
  const { member_id: recipientId, thread_id: targetId } = before;
  if (before.folder !== 'inbox' || before.seen === 1) return;
  const left = await tx.db
    .selectFrom('mail_items')
    .select('id')
    .where('member_id', '=', recipientId)
    .where('thread_id', '=', targetId)
    .where('folder', '=', 'inbox')
    .where('seen', '=', 0)
    .limit(1)
    .executeTakeFirst();
  if (left === undefined) await withdraw(tx, { type: 'new_email', targetId, recipientId });
}

/** Deletes a member's copy for ever, in a transaction. */
export async function removeItem(tx: Context, row: MailItemRow): Promise<void> {
  const { id, member_id: memberId, content_id: contentId } = row;
  if (isCounted(row.origin)) await freeStorage(tx, memberId, row.size);
  const modseq = await nextModseq(tx, memberId);
  await tx.db.deleteFrom('mail_item_labels').where('item_id', '=', id).execute();
  const gone = await tx.db.deleteFrom('mail_items').where('id', '=', id).returning('id').executeTakeFirst();
  if (gone === undefined) throw emailNotFound();
  await removeDocument(tx.db, searchSpace(tx, memberId).name, id);
  await leaveThread(tx, memberId, row.thread_id);
  await withdrawNotice(tx, row);
  const another = await tx.db
    .selectFrom('mail_items')
    .select('id')
    .where('content_id', '=', contentId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (another === undefined)
    await tx.db
      .deleteFrom('mail_content_keys')
      .where('content_id', '=', contentId)
      .where('member_id', '=', memberId)
      .execute();
  // What became of a message is known as long as the sender has it; what is under way goes on.
  await tx.db
    .deleteFrom('mail_deliveries')
    .where('item_id', '=', id)
    .where('status', 'in', ['DELIVERED', 'RELAYED', 'FAILED'])
    .execute();
  await tx.db
    .insertInto('mail_removed')
    .values({ member_id: memberId, modseq, item_id: id, removed_at: tx.clock.now() })
    .execute();
  await publish(tx, mailTopicOf(memberId), mailEvents.changed, { id, modseq, deleted: true });
  await dropUnused(tx, contentId);
}
