import { Problem } from '../../../base/problem.ts';

/** One field of an entry of a vault. Without a field, it means the main field of the entry (`mainSecret`). */
export interface Reference {
  readonly vault: string;
  readonly entry: string;
  readonly field: string | undefined;
}

const scheme = 'conclave://';
/** Characters that end a part, or could belong to the text around a reference without braces. */
const reserved = /[%/?#\s"'`<>{}()[\]\\,;|]/gu;
const hidden = /\p{C}/u;

export function isReference(text: string): boolean {
  return text.startsWith(scheme);
}

/**
 * Parses `conclave://vault/entry` and `conclave://vault/entry/field`. A part with a slash, or with a percent sign before two hex digits,
 * must be percent-encoded. Other characters may be written literally. Vaults and entries are found by name, title or id.
 *
 * @throws Problem invalid REFERENCE_INVALID
 */
export function parseReference(text: string): Reference {
  if (!isReference(text)) throw invalid(text, `does not begin with ${scheme}`);
  const parts = text
    .slice(scheme.length)
    .split('/')
    .map((part) => decoded(text, part));
  const [vault = '', entry = '', field] = parts;
  if (parts.length > 3)
    throw invalid(text, 'has more than a vault, an entry and a field; write a slash in a name as %2F');
  if (vault === '' || entry === '' || field === '') throw invalid(text, 'must be conclave://vault/entry/field');
  return { vault, entry, field };
}

/** Formats a reference for `parseReference`. The result is safe in any template without braces. */
export function formatReference({ vault, entry, field }: Reference): string {
  const parts = field === undefined ? [vault, entry] : [vault, entry, field];
  return scheme + parts.map(encoded).join('/');
}

function encoded(part: string): string {
  return part
    .replaceAll(reserved, (character) => encodeURIComponent(character).replaceAll(/['()]/g, percent))
    .replaceAll(/\p{C}/gu, (character) => encodeURIComponent(character))
    .replace(/[.:!]$/, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Decodes only sequences of well-formed escapes, so `100% sure` stays unchanged. */
function decoded(text: string, part: string): string {
  return part.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      throw invalid(text, `has ${escapes}, which is not UTF-8`);
    }
  });
}

function invalid(text: string, why: string): Problem {
  const shown = hidden.test(text) ? 'The reference' : `The reference ${JSON.stringify(text)}`;
  return new Problem('invalid', 'REFERENCE_INVALID', `${shown} ${why}.`);
}

/** An argument `vault/entry`: the vault ends at the first slash. References are accepted as well. */
export interface EntryName {
  readonly vault: string;
  readonly entry: string;
  readonly field: string | undefined;
}

/** @throws Problem invalid REFERENCE_INVALID, USAGE if there is no slash */
export function parseEntryName(text: string): EntryName {
  if (isReference(text)) return parseReference(text);
  const slash = text.indexOf('/');
  const [vault, entry] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 1 || entry === '') {
    throw new Problem('invalid', 'USAGE', `Name an entry as <vault>/<entry>. ${JSON.stringify(text)} is not.`);
  }
  return { vault, entry, field: undefined };
}
