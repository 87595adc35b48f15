import MailComposer from 'nodemailer/lib/mail-composer';
import { randomBytes } from 'node:crypto';
import type { NamedMailbox } from './addresses.ts';
import { isMessageId, type HeaderFields } from './fields.ts';
import { writtenMailbox, writtenText } from './header-text.ts';
import type { Piece } from './segments.ts';

/** An attachment as the message describes it. Its content is no concern of the composer's. */
export interface AttachmentFields {
  readonly filename?: string;
  readonly contentType?: string;
  /** without <> */
  readonly contentId?: string;
  readonly inline?: boolean;
  /** bytes */
  readonly size: number;
}

export interface MessageFields extends HeaderFields {
  /** without <> */
  readonly messageId: string;
  /** milliseconds since 1970 */
  readonly date: number;
  /** written for the sender's own copy alone */
  readonly bcc: readonly NamedMailbox[];
  readonly inReplyTo?: string;
  readonly references: readonly string[];
  readonly attachments: readonly AttachmentFields[];
  /** a program sends it, so that no other one answers (RFC 3834) */
  readonly automatic?: boolean;
  /** the node itself wrote it (RFC 3834, 5) */
  readonly generated?: boolean;
  /** a message about an event, beside the text (RFC 6047) */
  readonly calendar?: CalendarPart;
}

export interface CalendarPart {
  /** of iTIP */
  readonly method: string;
  /** iCalendar */
  readonly text: string;
}

/** RFC 5322, 2.1.1; without CRLF */
const LONGEST_LINE = 998;
/** Ids that References names: enough for every program to find the thread. */
const MOST_REFERENCES = 20;
/** A placeholder as base64 is one line. */
const PLACEHOLDER_BYTES = 45;

/**
 * Composes a message (RFC 5322, 2045, 2047, 2231, 6532). Each attachment is a segment: base64 in lines of 76.
 * @param fields that `checkMessage` has let through
 * @throws Error if the result breaks a rule of RFC 5322, which would be a defect
 */
export async function composeMessage(fields: MessageFields): Promise<{ readonly pieces: Piece[] }> {
  const placeholders = fields.attachments.map(() => randomBytes(PLACEHOLDER_BYTES));
  const { textBody, htmlBody } = fields;
  const options = {
    messageId: `<${fields.messageId}>`,
    date: new Date(fields.date),
    ...(fields.inReplyTo !== undefined && isMessageId(fields.inReplyTo) && { inReplyTo: `<${fields.inReplyTo}>` }),
    references: fields.references.filter(isMessageId).map((id) => `<${id}>`),
    text: withLineFeeds(textBody ?? ''),
    ...(htmlBody !== undefined && { html: withLineFeeds(htmlBody) }),
    textEncoding: encodingOf(textBody ?? '', htmlBody ?? ''),
    ...(fields.calendar !== undefined && { alternatives: [calendarAlternative(fields.calendar)] }),
    attachments: fields.attachments.map((one, index) => attachment(one, placeholders[index])),
    // What members write is content, never the name of a file or of a page.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'windows' as const,
  };
  const octets = Buffer.concat([Buffer.from(headOf(fields)), await new MailComposer(options).compile().build()]);
  assertCorrect(octets);
  return { pieces: cut(octets, placeholders) };
}

/**
 * The fields that name people, and the subject. They are written here, since the library changes addresses with quotes, leaves out fields
 * that are empty, and breaks no long word.
 */
function headOf({ from, replyTo = [], to, cc, bcc, subject, automatic, generated }: MessageFields): string {
  const lists = { From: [from], 'Reply-To': replyTo, To: to, Cc: cc, Bcc: bcc };
  const written = Object.entries(lists).flatMap(([name, mailboxes]) =>
    mailboxes.length === 0 ? [] : [[name, mailboxes.map(writtenMailbox).join(',\r\n ')] as const],
  );
  if (subject !== '') written.push(['Subject', writtenText(subject)]);
  if (generated === true) written.push(['Auto-Submitted', 'auto-generated']);
  else if (automatic === true) written.push(['Auto-Submitted', 'auto-forwarded']);
  return written.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

function calendarAlternative({ method, text }: CalendarPart) {
  return {
    contentType: `text/calendar; charset=utf-8; method=${method}`,
    contentTransferEncoding: 'base64' as const,
    content: Buffer.from(text),
  };
}

function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Long lines and controls can't stand as they are; base64 is shorter where most of the text is not ASCII. */
function encodingOf(...texts: readonly string[]): 'base64' | 'quoted-printable' {
  const whole = texts.join('');
  const other = whole.length - whole.replaceAll(/[^\x20-\x7e\n\r\t]/g, '').length;
  return other * 3 > whole.length ? 'base64' : 'quoted-printable';
}

function attachment({ filename, contentType, contentId, inline }: AttachmentFields, content: Buffer | undefined) {
  // A message inside of another one must not be base64 (RFC 2046, 5.2.1), and all attachments are.
  const isMessage = contentType !== undefined && /^message\//i.test(contentType);
  return {
    filename: filename ?? (false as const),
    contentType: isMessage ? 'application/octet-stream' : (contentType ?? 'application/octet-stream'),
    ...(contentId !== undefined && { cid: contentId }),
    contentDisposition: inline === true ? ('inline' as const) : ('attachment' as const),
    contentTransferEncoding: 'base64' as const,
    content: content ?? Buffer.alloc(0),
  };
}

/** Cuts a message at its placeholders. */
function cut(octets: Buffer, placeholders: readonly Buffer[]): Piece[] {
  const found = placeholders.map((placeholder, segment) => {
    const line = placeholder.toString('base64');
    const at = octets.indexOf(line);
    if (at === -1 || octets.includes(line, at + 1))
      throw new Error('the place of an attachment is not in the message once');
    return { segment, at, end: at + line.length };
  });
  const pieces: Piece[] = [];
  let start = 0;
  for (const { segment, at, end } of found.toSorted((one, other) => one.at - other.at)) {
    pieces.push({ octets: octets.subarray(start, at) }, { segment });
    start = end;
  }
  return [...pieces, { octets: octets.subarray(start) }];
}

const once = ['From', 'Date', 'Message-ID', 'MIME-Version'];
const atMostOnce = ['To', 'Cc', 'Bcc', 'Reply-To', 'Subject', 'In-Reply-To', 'References', 'Sender'];

/** Looks at every octet again, whatever the library does with what it gets. */
function assertCorrect(octets: Buffer): void {
  const text = octets.toString('latin1');
  if (/\r(?!\n)|(?<!\r)\n|\0/.test(text)) throw new Error('the message has a bare CR or LF, or NUL');
  if (text.split('\r\n').some((line) => line.length > LONGEST_LINE)) throw new Error('the message has too long a line');
  const head = text.slice(0, text.indexOf('\r\n\r\n'));
  const count = (name: string) => head.match(new RegExp(`^${name}:`, 'gim'))?.length ?? 0;
  const wrong = [...once.filter((name) => count(name) !== 1), ...atMostOnce.filter((name) => count(name) > 1)];
  if (wrong.length > 0) throw new Error(`the message has ${wrong.join(', ')} a wrong number of times`);
}

/** What References of an answer is made of (RFC 5322, 3.6.4); with many, the first one and the last ones. */
export function referencesFor({
  messageId,
  references,
  inReplyTo,
}: {
  readonly messageId: string;
  readonly references: readonly string[];
  readonly inReplyTo: readonly string[];
}): string[] {
  const before = references.length > 0 ? references : inReplyTo.length === 1 ? inReplyTo : [];
  const all = [...new Set([...before, messageId])].filter(isMessageId);
  const [first] = all;
  return all.length <= MOST_REFERENCES || first === undefined ? all : [first, ...all.slice(1 - MOST_REFERENCES)];
}

/** `Re: ` once, also where another language or program has put its own before. */
export function replySubject(subject: string): string {
  return prefixed(subject, 'Re: ', /^\s*(?:re|aw|sv|antw|r)(?:\[\d+\])?\s*:/i);
}

export function forwardSubject(subject: string): string {
  return prefixed(subject, 'Fwd: ', /^\s*(?:fwd?|wg|tr)(?:\[\d+\])?\s*:/i);
}

/** A subject that would become too long is cut at a character. */
function prefixed(subject: string, prefix: string, known: RegExp): string {
  const whole = known.test(subject) ? subject : `${prefix}${subject}`;
  if (Buffer.byteLength(whole) <= LONGEST_LINE) return whole;
  return Buffer.from(whole)
    .subarray(0, LONGEST_LINE)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}
