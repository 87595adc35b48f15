import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isFromLine, timeInFromLine } from './from-line.ts';
import { filtered, toCrlf, toLf } from './line-ends.ts';
import { unquoteFrom } from './from-quoting.ts';
import { stateOfHead, withoutFlags, type MboxState } from './mbox-flags.ts';

const LF = 10;
/** Bytes of a line that are looked at. A line between messages is shorter. */
const HEAD = 500;
const PIECE = 64 * 1024;
/** Bytes of a message that are searched for its flags. */
const STATE = 64 * 1024;

/** Where a message stands in an mbox: from `start` to before `end`, in bytes. */
export interface MboxPlace {
  readonly start: number;
  readonly end: number;
  /** milliseconds since 1970 */
  readonly receivedAt: number | undefined;
}

/** The messages of an mbox, one after the other. The file can be larger than the memory. */
export async function* messagesInMbox(path: string): AsyncGenerator<MboxPlace> {
  let head = Buffer.alloc(0);
  let lineStart = 0;
  let at = 0;
  /** where the empty line before this line begins; a message begins after one, or at the beginning of the file */
  let gap: number | undefined = 0;
  let begun: Omit<MboxPlace, 'end'> | undefined;
  for await (const piece of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
    for (let from = 0; from < piece.length;) {
      const newline = piece.indexOf(LF, from);
      const until = newline === -1 ? piece.length : newline;
      if (head.length < HEAD && (head.length > 0 || gap !== undefined || until - from < 2))
        head = Buffer.concat([head, piece.subarray(from, Math.min(until, from + HEAD - head.length))]);
      at += until - from;
      from = until;
      if (newline === -1) break;
      at += 1;
      from += 1;
      const line = head.toString('latin1').replace(/\r$/, '');
      const length = at - lineStart;
      if (gap !== undefined && isFromLine(line)) {
        if (begun !== undefined) yield { ...begun, end: gap };
        begun = { start: at, receivedAt: timeInFromLine(line) };
        gap = undefined;
      } else gap = length <= 2 && line === '' ? lineStart : undefined;
      lineStart = at;
      head = Buffer.alloc(0);
    }
  }
  if (begun !== undefined) yield { ...begun, end: gap !== undefined && lineStart === at ? gap : at };
}

/** A message of an mbox as it was before it came into the file, with CRLF. */
export function messageInMbox(path: string, { start, end }: MboxPlace): AsyncIterable<Uint8Array> {
  return filtered(bytesOf(path, start, end), toLf(), withoutFlags(), unquoteFrom(), toCrlf());
}

/** The flags of a message of an mbox. */
export async function stateInMbox(path: string, { start, end }: MboxPlace): Promise<MboxState> {
  await using file = await open(path);
  const size = Math.min(end - start, STATE);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, start);
  return stateOfHead(buffer.toString('latin1', 0, bytesRead));
}

async function* bytesOf(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (end > start)
    yield* createReadStream(path, { start, end: end - 1, highWaterMark: PIECE }) as AsyncIterable<Buffer>;
}
