import { CODE_BITS, codeOf, idIn } from './code.ts';

/** Characters without width: begin and end of a code, and its bits. Nothing shows them, and copying keeps them. */
const BORDER = '\u2060';
const BITS = ['\u200b', '\u200c'] as const;
/** Copies in one text, at most: each is 98 characters. */
const MOST_COPIES = 200;

interface Marks {
  /** a line for people; undefined: no visible watermark */
  readonly visible: string | undefined;
  /** hex; undefined: no invisible watermark */
  readonly id: string | undefined;
}

/** Puts a line above and below a text, and codes without width at the ends of lines, so that a part of the text has one as well. */
export function markText(text: string, { visible, id }: Marks): string {
  const code =
    id === undefined
      ? ''
      : BORDER +
        codeOf(id)
          .map((bit) => BITS[bit] ?? '')
          .join('') +
        BORDER;
  const lines = text.split('\n');
  const every = Math.max(1, Math.ceil(lines.length / MOST_COPIES));
  const marked = code === '' ? text : lines.map((line, at) => (at % every === 0 ? atEnd(line, code) : line)).join('\n');
  return visible === undefined ? marked : `${visible}\n\n${marked}\n\n${visible}\n`;
}

/** A carriage return stays at the end of its line. */
function atEnd(line: string, code: string): string {
  return line.endsWith('\r') ? `${line.slice(0, -1)}${code}\r` : line + code;
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
