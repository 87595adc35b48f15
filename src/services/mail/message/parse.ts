import { decodeWords } from 'postal-mime';
import { attachmentFrom, lostAttachment, MOST_SKELETON, type Context, type ParsedAttachment } from './attachments.ts';
import { bodiesOf, isHtml, type TextPart } from './bodies.ts';
import { addressText, fieldText } from './charset.ts';
import { cleanLine, previewOf } from './clean.ts';
import { fieldOf, type Field } from './header.ts';
import { htmlToText } from './html-text.ts';
import { mailboxesIn, type ParsedMailbox } from './mailboxes.ts';
import { dateFrom } from './message-date.ts';
import { messageIdFrom, messageIdsIn } from './message-ids.ts';
import { parameterOf } from './parameters.ts';
import { contentOf, octetsOf, segmentOf } from './part-content.ts';
import { structureOf, type Leaf } from './structure.ts';

export interface ParsedMessage {
  /** in order, decoded; not all of them if there are very many */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** without <> */
  readonly messageId?: string;
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  readonly from: readonly ParsedMailbox[];
  readonly sender?: ParsedMailbox;
  readonly replyTo: readonly ParsedMailbox[];
  readonly to: readonly ParsedMailbox[];
  readonly cc: readonly ParsedMailbox[];
  readonly bcc: readonly ParsedMailbox[];
  readonly subject: string;
  /** milliseconds since 1970 */
  readonly date?: number;
  /** at most 1 MiB of UTF-16 code units, without controls but LF and TAB */
  readonly textBody?: string;
  readonly htmlBody?: string;
  /** one of the bodies was longer */
  readonly truncated: boolean;
  readonly attachments: readonly ParsedAttachment[];
  /** the beginning of the text, in one line */
  readonly preview: string;
  /** what was wrong, for people: sentences, at most 20 */
  readonly problems: readonly string[];
}

const MOST_HEADERS = 1000;
const MOST_HEADER_TEXT = 256 * 1024;
const LONGEST_HEADER = 16 * 1024;
const LONGEST_SUBJECT = 2000;
const MOST_ATTACHMENTS = 1000;
const MOST_PROBLEMS = 20;

/**
 * Reads a message of any kind. It never throws: what is wrong is shown as well as it can be.
 * @param skeleton as `skeletonOf` makes it
 */
export async function parseMessage(skeleton: Uint8Array, context: Context): Promise<ParsedMessage> {
  const problems: string[] = [];
  const octets = Buffer.from(skeleton.buffer, skeleton.byteOffset, Math.min(skeleton.length, MOST_SKELETON));
  if (skeleton.length > octets.length) problems.push('The message is very long. Its end was not read.');
  const { header, leaves, hasMore, isUndivided } = structureOf(octets);
  if (header.fields.length === 0) problems.push('The message has no header.');
  if (header.cut) problems.push('The header is very long. Not all of it was read.');
  if (isUndivided) problems.push('The parts of the message could not be told apart. It is shown as one text.');
  if (hasMore) problems.push('The message has very many parts. Not all of them were read.');
  const charset = leaves.map(({ type }) => parameterOf(type, 'charset')).find((one) => one !== undefined && one !== '');
  const fields = fieldsOf(header.fields, charset, problems);
  const { texts, attachments } = await partsOf(octets, leaves, { ...context, charset }, problems);
  const bodies = await bodiesOf(texts);
  if (bodies.truncated) problems.push('The text is very long. Only its beginning is shown.');
  const text = bodies.textBody ?? (bodies.htmlBody === undefined ? '' : htmlToText(bodies.htmlBody));
  return { ...fields, ...bodies, attachments, preview: previewOf(text), problems: problems.slice(0, MOST_PROBLEMS) };
}

type Fields = Omit<ParsedMessage, 'textBody' | 'htmlBody' | 'truncated' | 'attachments' | 'preview' | 'problems'>;

function fieldsOf(fields: readonly Field[], charset: string | undefined, problems: string[]): Fields {
  // Ids and dates are ASCII, which no charset may change.
  const text = (name: string): string => fieldText(fieldOf(fields, name) ?? '');
  const mailboxes = (name: string): readonly ParsedMailbox[] => {
    const values = fields
      .filter((field) => field.name.toLowerCase() === name)
      .map(({ value }) => addressText(value, charset));
    const { found, cut } = mailboxesIn(values);
    if (cut) problems.push(`The field ${name} has very many addresses. Not all of them were read.`);
    return found;
  };
  const messageId = messageIdFrom(text('message-id'));
  const [sender] = mailboxes('sender');
  const date = dateFrom(text('date'));
  const from = mailboxes('from');
  if (from.every(({ domain }) => domain === undefined)) problems.push('The message does not say who sent it.');
  if (fields.filter(({ name }) => /^from$/i.test(name)).length > 1) problems.push('The message has several senders.');
  if (messageId === undefined) problems.push(problemOf('Message-ID', text('message-id')));
  if (date === undefined) problems.push(problemOf('Date', text('date')));
  return {
    headers: headersOf(fields, charset, problems),
    ...(messageId !== undefined && { messageId }),
    inReplyTo: messageIdsIn(text('in-reply-to')),
    references: messageIdsIn(text('references')),
    from,
    ...(sender !== undefined && { sender }),
    replyTo: mailboxes('reply-to'),
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    bcc: mailboxes('bcc'),
    subject: cleanLine(decodeWords(fieldText(fieldOf(fields, 'subject') ?? '', charset)), LONGEST_SUBJECT),
    ...(date !== undefined && { date }),
  };
}

function problemOf(name: string, value: string): string {
  return value === '' ? `The message has no ${name}.` : `The ${name} of the message is not well-formed.`;
}

function headersOf(
  fields: readonly Field[],
  charset: string | undefined,
  problems: string[],
): { name: string; value: string }[] {
  const headers: { name: string; value: string }[] = [];
  let length = 0;
  for (const { name, value } of fields) {
    const header = {
      name: name.slice(0, 200),
      value: cleanLine(decodeWords(fieldText(value, charset)), LONGEST_HEADER),
    };
    length += header.name.length + header.value.length;
    if (headers.length >= MOST_HEADERS || length > MOST_HEADER_TEXT) {
      problems.push('The message has a very long header. Not all of it is shown.');
      break;
    }
    headers.push(header);
  }
  return headers;
}

interface Parts {
  readonly texts: readonly TextPart[];
  readonly attachments: readonly ParsedAttachment[];
}

async function partsOf(
  octets: Buffer,
  leaves: readonly Leaf[],
  { nonce, segments, charset }: Context & { readonly charset: string | undefined },
  problems: string[],
): Promise<Parts> {
  const texts: TextPart[] = [];
  const attachments: ParsedAttachment[] = [];
  const lost = new Set(segments.keys());
  let more = 0;
  for (const leaf of leaves) {
    const content = contentOf(octets, leaf, nonce);
    const inside = content.pieces.flatMap((piece) => ('segment' in piece ? [piece.segment] : []));
    for (const segment of inside) lost.delete(segment);
    const isText = isTextPart(leaf);
    if (isText && segmentOf(content) === undefined) texts.push({ leaf, octets: octetsOf(content) });
    if (isText && inside.length > 0) problems.push('A text is too long to be shown. It is listed as an attachment.');
    if (isText && inside.length === 0) continue;
    if (attachments.length < MOST_ATTACHMENTS) attachments.push(await attachmentFrom(leaf, content, segments, charset));
    else more += 1;
  }
  for (const index of lost) {
    const segment = segments[index];
    if (segment === undefined) continue;
    if (attachments.length < MOST_ATTACHMENTS) attachments.push(lostAttachment(index, segment));
    else more += 1;
  }
  if (more > 0) problems.push(`The message has ${more} more attachments, which are not listed.`);
  return { texts, attachments };
}

/** A text that has a name is an attachment, unless it comes first. */
function isTextPart(leaf: Leaf): boolean {
  const { type, disposition, path } = leaf;
  if (disposition.value === 'attachment') return false;
  if (type.value !== '' && type.value !== 'text/plain' && !isHtml(leaf)) return false;
  const hasName = [...type.parameters.keys(), ...disposition.parameters.keys()].some((name) =>
    /^(?:file)?name/.test(name),
  );
  return path === 0 || !hasName;
}
