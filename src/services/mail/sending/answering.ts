import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AttachmentInput, MailboxInput } from '../../../contract/mail/fields.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { earlierReply } from '../../../service/repeats.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { changeKeywords } from '../boxes/changes.ts';
import { itemOf } from '../boxes/items.ts';
import { summaries, type Summary } from '../boxes/summary.ts';
import { addressKey } from '../message/address.ts';
import { mailboxOf, type Address, type NamedMailbox } from '../message/addresses.ts';
import { referencesFor, replySubject } from '../message/compose.ts';
import { assertOwn, isOwn, type Owner } from '../own-mailbox.ts';
import { checkedMessage, sendWritten, type SentReply } from './send.ts';
import { eachOnce } from './recipients.ts';
import { refuseUnknown, withoutUnknown } from './unknown-mailboxes.ts';

interface GivenReply {
  readonly messageId: string;
  readonly from: MailboxInput;
  readonly replyAll: boolean;
  readonly subject?: string | undefined;
  readonly textBody?: string | undefined;
  readonly htmlBody?: string | undefined;
  readonly attachments?: readonly AttachmentInput[] | undefined;
  readonly sendAt?: string | undefined;
}

export async function reply(ctx: Context, actor: Actor, input: GivenReply) {
  const item = await itemOf(ctx, actor.memberId, input.messageId);
  assertOwn(ctx, actor, input.from);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as SentReply & { inReplyTo: string; skipped: string[] };
  const summary = summaries(ctx).open(item.id, item.sealed);
  const everybody = recipientsOfReply(ctx, actor, summary, input.replyAll);
  if (everybody.to.length + everybody.cc.length === 0)
    throw fieldProblem('to', 'would be nobody but yourself. Write a new message instead');
  const { lists, skipped } = await withoutUnknown(ctx, everybody);
  const { to, cc } = lists;
  if (skipped.length > 0 && (!input.replyAll || to.length + cc.length === 0)) await refuseUnknown(ctx, everybody);
  const written = checkedMessage(ctx, actor, {
    ...input,
    to,
    cc,
    bcc: [],
    subject: input.subject ?? replySubject(item.subject),
  });
  return await sendWritten(
    ctx,
    actor,
    { ...written, inReplyTo: item.message_id, references: referencesOf(item, summary) },
    {
      attachments: input.attachments,
      sendAt: input.sendAt,
      told: { inReplyTo: item.message_id, skipped },
      before: async (tx) => void (await itemOf(tx, actor.memberId, item.id)),
      after: async (tx) => await changeKeywords(tx, item.id, { add: ['$answered'] }),
    },
  );
}

/** The references of an answer to a message (RFC 5322, 3.6.4). */
export function referencesOf(item: Pick<MailItemRow, 'message_id'>, { references, inReplyTo }: Summary): string[] {
  return referencesFor({
    messageId: item.message_id,
    references,
    inReplyTo: inReplyTo === null ? [] : [inReplyTo],
  });
}

/** Whom an answer goes to; never the one who answers. A Reply-To without an address says nothing (RFC 5322, 3.6.2). */
function recipientsOfReply(
  ctx: Pick<Context, 'config'>,
  owner: Owner,
  { from, replyTo = [], to, cc }: Pick<Summary, 'from' | 'replyTo' | 'to' | 'cc'>,
  all: boolean,
): { readonly to: NamedMailbox[]; readonly cc: NamedMailbox[] } {
  const isMine = (mailbox: NamedMailbox) => isOwn(ctx, owner.username, mailbox);
  const others = (addresses: readonly Address[]) =>
    eachOnce(addresses.flatMap((one) => mailboxOf(one) ?? [])).filter((one) => !isMine(one));
  const author = mailboxOf(from);
  const own = author !== undefined && isMine(author);
  const asked = replyTo.filter((one) => mailboxOf(one) !== undefined);
  const answered = others(own ? to : asked.length > 0 ? asked : [from]);
  if (!all) return { to: answered, cc: [] };
  const everybody = eachOnce([...answered, ...others(to)]);
  const named = new Set(everybody.map(addressKey));
  return { to: everybody, cc: others(cc).filter((one) => !named.has(addressKey(one))) };
}
