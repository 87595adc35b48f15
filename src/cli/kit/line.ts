import { PASTED } from './keyboard.ts';

/** A text that somebody writes, and where in it they are, in UTF-16 units. */
export interface Line {
  readonly text: string;
  readonly at: number;
}

export const emptyLine: Line = { text: '', at: 0 };

export function lineOf(text: string): Line {
  return { text, at: text.length };
}

/** Whether a key is a character. Names of keys are longer. */
export function isCharacter(key: string): boolean {
  return Array.from(key).length === 1;
}

/** What was pasted, with line ends and without what a text cannot have. @returns undefined for another key */
export function pastedBy(key: string): string | undefined {
  if (!key.startsWith(PASTED)) return undefined;
  return key
    .slice(PASTED.length)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(/[^\P{Cc}\n]/gu, '');
}

/** The line after a key that edits it. @returns undefined for any other key */
export function edited(line: Line, key: string): Line | undefined {
  const pasted = pastedBy(key);
  if (pasted !== undefined) return inserted(line, pasted);
  if (isCharacter(key)) return inserted(line, key);
  return edits[key]?.(line);
}

function inserted({ text, at }: Line, more: string): Line {
  return { text: text.slice(0, at) + more + text.slice(at), at: at + more.length };
}

const newLine = (line: Line): Line => inserted(line, '\n');
const moved = (to: (line: Line) => number) => (line: Line) => ({ ...line, at: to(line) });
const cut = (from: (line: Line) => number, to: (line: Line) => number) => (line: Line) => {
  const start = from(line);
  return { text: line.text.slice(0, start) + line.text.slice(to(line)), at: start };
};
const here = ({ at }: Line): number => at;

const edits: Readonly<Record<string, (line: Line) => Line>> = {
  enter: newLine,
  'alt-return': newLine,
  'alt-enter': newLine,
  'shift-return': newLine,
  left: moved(before),
  'ctrl-b': moved(before),
  right: moved(after),
  'ctrl-f': moved(after),
  'ctrl-left': moved(wordBefore),
  'alt-left': moved(wordBefore),
  'alt-b': moved(wordBefore),
  'ctrl-right': moved(wordAfter),
  'alt-right': moved(wordAfter),
  'alt-f': moved(wordAfter),
  home: moved(startOfLine),
  'ctrl-a': moved(startOfLine),
  end: moved(endOfLine),
  'ctrl-e': moved(endOfLine),
  backspace: cut(before, here),
  delete: cut(here, after),
  'ctrl-d': cut(here, after),
  'ctrl-u': cut(startOfLine, here),
  'ctrl-k': cut(here, endOfLine),
  'ctrl-w': cut(wordBefore, here),
  'alt-backspace': cut(wordBefore, here),
};

/** Created on first use, as it is slow to create. */
let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as the characters of a text, with where each begins. */
export function charactersOf(text: string): readonly { readonly segment: string; readonly index: number }[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)];
}

function before({ text, at }: Line): number {
  return charactersOf(text).findLast(({ index }) => index < at)?.index ?? 0;
}

function after({ text, at }: Line): number {
  return charactersOf(text).find(({ index }) => index > at)?.index ?? text.length;
}

function wordBefore({ text, at }: Line): number {
  const start = text.slice(0, at).search(/\S+\s*$/);
  return start === -1 ? 0 : start;
}

function wordAfter({ text, at }: Line): number {
  return at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0);
}

function startOfLine({ text, at }: Line): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function endOfLine({ text, at }: Line): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The line with the cursor one line up or down. @returns undefined where there is none */
export function verticallyMoved(line: Line, key: string): Line | undefined {
  const start = startOfLine(line);
  const column = line.at - start;
  if (key === 'up') {
    if (start === 0) return undefined;
    const above = startOfLine({ ...line, at: start - 1 });
    return { ...line, at: Math.min(above + column, start - 1) };
  }
  const end = endOfLine(line);
  if (key !== 'down' || end === line.text.length) return undefined;
  return { ...line, at: Math.min(end + 1 + column, endOfLine({ ...line, at: end + 1 })) };
}
