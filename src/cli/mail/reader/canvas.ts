import { fit, wrapped, type Measure } from '../../kit/display-width.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** A screen of its own, which leaves nothing behind on the terminal. */
export interface Canvas extends Disposable {
  readonly width: () => number;
  /** lines between the title and the help */
  readonly height: () => number;
  /** @param lines without control characters */
  draw(title: string, lines: readonly string[], note: string, help: string): void;
  /** shows the terminal as it was, for questions and editors, until something is drawn again */
  leave(): void;
}

/** xterm: another screen buffer, and a cursor that is not shown. */
const enter = '\u001b[?1049h\u001b[?25l';
const exit = '\u001b[?25h\u001b[?1049l';
/** ECMA-48: to the first column of the first line, erase the rest of a line, erase what is below. */
const home = '\u001b[H';
const endOfLine = '\u001b[K';
const below = '\u001b[J';
/** title, note and help */
const OTHER_LINES = 3;

export function openCanvas({ stderr }: Terminal, measure: Measure): Canvas {
  let shown = false;
  const leave = (): void => {
    if (shown) stderr.write(exit);
    shown = false;
  };
  // A signal or an unexpected error must not leave a terminal without a cursor.
  process.on('exit', leave);
  const width = () => Math.max(20, stderr.columns ?? 80);
  const height = () => Math.max(3, (stderr.rows ?? 24) - OTHER_LINES);
  return {
    width,
    height,
    draw(title, lines, note, help) {
      const room = height();
      const body = Array.from({ length: room }, (_, at) => lines[at] ?? '');
      const text = [title, ...body, note, help]
        .map((line) => `${fit(line, width(), measure)}${endOfLine}`)
        .join('\r\n');
      stderr.write(`${shown ? '' : enter}${home}${text}${below}`);
      shown = true;
    },
    leave,
    [Symbol.dispose]() {
      leave();
      process.off('exit', leave);
    },
  };
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
  for (const character of line) {
    if (measure(piece + character) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}
