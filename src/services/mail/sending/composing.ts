import type { Context } from '../../../service/context.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { fieldProblem } from '../../../base/problem.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { addressFrom, type Address, type NamedMailbox } from '../message/addresses.ts';
import { isCalendar } from '../storage/structure.ts';
import type { CalendarPart, MessageFields } from '../message/compose.ts';
import { composeOffThread } from '../message/compose-off-thread.ts';
import { htmlToText } from '../message/html-text.ts';
import { previewOf } from '../message/clean.ts';
import { messageSize } from '../message/segments.ts';
import { ownDomain } from '../own-mailbox.ts';
import { joinOctets, newContent, type NewContent } from '../storage/contents.ts';
import type { LayoutPiece, Structure } from '../storage/layout.ts';
import { makePart, type Part } from '../../../shared/attachments/sealed-parts.ts';
import type { GivenAttachment } from './attachments.ts';
import type { Recipients } from './recipients.ts';

/** A message that a member writes. All of it is checked. */
export interface Written extends Recipients {
  readonly from: NamedMailbox;
  readonly replyTo?: readonly NamedMailbox[];
  readonly subject: string;
  readonly textBody?: string | undefined;
  readonly htmlBody?: string | undefined;
  readonly attachments: readonly GivenAttachment[];
  readonly inReplyTo?: string;
  readonly references: readonly string[];
  /** marks a message that a rule sends, so that no rule answers it */
  readonly automatic?: boolean;
  /** marks a message of the node itself */
  readonly generated?: boolean;
  readonly calendar?: CalendarPart;
}

/** A message that is encrypted and ready to be sent. */
export interface Made {
  readonly messageId: string;
  readonly date: number;
  readonly from: Address;
  readonly to: readonly Address[];
  readonly subject: string;
  /** what recipients get */
  readonly shared: NewContent;
  /** the sender's copy, which names those in Bcc; the same content where there is nobody */
  readonly own: NewContent;
  readonly facts: MessageFacts;
  readonly ownFacts: MessageFacts;
  /** the parts that were made for it, and are in no transaction */
  readonly fresh: ReadonlySet<Part>;
}

/** Characters of the text that searches look at: more would take too long between other requests. */
const SEARCHED = 200_000;
const WIDTH = 76;

/**
 * Composes a message and encrypts it. The files of its fresh parts have to be kept by a transaction, or withdrawn.
 * @param messageId of an earlier version of a draft
 * @throws Problem invalid VALIDATION_ERROR
 */
export async function makeMessage(ctx: Context, written: Written, messageId = newMessageId(ctx)): Promise<Made> {
  const now = ctx.clock.now();
  const { bcc, attachments } = written;
  const fields: MessageFields = {
    messageId,
    // A message tells seconds.
    date: Math.floor(now / 1000) * 1000,
    from: written.from,
    ...(written.replyTo !== undefined && written.replyTo.length > 0 && { replyTo: written.replyTo }),
    to: written.to,
    cc: written.cc,
    bcc: [],
    subject: written.subject,
    ...(written.inReplyTo !== undefined && { inReplyTo: written.inReplyTo }),
    references: written.references,
    ...(written.textBody !== undefined && { textBody: written.textBody }),
    ...(written.htmlBody !== undefined && { htmlBody: written.htmlBody }),
    attachments: attachments.map(({ part, ...entry }) => ({ ...entry, size: part.size })),
    ...(written.automatic === true && { automatic: true }),
    ...(written.generated === true && { generated: true }),
    ...(written.calendar !== undefined && { calendar: written.calendar }),
  };
  const fresh = new Set(attachments.flatMap(({ part, fresh: made }) => (made ? [part] : [])));
  const segments = attachments.map(({ part }) => part);
  const shape = segments.map((part) => ({ size: part.size, width: WIDTH }));
  const text = written.textBody ?? (written.htmlBody === undefined ? '' : htmlToText(written.htmlBody));
  const structure = structureOf(fields, attachments);
  const contentOf = async (given: MessageFields): Promise<NewContent> => {
    const { pieces } = await composeOffThread(ctx.offload, given);
    const octets = joinOctets(pieces.flatMap((piece) => ('octets' in piece ? [piece.octets] : [])));
    const size = messageSize(pieces, shape);
    if (size > mailLimits.messageBytes)
      throw fieldProblem('attachments', 'make the message too large; it can have 50 MiB with its encoding');
    const first = await makePart(ctx, octets);
    fresh.add(first);
    return newContent(ctx, recordId(now, ctx.random), {
      pieces: pieces.map((piece): LayoutPiece => ('octets' in piece ? { octets: piece.octets.length } : piece)),
      segments: shape,
      structure,
      parts: [first, ...segments],
      size,
    });
  };
  const shared = await contentOf(fields);
  const own = bcc.length === 0 ? shared : await contentOf({ ...fields, bcc });
  const summary = {
    from: addressFrom(written.from),
    to: written.to.map(addressFrom),
    cc: written.cc.map(addressFrom),
    ...(fields.replyTo !== undefined && { replyTo: fields.replyTo.map(addressFrom) }),
    inReplyTo: written.inReplyTo ?? null,
    references: written.references,
    preview: previewOf(text),
  };
  const common = {
    messageId,
    subject: written.subject,
    date: fields.date,
    hasAttachments: attachments.some(({ inline }) => inline !== true),
    hasCalendar: written.calendar !== undefined || attachments.some(({ contentType = '' }) => isCalendar(contentType)),
    text: text.slice(0, SEARCHED),
  };
  const facts: MessageFacts = { ...common, size: shared.size, summary };
  return {
    messageId,
    date: fields.date,
    from: summary.from,
    to: summary.to,
    subject: written.subject,
    shared,
    own,
    facts,
    ownFacts:
      bcc.length === 0 ? facts : { ...common, size: own.size, summary: { ...summary, bcc: bcc.map(addressFrom) } },
    fresh,
  };
}

/** `<id@domain>` without the brackets. The id is random, so that it tells nothing. */
export function newMessageId(ctx: Pick<Context, 'config' | 'random'>): string {
  return `${Buffer.from(ctx.random(16)).toString('hex')}@${ownDomain(ctx)}`;
}

function structureOf(fields: MessageFields, attachments: readonly GivenAttachment[]): Structure {
  return {
    v: 1,
    headers: [],
    from: [addressFrom(fields.from)],
    replyTo: (fields.replyTo ?? []).map(addressFrom),
    to: fields.to.map(addressFrom),
    cc: fields.cc.map(addressFrom),
    subject: fields.subject,
    date: fields.date,
    messageId: fields.messageId,
    inReplyTo: fields.inReplyTo === undefined ? [] : [fields.inReplyTo],
    references: fields.references,
    attachments: attachments.map(({ filename = 'attachment', contentType, contentId, inline, part }, segment) => ({
      filename,
      contentType: contentType ?? 'application/octet-stream',
      size: part.size,
      ...(contentId !== undefined && { contentId }),
      inline: inline === true,
      segment,
    })),
    textLength: fields.textBody?.length ?? 0,
    htmlLength: fields.htmlBody?.length ?? 0,
    problems: [],
  };
}
