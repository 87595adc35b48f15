import { Problem } from '../../../problem.ts';

/** One field of an entry of a vault; without a field, what the entry is kept for (`mainSecret`). */
export interface Reference {
  readonly vault: string;
  readonly entry: string;
  readonly field: string | undefined;
}

const scheme = 'conclave://';
/** What ends the name of a part, or could be taken for text around a reference that has no braces. */
const reserved = /[%/?#\s"'`<>{}()[\]\\,;|]/gu;
const hidden = /\p{C}/u;

export function isReference(text: string): boolean {
  return text.startsWith(scheme);
}

/**
 * Reads `conclave://vault/entry` and `conclave://vault/entry/field`. A part that holds a slash, or a percent sign before two hex
 * digits, is percent-encoded; anything else may stand as it is. A vault and an entry are named as everywhere: by name, title or id.
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

/** The reference as text that `parseReference` reads, fit to stand in any template without braces. */
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

/** Only runs of well-formed escapes are decoded, so that `100% sure` means what it says. */
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

/** `vault/entry` as arguments name it: the first slash ends the vault. References are taken as well. */
export interface EntryName {
  readonly vault: string;
  readonly entry: string;
  readonly field: string | undefined;
}

/**
 * @throws Problem invalid REFERENCE_INVALID, USAGE where there is no slash
 */
export function parseEntryName(text: string): EntryName {
  if (isReference(text)) return parseReference(text);
  const slash = text.indexOf('/');
  const [vault, entry] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 1 || entry === '') {
    throw new Problem('invalid', 'USAGE', `Name an entry as <vault>/<entry>. ${JSON.stringify(text)} is not.`);
  }
  return { vault, entry, field: undefined };
}
