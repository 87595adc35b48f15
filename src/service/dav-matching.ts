import { Problem, type ProblemKind } from '../base/problem.ts';
import type { ProblemCode } from '../base/problem-codes.ts';
import type { DavConditions } from './ports/dav.ts';
import type { ParamFilter, PropFilter, TextMatch } from './ports/dav-filters.ts';

/** What services that speak DAV decide alike. */

/**
 * A refusal with the condition that was not met, such as `c:no-uid-conflict`: programs read its name (RFC 4918 16).
 * @param name of the resource that is in the way
 */
export function davRefusal(
  kind: ProblemKind,
  code: ProblemCode,
  precondition: string,
  message: string,
  name?: string,
): Problem {
  return new Problem(kind, code, message, { details: { precondition, ...(name !== undefined && { name }) } });
}

/**
 * @param found what there is now; undefined: nothing
 * @throws Problem precondition PRECONDITION_FAILED
 */
export function assertConditions(
  { ifMatch, ifNoneMatch, ifScheduleTagMatch }: DavConditions,
  found: { readonly etag: string; readonly scheduleTag?: string } | undefined,
): void {
  const isAmong = (tags: readonly string[] | '*'): boolean =>
    found !== undefined && (tags === '*' || tags.includes(found.etag));
  const isMet =
    (ifMatch === undefined || isAmong(ifMatch)) &&
    (ifNoneMatch === undefined || !isAmong(ifNoneMatch)) &&
    (ifScheduleTagMatch === undefined || found?.scheduleTag === ifScheduleTagMatch);
  if (isMet) return;
  throw new Problem('precondition', 'PRECONDITION_FAILED', 'It was changed meanwhile. Read it again.');
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const asciiFolded = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
const fold: Readonly<Record<TextMatch['collation'], (text: string) => string>> = {
  octet: (text) => text,
  ascii: asciiFolded,
  unicode: (text) => text.normalize('NFKC').toLowerCase(),
};

/** Text as the collations compare it, each worked out once: a filter may have many conditions, and a text a mebibyte. */
function foldedOnce(text: string): (collation: TextMatch['collation']) => string {
  const known = new Map<TextMatch['collation'], string>();
  return (collation) => {
    const folded = known.get(collation) ?? fold[collation](text);
    known.set(collation, folded);
    return folded;
  };
}

function matchesText({ value, collation, how, negate }: TextMatch, folded: ReturnType<typeof foldedOnce>): boolean {
  return isLike(how, folded(collation), fold[collation](value)) !== negate;
}

function isLike(how: TextMatch['how'], found: string, wanted: string): boolean {
  if (how === 'equals') return found === wanted;
  if (how === 'starts-with') return found.startsWith(wanted);
  return how === 'ends-with' ? found.endsWith(wanted) : found.includes(wanted);
}

/** A property as filters see it. */
export interface SeenProperty {
  readonly text: string;
  /** values of a parameter by its upper-case name */
  params(name: string): readonly string[];
}

/** Whether one of the properties with the filter's name is as it wants. Ranges of times are the caller's. */
export function matchesProperties(filter: PropFilter, found: readonly SeenProperty[]): boolean {
  if (filter.absent) return found.length === 0;
  if (found.length === 0) return false;
  const { texts, params, test } = filter;
  if (texts.length + params.length === 0) return true;
  // Of several negated texts none may be anywhere.
  return found.some((property) => {
    const folded = foldedOnce(property.text);
    const answers = [
      ...texts.map((match) => matchesText(match, folded)),
      ...params.map((param) => matchesParam(param, property)),
    ];
    return test === 'any' ? answers.some(Boolean) : answers.every(Boolean);
  });
}

function matchesParam({ name, absent, text }: ParamFilter, property: SeenProperty): boolean {
  const values = property.params(name);
  if (absent) return values.length === 0;
  if (values.length === 0) return false;
  return text === undefined || values.some((value) => matchesText(text, foldedOnce(value)));
}
