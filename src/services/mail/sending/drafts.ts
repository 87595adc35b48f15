import type { Actor } from '../../../service/actor.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { AttachmentInput, MailboxInput } from '../../../contract/mail/fields.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { addItem, copiesOf, itemOf, prepareItem, removeItem } from '../boxes/items.ts';
import { summaries } from '../boxes/summary.ts';
import { mailboxOf, type Address, type NamedMailbox } from '../message/addresses.ts';
import { checkMessage } from '../message/fields.ts';
import { assertOwn, mailboxOfMember } from '../own-mailbox.ts';
import { emailNotFound } from '../problems.ts';
import { parsedContent } from '../reading/body.ts';
import { addContent, openContent } from '../storage/contents.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import { referencesOf } from './answering.ts';
import { copiedAttachments, readAttachments, takeUploads, withdrawFresh } from './attachments.ts';
import { makeMessage, type Made } from './composing.ts';
import { checkedMailboxes, checkedRecipients } from './recipients.ts';
import { refuseUnknown } from './unknown-mailboxes.ts';
import { sendWritten, type SentReply, type Unread } from './send.ts';

interface GivenDraft {
  readonly from?: MailboxInput | undefined;
  readonly to: readonly MailboxInput[];
  readonly cc: readonly MailboxInput[];
  readonly bcc: readonly MailboxInput[];
  readonly replyTo?: readonly MailboxInput[] | undefined;
  readonly subject: string;
  readonly textBody?: string | undefined;
  readonly htmlBody?: string | undefined;
  readonly attachments?: readonly AttachmentInput[] | undefined;
}

interface WrittenDraft {
  readonly messageId: string;
  readonly id: string;
  readonly date: string;
}

export async function createDraft(
  ctx: Context,
  actor: Actor,
  input: GivenDraft & { readonly inReplyTo?: string | undefined },
): Promise<WrittenDraft> {
  const unread = checkedDraft(ctx, actor, input);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as WrittenDraft;
  const parent = input.inReplyTo === undefined ? undefined : await itemOf(ctx, actor.memberId, input.inReplyTo);
  const answered = parent && {
    inReplyTo: parent.message_id,
    references: referencesOf(parent, summaries(ctx).open(parent.id, parent.sealed)),
  };
  return await keepDraft(ctx, actor, { ...unread, ...answered }, input, undefined);
}

export async function updateDraft(
  ctx: Context,
  actor: Actor,
  input: GivenDraft & { readonly messageId: string },
): Promise<WrittenDraft> {
  const draft = await draftOf(ctx, actor, input.messageId);
  const unread = checkedDraft(ctx, actor, input);
  const { inReplyTo, references } = summaries(ctx).open(draft.id, draft.sealed);
  const answered = { references, ...(inReplyTo !== null && { inReplyTo }) };
  return await keepDraft(ctx, actor, { ...unread, ...answered }, input, draft);
}

export async function sendDraft(
  ctx: Context,
  actor: Actor,
  { messageId, sendAt }: { readonly messageId: string; readonly sendAt?: string | undefined },
) {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as SentReply;
  const draft = await draftOf(ctx, actor, messageId);
  const content = await openContent(ctx, draft.content_id);
  const { textBody, htmlBody } = await parsedContent(ctx, content);
  const { from, to, cc, bcc = [], replyTo, inReplyTo, references } = summaries(ctx).open(draft.id, draft.sealed);
  const mailboxes = (addresses: readonly Address[]) => addresses.flatMap((one) => mailboxOf(one) ?? []);
  const own = mailboxOf(from) ?? mailboxOfMember(ctx, actor.username);
  assertOwn(ctx, actor, own);
  const unread: Unread = {
    from: own,
    to: mailboxes(to),
    cc: mailboxes(cc),
    bcc: mailboxes(bcc),
    ...(replyTo !== undefined && { replyTo: mailboxes(replyTo) }),
    subject: draft.subject,
    textBody,
    htmlBody,
    ...(inReplyTo !== null && { inReplyTo }),
    references,
  };
  await refuseUnknown(ctx, { to: unread.to, cc: unread.cc, bcc: unread.bcc });
  return await sendWritten(ctx, actor, unread, {
    sendAt,
    shared: await copiedAttachments(ctx, content),
    // The parts of the draft go on in the message, so it is removed after they have been added there.
    after: async (tx) => await removeItem(tx, await sameDraft(tx, actor, draft)),
  });
}

async function draftOf(ctx: Pick<Context, 'db'>, actor: Actor, name: string): Promise<MailItemRow> {
  const found = (await copiesOf(ctx, actor.memberId, name)).find(isDraft);
  if (found === undefined) throw emailNotFound();
  return found;
}

function isDraft({ keywords }: MailItemRow): boolean {
  return (JSON.parse(keywords) as string[]).includes('$draft');
}

/** @throws Problem missing EMAIL_NOT_FOUND if the draft was sent, replaced or deleted meanwhile */
async function sameDraft(tx: Context, actor: Actor, { id, content_id }: MailItemRow): Promise<MailItemRow> {
  const now = await draftOf(tx, actor, id);
  if (now.content_id !== content_id) throw emailNotFound();
  return now;
}

function checkedDraft(ctx: Context, actor: Actor, input: GivenDraft): Unread {
  const given = input.from ?? mailboxOfMember(ctx, actor.username);
  const mailbox = assertOwn(ctx, actor, given);
  const { displayName } = given as NamedMailbox;
  return {
    ...checkedRecipients(input),
    from: { ...mailbox, ...(displayName !== undefined && displayName !== '' && { displayName }) },
    ...(input.replyTo !== undefined && { replyTo: checkedMailboxes('replyTo', input.replyTo) }),
    subject: input.subject,
    textBody: input.textBody,
    htmlBody: input.htmlBody,
    references: [],
  };
}

/** @param earlier the draft that it replaces */
async function keepDraft(
  ctx: Context,
  actor: Actor,
  unread: Unread,
  { attachments }: GivenDraft,
  earlier: MailItemRow | undefined,
): Promise<WrittenDraft> {
  checkMessage(unread, attachments ?? []);
  const stay =
    earlier === undefined || attachments !== undefined
      ? []
      : await copiedAttachments(ctx, await openContent(ctx, earlier.content_id));
  const given = await readAttachments(ctx, actor, attachments);
  let made: Made | undefined;
  let kept = false;
  try {
    made = await makeMessage(ctx, { ...unread, attachments: [...given, ...stay] }, earlier?.message_id);
    const message = made;
    const now = ctx.clock.now();
    const item = await prepareItem(ctx, actor.memberId, recordId(now, ctx.random), message.ownFacts, now);
    const reply = await transaction(ctx, async (tx) => {
      kept = false;
      return await once(tx, async () => {
        // A draft has one version, the one with Bcc.
        const parts = [...message.fresh].filter((part) => message.own.parts.includes(part));
        await addContent(tx, message.own, [actor.memberId], new Set(filesOf(parts)));
        await addItem(tx, message.own.id, item, { folder: 'drafts', seen: true, keywords: ['$draft'] });
        if (earlier !== undefined) await removeItem(tx, await sameDraft(tx, actor, earlier));
        await takeUploads(tx, actor, attachments);
        kept = true;
        return { messageId: message.messageId, id: item.id, date: new Date(item.datedAt).toISOString() };
      });
    });
    return reply;
  } finally {
    const unused = made === undefined ? [] : [...made.fresh].filter((part) => !kept || !made?.own.parts.includes(part));
    await withdrawBlocks(ctx, filesOf(unused));
    if (made === undefined) await withdrawFresh(ctx, [...given, ...stay]);
  }
}
