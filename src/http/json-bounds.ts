import { Problem } from '../base/problem.ts';

/** More levels than any operation takes. The deepest input, an access list, has six. */
export const MAX_DEPTH = 32;
/** Counts members of objects, items of lists, and the lists and objects themselves. */
export const MAX_VALUES = 50_000;

/** The position of a text in the bytes, without its quotes: from `start` (inclusive) to `end` (exclusive). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** From this length on, a text is worth reporting. */
const LONG_TEXT = 64 * 1024;

/**
 * Scans JSON once, before anything is built from it. It refuses too many levels, too many values, and an object that has a key twice.
 * Parsers disagree on which of two equal keys counts (RFC 8259, section 4), so a proxy in front could have checked the other one.
 *
 * Invalid JSON may pass: the parser refuses it later, and reads nothing that this scan hasn't seen.
 *
 * @param bytes JSON in UTF-8
 * @returns the long texts that aren't keys
 * @throws Problem invalid VALIDATION_ERROR
 */
export function checkBounds(bytes: Buffer): TextRange[] {
  const long: TextRange[] = [];
  const open: (Set<string> | undefined)[] = [];
  let values = 0;
  let keyNext = false;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at] ?? 0) {
      case 0x22 /* " */: {
        const start = at + 1;
        at = endOfText(bytes, start);
        const keys = open.at(-1);
        if (keyNext && keys !== undefined) {
          const key = keyIn(bytes, start, at);
          if (keys.has(key)) throw refused('An object in the body has the same key twice.');
          keys.add(key);
          keyNext = false;
        } else if (at - start >= LONG_TEXT) long.push({ start, end: at });
        break;
      }
      case 0x7b /* { */:
      case 0x5b /* [ */:
        if (open.length === MAX_DEPTH) throw refused(`The body is nested more than ${MAX_DEPTH} levels deep.`);
        keyNext = bytes[at] === 0x7b;
        open.push(keyNext ? new Set() : undefined);
        values = counted(values);
        break;
      case 0x7d /* } */:
      case 0x5d /* ] */:
        open.pop();
        keyNext = false;
        break;
      case 0x2c /* , */:
        keyNext = open.at(-1) !== undefined;
        values = counted(values);
        break;
    }
  }
  return long;
}

function counted(values: number): number {
  if (values === MAX_VALUES) throw refused(`The body has more than ${MAX_VALUES} values.`);
  return values + 1;
}

/**
 * The position of the quote that ends a text, or the length of the bytes if there is none. Most texts are short, so the search begins byte
 * by byte. Then it goes from quote to quote, as fast as memory is read. Where quotes are dense, it goes byte by byte in longer pieces.
 */
function endOfText(bytes: Buffer, start: number): number {
  let piece = 64;
  for (let at = start; ;) {
    const pieceEnd = Math.min(at + piece, bytes.length);
    while (at < pieceEnd) {
      if (bytes[at] === 0x22) return at;
      at += bytes[at] === 0x5c ? 2 : 1;
    }
    const quote = at < bytes.length ? bytes.indexOf(0x22, at) : -1;
    if (quote < 0) return bytes.length;
    // No escape reaches past `at`, where the search for this quote began. So the backslashes from there on decide.
    let before = quote;
    while (before > at && bytes[before - 1] === 0x5c) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
    if (quote - at < piece) piece = Math.min(2 * piece, LONG_TEXT);
    at = quote + 1;
  }
}

/** The decoded key: two spellings of a key are the same key. */
function keyIn(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('latin1', start, end);
  if (!/[\\\x80-\xff]/.test(raw)) return raw;
  try {
    return JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string;
  } catch {
    return raw;
  }
}

function refused(message: string): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', message);
}
