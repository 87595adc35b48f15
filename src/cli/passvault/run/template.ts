import { isReference, parseReference, type Reference } from './reference.ts';

export type TemplatePart = string | Reference;

/**
 * `{{ conclave://vault/entry/field }}`, where names may hold spaces, and bare references, which end where a character can't be part
 * of one. Other braces stay as they are.
 */
const pattern = /\{\{[ \t]*(conclave:\/\/[^{}\r\n]*?)[ \t]*\}\}|conclave:\/\/[^\s"'`<>{}()[\]\\,;|]+/gu;

/** @throws Problem invalid REFERENCE_INVALID */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, braced] = match;
    // A dot, colon or exclamation mark at the end is the sentence's.
    const reference = braced ?? whole.replace(/[.:!]+$/, '');
    const end = match.index + (braced === undefined ? reference.length : whole.length);
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(parseReference(reference));
    at = end;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

export function referencesOf(parts: readonly TemplatePart[]): Reference[] {
  return parts.filter((part) => typeof part !== 'string');
}

export function fillTemplate(parts: readonly TemplatePart[], valueOf: (reference: Reference) => string): string {
  return parts.map((part) => (typeof part === 'string' ? part : valueOf(part))).join('');
}

/** A value that is nothing but a reference, or holds some in braces; any other text stays one part. */
export function parseValueTemplate(text: string): TemplatePart[] {
  return isReference(text) ? [parseReference(text)] : parseTemplate(text);
}
