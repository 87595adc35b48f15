import { isUtf8 } from 'node:buffer';
import { notImportable } from './import-run.ts';
import type { Slice } from './json-slices.ts';
import type { Json } from './json-values.ts';

const MAX_DEPTH = 64;
/** A record has some dozens. Building 100,000 takes 30 ms. */
const MAX_TOKENS = 100_000;

const BACKSLASH = 0x5c;

/**
 * Parses the value. Numbers stay as the text in the file, because a password of digits must not become 1e21, and a long number must keep
 * all its digits.
 *
 * @throws Problem if it is broken, or larger than a record can be
 */
export function parseSlice(slice: Slice): Json {
  if (!slice.complete) throw notImportable('The file ends too early or is damaged here.');
  if (slice.depth > MAX_DEPTH) throw notImportable(`It is nested more than ${MAX_DEPTH} levels deep.`);
  if (slice.tokens > MAX_TOKENS) throw notImportable('It has more fields than a record can have.');
  const bytes = slice.bytes.subarray(slice.start, slice.end);
  if (!isUtf8(bytes)) throw notImportable('It is not UTF-8.');
  try {
    return numbersAsText(bytes.toString('utf8'));
  } catch {
    // The parser's message quotes the text, so it isn't kept even as the cause.
    throw notImportable('It is not well-formed JSON.');
  }
}

/** Like `parseSlice`, but undefined for an unreadable value. */
export function parseSliceOr(slice: Slice | undefined): Json | undefined {
  try {
    return slice && parseSlice(slice);
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError, whose message quotes the text */
export function numbersAsText(json: string): Json {
  return JSON.parse(quoteNumbers(json)) as Json;
}

function quoteNumbers(text: string): string {
  let quoted = '';
  let copied = 0;
  const interesting = /["\d-]/g;
  for (let match = interesting.exec(text); match !== null; match = interesting.exec(text)) {
    const at = match.index;
    if (text[at] === '"') {
      interesting.lastIndex = afterStringIn(text, at);
      continue;
    }
    let end = at + 1;
    while (end < text.length && /[\d.eE+-]/.test(text.charAt(end))) end += 1;
    quoted += `${text.slice(copied, at)}"${text.slice(at, end)}"`;
    copied = end;
    interesting.lastIndex = end;
  }
  return copied === 0 ? text : quoted + text.slice(copied);
}

function afterStringIn(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let before = close;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
  return text.length;
}
