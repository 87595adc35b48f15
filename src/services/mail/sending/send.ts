import type { Actor } from '../../../service/actor.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { AttachmentInput, MailboxInput } from '../../../contract/mail/fields.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { assertStorageLeft } from '../../../shared/members/storage.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import { addItem, prepareItem, type MessageFacts } from '../boxes/items.ts';
import { shownMailboxOf } from '../message/addresses.ts';
import { checkMessage } from '../message/fields.ts';
import { assertOwn, type Owner } from '../own-mailbox.ts';
import { addContent, type NewContent } from '../storage/contents.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import { readAttachments, takeUploads, withdrawFresh } from './attachments.ts';
import { makeMessage, type Made, type Written } from './composing.ts';
import { addDeliveries, newDeliveries, planNotice, planSending, statuses } from './deliveries.ts';
import { dispatch, prepareDeliveries, type PreparedDeliveries } from './dispatch.ts';
import { recipientIds } from './local.ts';
import { checkedMailboxes, checkedRecipients, everyRecipient, type Recipient } from './recipients.ts';
import { refuseUnknown } from './unknown-mailboxes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a member gives of a message. */
export interface GivenMessage {
  readonly from: MailboxInput;
  readonly to: readonly MailboxInput[];
  readonly cc: readonly MailboxInput[];
  readonly bcc: readonly MailboxInput[];
  readonly replyTo?: readonly MailboxInput[] | undefined;
  readonly subject: string;
  readonly textBody?: string | undefined;
  readonly htmlBody?: string | undefined;
  readonly attachments?: readonly AttachmentInput[] | undefined;
  readonly sendAt?: string | undefined;
}

export async function send(ctx: Context, actor: Actor, input: GivenMessage) {
  assertOwn(ctx, actor, input.from);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as SentReply;
  const written = checkedMessage(ctx, actor, input);
  await refuseUnknown(ctx, { to: input.to, cc: input.cc, bcc: input.bcc });
  return await sendWritten(ctx, actor, written, input);
}

export type Unread = Omit<Written, 'attachments'>;

/** Checks all but the attachments. @throws Problem invalid VALIDATION_ERROR, forbidden FORBIDDEN */
export function checkedMessage(ctx: Context, actor: Owner, input: GivenMessage): Unread {
  const mailbox = assertOwn(ctx, actor, input.from);
  const { displayName } = input.from;
  const recipients = checkedRecipients(input);
  everyRecipient(recipients);
  return {
    ...recipients,
    from: { ...mailbox, ...(displayName !== undefined && displayName !== '' && { displayName }) },
    ...(input.replyTo !== undefined && { replyTo: checkedMailboxes('replyTo', input.replyTo) }),
    subject: input.subject,
    textBody: input.textBody,
    htmlBody: input.htmlBody,
    references: [],
  };
}

/** What a sending answers. */
export type SentReply = ReturnType<typeof sentReply>;

interface Sending<Told> {
  /** more that the answer says */
  readonly told?: Told;
  readonly attachments?: readonly AttachmentInput[] | undefined;
  readonly sendAt?: string | undefined;
  /** attachments of other messages, whose parts are shared */
  readonly shared?: Written['attachments'];
  /** it may go over the mail relay of the node: mail of the calendar alone */
  readonly relay?: boolean;
  /** whoever sends it doesn't see what became of it */
  readonly unseen?: boolean;
  /** in the transaction, before anything is sent: checks again what was checked, and removes a draft */
  readonly before?: (tx: Context) => Promise<void>;
  /** in the transaction, after it */
  readonly after?: (tx: Context) => Promise<void>;
}

/** Encrypts and sends a message whose fields are checked. */
export async function sendWritten<Told extends object = object>(
  ctx: Context,
  actor: Owner,
  unread: Unread,
  sending: Sending<Told>,
): Promise<SentReply & Told> {
  const sendAt = momentOf(ctx, sending.sendAt);
  const recipients = everyRecipient(unread);
  await assertStorageLeft(ctx, actor.memberId, 0);
  checkMessage(unread, sending.attachments ?? []);
  const given = await readAttachments(ctx, actor, sending.attachments);
  let made: Made | undefined;
  let kept = false;
  try {
    made = await makeMessage(ctx, { ...unread, attachments: [...given, ...(sending.shared ?? [])] });
    const done = await sendMade(ctx, actor, made, {
      ...sending,
      recipients,
      sendAt,
      automatic: unread.automatic === true,
    });
    kept = done.fresh;
    return done.reply;
  } finally {
    if (!kept) {
      if (made === undefined) await withdrawFresh(ctx, [...given, ...(sending.shared ?? [])]);
      else await withdrawBlocks(ctx, filesOf(made.fresh));
    }
  }
}

/** A message that is encrypted, and what recipients and the sender have of it. */
export interface Sendable extends Pick<Made, 'messageId' | 'date' | 'from' | 'to' | 'subject' | 'fresh'> {
  readonly shared: NewContent;
  readonly own: NewContent;
  readonly facts: MessageFacts;
  readonly ownFacts: MessageFacts;
}

interface SendingMade<Told> extends Sending<Told> {
  readonly recipients: readonly Recipient[];
  readonly automatic: boolean;
}

export async function sendMade<Told extends object = object>(
  ctx: Context,
  actor: Owner,
  made: Sendable,
  {
    recipients,
    sendAt,
    automatic,
    attachments,
    told,
    relay = false,
    unseen = false,
    before,
    after,
  }: Omit<SendingMade<Told>, 'sendAt'> & { readonly sendAt: number | undefined },
) {
  const now = ctx.clock.now();
  const itemId = recordId(now, ctx.random);
  const copy = await prepareItem(ctx, actor.memberId, itemId, made.ownFacts, now);
  const mailboxes = recipients.map(({ mailbox }) => mailbox);
  const later = sendAt !== undefined && sendAt > now;
  const prepared: PreparedDeliveries = later
    ? new Map()
    : await prepareDeliveries(ctx, mailboxes, made.facts, { automatic });
  let fresh = false;
  const reply = await transaction(ctx, async (tx) => {
    fresh = false;
    return await once(tx, async () => {
      await lockMembers(tx, [actor.memberId, ...recipientIds(prepared.values())]);
      await before?.(tx);
      await addContents(tx, actor.memberId, made, later);
      await addItem(tx, made.own.id, copy, { folder: 'sent', seen: true });
      const rows = newDeliveries(tx, {
        senderId: actor.memberId,
        itemId,
        messageId: made.messageId,
        contentId: made.shared.id,
        recipients,
        sendAt: sendAt ?? now,
        automatic,
        relay,
      });
      const owners = made.own.id === made.shared.id ? [actor.memberId] : [];
      const sent = { content: made.shared, from: made.from.address, prepared, owners };
      const done = later ? rows : (await dispatch(tx, sent, rows)).map((row) => failedNow(row, unseen));
      await addDeliveries(tx, done);
      if (done.some(({ notice }) => notice === 2)) await planNotice(tx, itemId);
      if (later) await planSending(tx, itemId, sendAt);
      await takeUploads(tx, actor, attachments);
      await after?.(tx);
      fresh = true;
      return { ...sentReply(itemId, made, done), ...told } as SentReply & Told;
    });
  });
  return { reply, fresh };
}

/** Whoever sees the answer knows what failed at once; others get a notice. */
function failedNow(row: MailDeliveryRow, unseen: boolean): MailDeliveryRow {
  return row.status === 'FAILED' ? { ...row, notice: unseen && row.notice === 1 ? 2 : 0 } : row;
}

/** Adds what the sender has and what recipients get; the files of one serve the other. */
async function addContents(
  tx: Context,
  memberId: string,
  { shared, own, fresh }: Sendable,
  later: boolean,
): Promise<void> {
  if (own.id === shared.id) {
    // What is sent now is wrapped for all members together.
    await addContent(tx, shared, later ? [memberId] : [], new Set(filesOf(fresh)));
    return;
  }
  await addContent(tx, shared, [], new Set(filesOf([...fresh].filter((part) => shared.parts.includes(part)))));
  await addContent(tx, own, [memberId], new Set(filesOf([...fresh].filter((part) => !shared.parts.includes(part)))));
}

function sentReply(id: string, made: Sendable, rows: readonly MailDeliveryRow[]) {
  return {
    messageId: made.messageId,
    id,
    from: shownMailboxOf(made.from),
    to: made.to.map(shownMailboxOf),
    subject: made.subject,
    date: new Date(made.date).toISOString(),
    deliveryStatus: statuses(rows),
  };
}

/** @throws Problem invalid VALIDATION_ERROR */
function momentOf(ctx: Context, sendAt: string | undefined): number | undefined {
  if (sendAt === undefined) return undefined;
  const at = Date.parse(sendAt);
  const now = ctx.clock.now();
  if (at > now + mailLimits.scheduleDays * DAY_MS)
    throw fieldProblem('sendAt', `must be within ${mailLimits.scheduleDays} days`);
  return at;
}
