import { declarations, partsOf } from './names.ts';

/** The one place that writes XML: what is put into an element is XML already, or comes from `text`. */

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Whoever reads XML takes CR LF for LF. Written so, it stays.
  '\r': '&#13;',
};

/** Characters that no XML may have, not even as a reference (XML 1.0, 2.2). */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text as XML. Characters that XML cannot have are left out. */
export function text(value: string): string {
  return value.replaceAll(forbidden, '').replaceAll(/[&<>"\r]/g, (one) => special[one] ?? one);
}

/** @param name as names.ts has it @param inner XML @param attributes names and values */
export function element(name: string, inner = '', attributes: Readonly<Record<string, string>> = {}): string {
  const unknown = partsOf(name);
  const tag = unknown === undefined ? name : `x:${unknown.local}`;
  const declared = unknown === undefined ? '' : ` xmlns:x="${text(unknown.uri)}"`;
  const more = Object.entries(attributes).map(([key, value]) => ` ${key}="${text(value)}"`);
  const open = `${tag}${declared}${more.join('')}`;
  return inner === '' ? `<${open}/>` : `<${open}>${inner}</${tag}>`;
}

export function textElement(name: string, value: string): string {
  return element(name, text(value));
}

/** @param path as it stands in an address */
export function href(path: string): string {
  return textElement('d:href', path);
}

/** The beginning and the end of a document with this outermost element. */
export function documentOf(name: string): { readonly begin: string; readonly end: string } {
  return { begin: `<?xml version="1.0" encoding="utf-8"?>\n<${name}${declarations}>`, end: `</${name}>\n` };
}
