import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { MailboxInput } from '../../../contract/mail/fields.ts';
import { earlierReply } from '../../../service/repeats.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { changeKeywords } from '../boxes/changes.ts';
import { itemOf } from '../boxes/items.ts';
import { summaries, type Summary } from '../boxes/summary.ts';
import type { Address } from '../message/addresses.ts';
import { forwardSubject } from '../message/compose.ts';
import { htmlToText } from '../message/html-text.ts';
import { assertOwn, mailboxOfMember, type Owner } from '../own-mailbox.ts';
import { parsedContent } from '../reading/body.ts';
import { openContent } from '../storage/contents.ts';
import { copiedAttachments } from './attachments.ts';
import { checkedMailboxes } from './recipients.ts';
import { refuseUnknown, withoutUnknown } from './unknown-mailboxes.ts';
import { checkedMessage, sendWritten, type SentReply } from './send.ts';

interface GivenForward {
  readonly messageId: string;
  readonly forwardTo: readonly MailboxInput[];
  readonly from?: MailboxInput | undefined;
  readonly textBody?: string | undefined;
  readonly sendAt?: string | undefined;
}

export async function forward(ctx: Context, actor: Actor, input: GivenForward) {
  const item = await itemOf(ctx, actor.memberId, input.messageId);
  if (input.from !== undefined) assertOwn(ctx, actor, input.from);
  const earlier = await earlierReply(ctx);
  const sent = earlier === undefined ? await forwardItem(ctx, actor, item, input) : (earlier.reply as Forwarded);
  const { messageId, id, subject, date, deliveryStatus, skipped } = sent;
  return { messageId, id, subject, date, deliveryStatus, skipped };
}

/** @param skipped addresses of this node that nobody has */
type Forwarded = SentReply & { readonly skipped: string[] };

/** What a rule does differently. */
interface ByRule {
  readonly automatic: boolean;
  /** in the transaction that sends, before anything is sent */
  readonly before?: (tx: Context) => Promise<void>;
}

export async function forwardItem(
  ctx: Context,
  owner: Owner,
  item: MailItemRow,
  input: Omit<GivenForward, 'messageId'>,
  { automatic, before }: ByRule = { automatic: false },
): Promise<Forwarded> {
  const { lists, skipped } = await withoutUnknown(ctx, { to: checkedMailboxes('forwardTo', input.forwardTo) });
  if (lists.to.length === 0) await refuseUnknown(ctx, { forwardTo: input.forwardTo });
  const content = await openContent(ctx, item.content_id);
  const { textBody, htmlBody } = await parsedContent(ctx, content);
  const head = headOf(summaries(ctx).open(item.id, item.sealed), item);
  const text = textBody ?? (htmlBody === undefined ? '' : htmlToText(htmlBody));
  const note = input.textBody === undefined || input.textBody === '' ? '' : `${input.textBody}\n\n`;
  const written = checkedMessage(ctx, owner, {
    from: input.from ?? mailboxOfMember(ctx, owner.username),
    to: lists.to,
    cc: [],
    bcc: [],
    subject: forwardSubject(item.subject),
    textBody: `${note}${head.join('\n')}\n\n${text}`,
    ...(htmlBody !== undefined && { htmlBody: `${asHtml([...note.split('\n'), ...head])}<br>\n${htmlBody}` }),
  });
  const attachments = await copiedAttachments(ctx, content);
  return await sendWritten(
    ctx,
    owner,
    { ...written, automatic },
    {
      sendAt: input.sendAt,
      told: { skipped },
      shared: attachments,
      before: async (tx) => {
        await before?.(tx);
        await itemOf(tx, owner.memberId, item.id);
      },
      after: async (tx) => await changeKeywords(tx, item.id, { add: ['$forwarded'] }),
    },
  );
}

/** What stands before a forwarded text, as people expect it. */
function headOf({ from, to, cc }: Summary, { subject, dated_at: date }: MailItemRow): string[] {
  const named = (addresses: readonly Address[]) =>
    addresses
      .map(({ displayName, address }) => (displayName === undefined ? address : `${displayName} <${address}>`))
      .join(', ');
  return [
    '---------- Forwarded message ----------',
    `From: ${named([from])}`,
    `Date: ${new Date(date).toUTCString()}`,
    `Subject: ${subject}`,
    `To: ${named(to)}`,
    ...(cc.length > 0 ? [`Cc: ${named(cc)}`] : []),
  ];
}

function asHtml(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  );
  return `<div>${escaped.join('<br>\n')}</div>`;
}
