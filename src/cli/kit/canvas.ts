import { fit, wrapped, type Measure } from './display-width.ts';
import type { Terminal } from './terminal.ts';

/** A line without control characters; or one that is drawn with escapes for colours, and no wider than the screen. */
export type Line = string | { readonly drawn: string };

/** A screen of its own, which leaves nothing behind on the terminal. */
export interface Canvas extends Disposable {
  readonly width: () => number;
  /** lines between the title and the help */
  readonly height: () => number;
  draw(title: string, lines: readonly Line[], note: string, help: string): void;
  /** all lines of the screen */
  readonly rows: () => number;
  /**
   * Draws a screen on which somebody writes. Lines that are as they were are not sent again.
   * @param lines as many as the screen has, none wider than it, which may be painted
   * @param cursor where the person writes, from 0 on; undefined: nowhere
   */
  show(lines: readonly string[], cursor: { readonly row: number; readonly column: number } | undefined): void;
  /** clears the screen, for questions and editors, until something is drawn again */
  leave(): void;
}

/** xterm: another screen buffer, and a cursor that is not shown. */
const enter = '\u001b[?1049h\u001b[?25l';
const exit = '\u001b[?25h\u001b[?1049l';
const showCursor = '\u001b[?25h';
const hideCursor = '\u001b[?25l';
/** ECMA-48: to the first column of the first line, erase the rest of a line, erase what is below. */
const home = '\u001b[H';
const endOfLine = '\u001b[K';
const below = '\u001b[J';
/** title, note and help */
const OTHER_LINES = 3;

export function openCanvas({ stderr }: Terminal, measure: Measure): Canvas {
  let shown = false;
  let entered = false;
  /** the lines that `show` drew, unless something else was drawn over them */
  let before: readonly string[] = [];
  let columns = 0;
  const end = (): void => {
    if (entered) stderr.write(exit);
    entered = false;
  };
  // A signal or an unexpected error must not leave a terminal without a cursor.
  process.on('exit', end);
  const width = () => Math.max(20, stderr.columns ?? 80);
  const height = () => Math.max(3, (stderr.rows ?? 24) - OTHER_LINES);
  return {
    width,
    height,
    draw(title, lines, note, help) {
      const room = height();
      const body = Array.from({ length: room }, (_, at) => lines[at] ?? '');
      const text = [title, ...body, note, help]
        .map((line) => `${typeof line === 'string' ? fit(line, width(), measure) : line.drawn}${endOfLine}`)
        .join('\r\n');
      // An editor may have left this screen for the other one.
      stderr.write(`${shown ? '' : enter}${before.length > 0 ? hideCursor : ''}${home}${text}${below}`);
      shown = true;
      entered = true;
      before = [];
    },
    rows: () => stderr.rows ?? 24,
    show(lines, cursor) {
      // A terminal that has another size may have moved what is on it.
      const isNew = !shown || before.length !== lines.length || columns !== width();
      const changed = lines.flatMap((line, row) =>
        isNew || before[row] !== line ? [`${placeOf(row, 0)}${endOfLine}${line}`] : [],
      );
      const ends = cursor === undefined ? hideCursor : `${placeOf(cursor.row, cursor.column)}${showCursor}`;
      const clears = isNew ? `${shown ? '' : enter}${home}${below}` : '';
      stderr.write(`${clears}${changed.length > 0 ? hideCursor : ''}${changed.join('')}${ends}`);
      shown = true;
      entered = true;
      before = lines;
      columns = width();
    },
    leave() {
      before = [];
      if (shown) stderr.write(`${home}${below}${showCursor}`);
      shown = false;
    },
    [Symbol.dispose]() {
      end();
      process.off('exit', end);
    },
  };
}

function placeOf(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

/** A text in lines that are no wider than the screen. */
export function linesWithin(text: string, width: number, measure: Measure): string[] {
  return text
    .split('\n')
    .flatMap((line) => (measure(line) <= width ? [line] : wrapped(line, width, measure)))
    .flatMap((line) => pieces(line, width, measure));
}

/** Cuts a word that is wider than the screen. */
function pieces(line: string, width: number, measure: Measure): string[] {
  if (measure(line) <= width) return [line];
  const found: string[] = [];
  let piece = '';
  for (const { segment: character } of new Intl.Segmenter().segment(line)) {
    if (piece !== '' && measure(piece + character) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}
