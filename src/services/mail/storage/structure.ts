import type { MessageFacts } from '../boxes/items.ts';
import type { Address } from '../message/addresses.ts';
import { htmlToText } from '../message/html-text.ts';
import type { ParsedMessage } from '../message/parse.ts';
import type { Structure } from './layout.ts';

/** Characters of all headers that are kept beside a message; the rest is in its octets. */
const KEPT_HEADERS = 64 * 1024;
/** Characters of the text that searches look at. */
const SEARCHED = 200_000;

/** What is kept of a message that was parsed. */
export function structureOf(parsed: ParsedMessage): Structure {
  let room = KEPT_HEADERS;
  const headers = parsed.headers.filter(({ name, value }) => (room -= name.length + value.length) >= 0);
  const { from, replyTo, to, cc, subject, inReplyTo, references, problems } = parsed;
  return {
    v: 1,
    headers,
    from,
    ...(parsed.sender !== undefined && { sender: parsed.sender }),
    replyTo,
    to,
    cc,
    subject,
    ...(parsed.date !== undefined && { date: parsed.date }),
    ...(parsed.messageId !== undefined && { messageId: parsed.messageId }),
    inReplyTo,
    references,
    attachments: parsed.attachments.map(({ filename, contentType, size, contentId, inline, segment, path }) => ({
      filename,
      contentType,
      size,
      ...(contentId !== undefined && { contentId }),
      inline,
      ...(segment !== undefined && { segment }),
      path,
    })),
    textLength: parsed.textBody?.length ?? 0,
    htmlLength: parsed.htmlBody?.length ?? 0,
    problems,
  };
}

export function isCalendar(contentType: string): boolean {
  return /^text\/calendar\s*(?:;|$)/i.test(contentType);
}

const nobody: Address = { address: '' };

/** What copies of a parsed message have in common. @param messageId for one that has none */
export function factsOf(parsed: ParsedMessage, size: number, messageId: string): MessageFacts {
  const { from, to, cc, replyTo, subject, inReplyTo, references, preview } = parsed;
  const text = parsed.textBody ?? (parsed.htmlBody === undefined ? '' : htmlToText(parsed.htmlBody));
  return {
    messageId: parsed.messageId ?? messageId,
    subject,
    date: parsed.date,
    size,
    hasAttachments: parsed.attachments.some(({ inline }) => !inline),
    hasCalendar: parsed.attachments.some(({ contentType }) => isCalendar(contentType)),
    text: text.slice(0, SEARCHED),
    summary: {
      from: from[0] ?? nobody,
      to,
      cc,
      ...(replyTo.length > 0 && { replyTo }),
      inReplyTo: inReplyTo[0] ?? null,
      references: [...references, ...inReplyTo.slice(1)],
      preview,
    },
  };
}
