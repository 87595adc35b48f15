import { fieldOf, lineAt, readHeader, type Field, type Header } from './header.ts';
import { parameterOf, structuredFrom, type Structured } from './parameters.ts';

/** A part of a message that has no parts. */
export interface Leaf {
  /** its number among the leaves, by which it is found again */
  readonly path: number;
  readonly type: Structured;
  readonly disposition: Structured;
  /** lower case */
  readonly encoding: string;
  readonly contentId: string | undefined;
  /** where its content is in the octets; an end of -1 isn't known */
  readonly start: number;
  readonly end: number;
  /** a number that all alternatives for the same thing have in common */
  readonly alternative: number | undefined;
}

export interface Structure {
  readonly header: Header;
  readonly leaves: readonly Leaf[];
  /** the message has more parts, or deeper ones, than are told apart */
  readonly hasMore: boolean;
  /** it has parts, but nothing that tells them apart, so it is one text */
  readonly isUndivided: boolean;
}

/** Real messages have below 100 parts and 10 levels. */
const MOST_PARTS = 10_000;
const DEEPEST = 100;

/** RFC 2046 allows 70 characters. */
const LONGEST_BOUNDARY = 1000;

const CR = 13;
const LF = 10;

interface Open {
  readonly boundary: string;
  readonly alternative: number | undefined;
  readonly isDigest: boolean;
}

type Growing = { -readonly [Key in keyof Leaf]: Leaf[Key] };

/**
 * Finds the parts of a message in one pass, without recursion, and without an object for each line: the number of lines, levels and
 * parts is up to the sender.
 */
export function structureOf(octets: Buffer): Structure {
  const leaves: Growing[] = [];
  const open: Open[] = [];
  /** so that lines that delimit nothing, of which there may be millions, aren't compared with every level */
  let boundaries = new Set<string>();
  let hasMore = false;
  let parts = 0;

  /** @returns the level of the multipart that this line delimits, and whether it ends it */
  function delimiterAt(at: number): { level: number; isEnd: boolean } | undefined {
    if (open.length === 0) return undefined;
    const { end } = lineAt(octets, at);
    if (end - at > LONGEST_BOUNDARY + 100) return undefined;
    const line = octets.toString('latin1', at + 2, end).trimEnd();
    const isEnd = !boundaries.has(line) && line.endsWith('--');
    const wanted = isEnd ? line.slice(0, -2) : line;
    if (!boundaries.has(wanted)) return undefined;
    return { level: open.findLastIndex(({ boundary }) => boundary === wanted), isEnd };
  }

  /** Opens a multipart, or begins a leaf. */
  function begin({ fields, body }: Header): void {
    parts += 1;
    const parent = open.at(-1);
    const type = structuredFrom(
      fieldOf(fields, 'content-type') ?? (parent?.isDigest ? 'message/rfc822' : 'text/plain'),
    );
    const boundary = (parameterOf(type, 'boundary') ?? '').trimEnd();
    if (type.value.startsWith('multipart/') && boundary !== '' && boundary.length <= LONGEST_BOUNDARY) {
      if (open.length < DEEPEST) {
        const alternative = type.value === 'multipart/alternative' ? parts : parent?.alternative;
        open.push({ boundary, alternative, isDigest: type.value === 'multipart/digest' });
        boundaries.add(boundary);
        return;
      }
      hasMore = true;
    }
    leaves.push({ ...leafFrom(fields, type), path: leaves.length, start: body, alternative: parent?.alternative });
  }

  function endLeaf(at: number): void {
    const leaf = leaves.at(-1);
    if (leaf?.end === -1) leaf.end = Math.max(leaf.start, beforeLineEnd(octets, at));
  }

  const header = readHeader(octets, 0, () => false);
  // What has no header at all is text.
  begin(header.fields.length === 0 ? { ...header, body: 0 } : header);
  let at = header.body;
  while (open.length > 0) {
    at = nextDashes(octets, at);
    if (at === -1) break;
    const delimiter = delimiterAt(at);
    const { next } = lineAt(octets, at);
    if (delimiter === undefined) {
      at = next;
      continue;
    }
    endLeaf(at);
    const levels = delimiter.level + (delimiter.isEnd ? 0 : 1);
    if (levels < open.length) {
      open.length = levels;
      boundaries = new Set(open.map(({ boundary }) => boundary));
    }
    at = next;
    if (delimiter.isEnd) continue;
    if (parts >= MOST_PARTS) {
      hasMore = true;
      break;
    }
    const part = readHeader(octets, at, (line) => delimiterAt(line) !== undefined);
    begin(part);
    at = part.body;
  }
  endLeaf(octets.length);
  const isUndivided =
    leaves.length === 0 || (open.length === 0 && leaves[0]?.type.value.startsWith('multipart/') === true);
  if (!isUndivided) return { header, leaves, hasMore, isUndivided };
  const whole = { ...leafFrom([], structuredFrom('text/plain')), path: 0, alternative: undefined };
  return { header, leaves: [{ ...whole, start: header.body, end: octets.length }], hasMore, isUndivided };
}

function leafFrom(fields: readonly Field[], type: Structured): Omit<Growing, 'path' | 'start' | 'alternative'> {
  const encoding = structuredFrom(fieldOf(fields, 'content-transfer-encoding') ?? '').value;
  const disposition = structuredFrom(fieldOf(fields, 'content-disposition') ?? '');
  return { type, disposition, encoding, contentId: fieldOf(fields, 'content-id'), end: -1 };
}

/** @returns where the next line begins that starts with two dashes, at `from` or later; -1 if there is none */
function nextDashes(octets: Buffer, from: number): number {
  if (octets.toString('latin1', from, from + 2) === '--') return from;
  const found = octets.indexOf('\n--', from, 'latin1');
  return found === -1 ? -1 : found + 1;
}

/** The line end before a delimiter belongs to the delimiter (RFC 2046 5.1.1). */
function beforeLineEnd(octets: Buffer, at: number): number {
  if (at === octets.length || octets[at - 1] !== LF) return at;
  return octets[at - 2] === CR ? at - 2 : at - 1;
}
