import PostalMime from 'postal-mime';
import { charsetInsteadOf, fieldText, withoutHalf } from './charset.ts';
import { cleanText, cutText } from './clean.ts';
import { unflowed } from './flowed.ts';
import { htmlToText } from './html-text.ts';
import { parameterOf } from './parameters.ts';
import type { Leaf } from './structure.ts';

export interface TextPart {
  readonly leaf: Leaf;
  /** decoded from its transfer encoding */
  readonly octets: Buffer;
}

export interface Bodies {
  readonly textBody?: string;
  readonly htmlBody?: string;
  /** one of them was longer */
  readonly truncated: boolean;
}

/** In UTF-16 code units. The text of a long book is below it. */
const LONGEST = 1024 * 1024;
const MOST_TEXTS = 1000;

/** No charset has more octets for a character of a text. */
const MOST_OCTETS = 4 * LONGEST;

interface Group {
  readonly plain: string[];
  readonly html: string[];
}

export function isHtml({ type }: Leaf): boolean {
  return type.value === 'text/html';
}

/** The texts of a message: alternatives for the same thing are shown once, other texts one after the other. */
export async function bodiesOf(parts: readonly TextPart[]): Promise<Bodies> {
  const groups = new Map<string, Group>();
  let length = 0;
  let truncated = parts.length > MOST_TEXTS;
  for (const { leaf, octets } of parts.slice(0, MOST_TEXTS)) {
    if (length > 2 * LONGEST) truncated = true;
    if (length > 2 * LONGEST) break;
    const isLong = octets.length > MOST_OCTETS;
    truncated ||= isLong;
    const text = cleanText(await textOf(leaf, isLong ? withoutHalf(octets.subarray(0, MOST_OCTETS)) : octets));
    length += text.length;
    const key = leaf.alternative === undefined ? `part ${leaf.path}` : `alternative ${leaf.alternative}`;
    const group = groups.get(key) ?? { plain: [], html: [] };
    groups.set(key, group);
    group[isHtml(leaf) ? 'html' : 'plain'].push(text);
  }
  const all = [...groups.values()];
  const bodies = {
    ...(all.some(({ plain }) => plain.length > 0) && { textBody: all.flatMap(asPlain).join('\n') }),
    ...(all.some(({ html }) => html.length > 0) && { htmlBody: all.flatMap(asHtml).join('\n') }),
  };
  const { textBody, htmlBody } = bodies;
  return {
    ...(textBody !== undefined && { textBody: cutText(textBody, LONGEST) }),
    ...(htmlBody !== undefined && { htmlBody: cutText(htmlBody, LONGEST) }),
    truncated: truncated || Math.max(textBody?.length ?? 0, htmlBody?.length ?? 0) > LONGEST,
  };
}

function asPlain({ plain, html }: Group): string[] {
  return plain.length > 0 ? plain : html.map(htmlToText);
}

function asHtml({ plain, html }: Group): string[] {
  return html.length > 0 ? html : plain.map((text) => `<pre>${escaped(text)}</pre>`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

async function textOf(leaf: Leaf, octets: Buffer): Promise<string> {
  const text = await decoded(leaf, octets);
  if (isHtml(leaf) || parameterOf(leaf.type, 'format')?.toLowerCase() !== 'flowed') return text;
  return unflowed(text, parameterOf(leaf.type, 'delsp')?.toLowerCase() === 'yes');
}

/** The parser gets base64 in long lines, since its memory grows with the number of lines. */
async function decoded(leaf: Leaf, octets: Buffer): Promise<string> {
  const charset = charsetInsteadOf(parameterOf(leaf.type, 'charset'), octets);
  const other = charset === undefined ? '' : `charset=${charset};`;
  // The first of two parameters counts. The parser would join flowed lines whatever their quotes.
  const rest = `format=fixed;${other}${fieldText(leaf.type.rest)}`;
  const type = `Content-Type: ${isHtml(leaf) ? 'text/html' : 'text/plain'};${rest}`;
  const lines = octets.toString('base64').match(/.{1,4096}/g) ?? [];
  const message = `${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines.join('\r\n')}`;
  try {
    const { text, html } = await PostalMime.parse(message);
    return (isHtml(leaf) ? html : text) ?? '';
  } catch {
    return octets.toString();
  }
}
