import { compile, type DomNode, type FormatCallback } from 'html-to-text';
import { cleanText, cutText } from './clean.ts';
import { tableElements, tableText } from './html-tables.ts';

/** Newsletters have 20 to 150 KiB. The parser takes up to a second for 256 KiB of nested elements. */
const MOST_INPUT = 256 * 1024;
const MOST_OUTPUT = 256 * 1024;

/** Tables in tables are nested some 100 deep in real messages. The parser is quadratic in the depth, and the rest recursive. */
const DEEPEST = 500;

/** Quotes and lists in each other. 490 of them around 48,000 lines took 11 seconds, as each changes every line in it. */
const MOST_QUOTES = 50;
const MOST_LISTS = 100;

const altText: FormatCallback = (element, _walk, builder) => {
  const { attribs } = element as { readonly attribs?: Readonly<Record<string, string>> };
  const alt = attribs?.['alt']?.trim() ?? '';
  if (alt !== '') builder.addInline(`[${alt}]`);
};

/** As that of the library, but what is deeper than anything real has no more marks. */
const quote: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: isQuotedDeep(element) ? (text) => text : quoted });
};

function isQuotedDeep(element: DomNode): boolean {
  let quotes = 0;
  for (let at: DomNode | undefined = element; at && quotes <= MOST_QUOTES; at = at.parent)
    if (at.name === 'blockquote') quotes += 1;
  return quotes > MOST_QUOTES;
}

function quoted(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return lines
    .slice(Math.max(0, first), last + 1)
    .map((line) => `> ${line}`)
    .join('\n');
}

/** @returns text with the addresses of links, and what images say instead. Nothing is fetched. No controls but LF and TAB are in it. */
export function htmlToText(html: string): string {
  const text = convert(beforeDepth(cutText(html, MOST_INPUT)));
  return cutText(cleanText(text), MOST_OUTPUT);
}

const link = { hideLinkHrefIfSameAsText: true, linkBrackets: ['[', ']'] as [string, string] };

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: MOST_INPUT, maxDepth: DEEPEST * 2, ellipsis: '…' },
  formatters: { altText, quote, tableText },
  selectors: [
    { selector: 'img', format: 'altText' },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'a', format: 'inline' },
    // Other links lead nowhere from a text: anchors, scripts, what is relative to an unknown page.
    { selector: 'a[href^="http"]', format: 'anchor', options: link },
    { selector: 'a[href^="mailto:"]', format: 'anchor', options: link },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ...tableElements.map((selector) => ({ selector, format: 'tableText' })),
  ],
});

/** Elements that never have content, or that end where the next one begins. */
const flat = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|option)$/;

/** What the parser ends where a part of a table begins; many programs leave that to it. */
const ended: Readonly<Record<string, readonly string[]>> = {
  tr: ['tr', 'th', 'td'],
  th: ['th'],
  td: ['th', 'td', 'thead'],
  tbody: ['thead', 'tbody'],
  tfoot: ['thead', 'tbody'],
};

/** What comes before elements are nested too deep. Tags are found roughly, which is enough for a limit. */
function beforeDepth(html: string): string {
  const open: string[] = [];
  for (const { 1: slash, 2: written = '', index } of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    const name = written.toLowerCase();
    if (flat.test(name)) continue;
    if (slash === '/') {
      const at = open.lastIndexOf(name);
      if (at !== -1) open.length = at;
      continue;
    }
    const closes = Object.hasOwn(ended, name) ? ended[name] : undefined;
    while (closes?.includes(open.at(-1) ?? '')) open.pop();
    const isList = name === 'ul' || name === 'ol';
    const isDeep = isList && open.filter((one) => one === 'ul' || one === 'ol').length === MOST_LISTS;
    if (open.length === DEEPEST || isDeep) return html.slice(0, index);
    open.push(name);
  }
  return html;
}
