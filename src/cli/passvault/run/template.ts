import { isReference, parseReference, type Reference } from './reference.ts';

export type TemplatePart = string | Reference;

/**
 * Matches `{{ conclave://vault/entry/field }}`, in which names may contain spaces, and bare references. A bare reference ends before a
 * character that cannot be part of one. Other braces stay unchanged.
 */
const pattern = /\{\{[ \t]*(conclave:\/\/[^{}\r\n]*?)[ \t]*\}\}|conclave:\/\/[^\s"'`<>{}()[\]\\,;|]+/gu;

/** @throws Problem invalid REFERENCE_INVALID */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, braced] = match;
    // A dot, colon or exclamation mark at the end belongs to the sentence.
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

/** Parses a value that is exactly one reference, or contains references in braces. Any other text stays one part. */
export function parseValueTemplate(text: string): TemplatePart[] {
  return isReference(text) ? [parseReference(text)] : parseTemplate(text);
}
