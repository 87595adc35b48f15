import { isUtf8 } from 'node:buffer';

/** Lines of iCalendar as they are in bytes: ended by LF, CR or CRLF, and folded at any byte, also inside of a letter. */
export interface Line {
  /** where its first byte is */
  readonly start: number;
  /** where its last one is, plus 1, without the line end */
  readonly end: number;
  /** number of its first line in the file, from 1 */
  readonly number: number;
  /** whether it was folded, so that it has line ends inside */
  readonly folded: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Each logical line that is not empty, in time proportional to the bytes. @param number of the line at which `start` is */
export function* linesOf(bytes: Uint8Array, start = 0, end = bytes.length, number = 1): Generator<Line> {
  let at = start;
  let line = number;
  while (at < end) {
    const begin = at;
    const first = line;
    let last = at;
    let folded = false;
    for (;;) {
      last = endOfLine(bytes, at, end);
      at = nextLine(bytes, last, end);
      line += 1;
      const next = bytes[at];
      const continues = at < end && (next === SPACE || next === TAB) && last > begin;
      if (!continues && !(at < end && isSoftBreak(bytes, begin, last))) break;
      folded = true;
    }
    if (last > begin) yield { start: begin, end: last, number: first, folded };
  }
}

function endOfLine(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) break;
    at += 1;
  }
  return at;
}

function nextLine(bytes: Uint8Array, end: number, most: number): number {
  if (end >= most) return most;
  return bytes[end] === CR && bytes[end + 1] === LF && end + 1 < most ? end + 2 : end + 1;
}

/** In vCalendar 1.0 a quoted-printable value goes on after `=` at the end of a line. */
function isSoftBreak(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[end - 1] !== EQUALS) return false;
  return /^[^:]*quoted-printable/i.test(latin1(bytes, start, Math.min(end, start + 200)));
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/** What a line begins with, as far as `most` bytes: its name, or BEGIN and of what. */
export function headOf(bytes: Uint8Array, { start, end, folded }: Line, most = 100): string {
  // Folds take up to three bytes of those that are read.
  const head = latin1(bytes, start, Math.min(end, start + most * (folded ? 4 : 1)));
  return folded ? head.replaceAll(/(?:\r\n?|\n)[ \t]/g, '').slice(0, most) : head;
}

/** The line without its folds and without control characters, which may not be there. What is not UTF-8 is windows-1252. */
export function unfolded(
  bytes: Uint8Array,
  { start, end, folded }: Line,
): { readonly text: string; readonly utf8: boolean } {
  let line = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  if (folded) line = Buffer.from(withoutFolds(line.toString('latin1')), 'latin1');
  const utf8 = isUtf8(line);
  const text = utf8 ? line.toString() : new TextDecoder('windows-1252').decode(line);
  return { text: plain(text), utf8 };
}

function withoutFolds(line: string): string {
  const soft = /^[^:]*quoted-printable/i.test(line.slice(0, 200));
  return soft ? line.replaceAll(/=(?:\r\n?|\n)|(?:\r\n?|\n)[ \t]/g, '') : line.replaceAll(/(?:\r\n?|\n)[ \t]/g, '');
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- dropping control characters is the purpose
  return text.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, '');
}
