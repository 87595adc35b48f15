import { CODE_BITS, codeOf, idIn } from './code.ts';

/** Characters without width: begin and end of a code, and its bits. Nothing shows them, and copying keeps them. */
const BORDER = '\u2060';
const BITS = ['\u200b', '\u200c'] as const;
const [FEED, RETURN] = [0x0a, 0x0d];
/** Copies in one text, at most: each is 98 characters. */
const MOST_COPIES = 200;

interface Marks {
  /** a line for people; undefined: no visible watermark */
  readonly visible: string | undefined;
  /** hex; undefined: no invisible watermark */
  readonly id: string | undefined;
}

/**
 * Puts a line above and below a text, and codes without width at the ends of lines, so that a part of the text has one as well. It looks at
 * bytes and makes no text of them: a text of line feeds alone would become millions of lines.
 *
 * @param text UTF-8
 */
export function markText(text: Uint8Array, { visible, id }: Marks): Uint8Array<ArrayBuffer> {
  const pieces = id === undefined ? [text] : withCode(Buffer.from(text.buffer, text.byteOffset, text.length), id);
  if (visible !== undefined) {
    pieces.unshift(Buffer.from(`${visible}\n\n`));
    pieces.push(Buffer.from(`\n\n${visible}\n`));
  }
  return Uint8Array.from(Buffer.concat(pieces));
}

function withCode(text: Buffer, id: string): Uint8Array[] {
  const bits = codeOf(id).map((bit) => BITS[bit] ?? '');
  const code = Buffer.from(BORDER + bits.join('') + BORDER);
  const every = Math.max(1, Math.ceil(linesIn(text) / MOST_COPIES));
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (let start = 0, line = 0; start <= text.length; line += 1) {
    const feed = text.indexOf(FEED, start);
    const end = feed < 0 ? text.length : feed;
    if (line % every === 0) {
      // A carriage return stays at the end of its line.
      const place = end > start && text[end - 1] === RETURN ? end - 1 : end;
      pieces.push(text.subarray(from, place), code);
      from = place;
    }
    start = end + 1;
  }
  pieces.push(text.subarray(from));
  return pieces;
}

function linesIn(text: Buffer): number {
  let lines = 1;
  for (let at = text.indexOf(FEED); at >= 0; at = text.indexOf(FEED, at + 1)) lines += 1;
  return lines;
}

/** Texts that were copied together have some. The store is asked for all of them at once. */
const MOST_IDS = 1_000;

/** @returns the ids that a text has, without repetition, the first thousand */
export function idsInText(text: string): string[] {
  const pattern = new RegExp(`${BORDER}([${BITS.join('')}]{${CODE_BITS}})(?=${BORDER})`, 'gu');
  const ids = new Set<string>();
  for (const [, bits = ''] of text.matchAll(pattern)) {
    const id = idIn(Array.from(bits, (bit) => bit).map((bit) => (bit === BITS[1] ? 1 : 0)));
    if (id !== undefined) ids.add(id);
    if (ids.size === MOST_IDS) break;
  }
  return [...ids];
}
