import { isUtf8 } from 'node:buffer';
import { Problem } from './problem.ts';

/**
 * JSON as text: checks it without building a value, and finds parts of it. Depth and number of values don't matter. As everywhere, an
 * object must not have the same key twice, since parsers disagree on which of the two counts (RFC 8259, section 4).
 */

/** Where a part stands: from `start` (inclusive) to `end` (exclusive). */
interface Part {
  readonly start: number;
  readonly end: number;
}

export interface Members {
  /** the parts that were asked for and found, by their keys */
  readonly found: ReadonlyMap<string, Part>;
  /** the same JSON with `null` in their place */
  readonly rest: Buffer;
}

/** @throws Problem invalid VALIDATION_ERROR unless the bytes are one JSON value in UTF-8 (RFC 8259) */
export function assertJson(bytes: Uint8Array): void {
  const json = decodable(bytes);
  end(json, endOfValue(json, 0));
}

/**
 * Finds members of an object by their keys, and checks all of it. JSON that is no object has none.
 * @param inside the key of an object inside whose members are meant instead
 * @throws Problem invalid VALIDATION_ERROR as `assertJson`
 */
export function membersOf(bytes: Uint8Array, keys: readonly string[], inside?: string): Members {
  const json = decodable(bytes);
  const found = new Map<string, Part>();
  const note = (key: string, at: number): number => {
    const start = afterSpace(json, at);
    const stop = endOfValue(json, start);
    if (keys.includes(key)) found.set(key, { start, end: stop });
    return stop;
  };
  const enter = (key: string, at: number): number =>
    key === inside ? endOfMembers(json, at, note) : endOfValue(json, at);
  end(json, endOfMembers(json, hasMark(json) ? 3 : 0, inside === undefined ? note : enter));
  const pieces: Buffer[] = [];
  let done = 0;
  for (const part of [...found.values()].toSorted((one, other) => one.start - other.start)) {
    pieces.push(json.subarray(done, part.start), Buffer.from('null'));
    done = part.end;
  }
  return { found, rest: Buffer.concat([...pieces, json.subarray(done)]) };
}

function decodable(bytes: Uint8Array): Buffer {
  if (!isUtf8(bytes)) throw notJson();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The byte order mark that some systems write before a text. */
function hasMark(json: Buffer): boolean {
  return json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf;
}

function end(json: Buffer, at: number): void {
  if (afterSpace(json, at) !== json.length) throw notJson();
}

/** The keys of an object. Most objects that are nested very deep have one key, and need no set. */
interface Keys {
  first: string | undefined;
  all: Set<string> | undefined;
}

/** Goes through the members of an object on one level. @param visit gets a key and where its value begins, and answers where it ends */
function endOfMembers(json: Buffer, start: number, visit: (key: string, at: number) => number): number {
  let at = afterSpace(json, start);
  if (json[at] !== 0x7b) return endOfValue(json, at);
  at = afterSpace(json, at + 1);
  if (json[at] === 0x7d) return at + 1;
  const keys: Keys = { first: undefined, all: undefined };
  for (;;) {
    const stop = endOfText(json, at);
    const key = take(keys, json, at, stop);
    at = afterSpace(json, visit(key, afterColon(json, stop)));
    if (json[at] === 0x7d) return at + 1;
    if (json[at] !== 0x2c) throw notJson();
    at = afterSpace(json, at + 1);
  }
}

/** Where a value ends that begins at or after a position. A stack of its own: JSON may be nested deeper than calls can be. */
function endOfValue(json: Buffer, start: number): number {
  /** undefined for a list */
  const open: (Keys | undefined)[] = [];
  let at = start;
  for (;;) {
    at = afterSpace(json, at);
    const first = json[at];
    if (first === 0x7b || first === 0x5b) {
      const keys = first === 0x7b ? { first: undefined, all: undefined } : undefined;
      at = afterSpace(json, at + 1);
      if (json[at] === (first === 0x7b ? 0x7d : 0x5d)) at += 1;
      else {
        open.push(keys);
        if (keys !== undefined) at = afterKey(keys, json, at);
        continue;
      }
    } else at = endOfScalar(json, at);
    for (;;) {
      if (open.length === 0) return at;
      at = afterSpace(json, at);
      const keys = open.at(-1);
      if (json[at] === 0x2c) {
        at = afterSpace(json, at + 1);
        if (keys !== undefined) at = afterKey(keys, json, at);
        break;
      }
      if (json[at] !== (keys === undefined ? 0x5d : 0x7d)) throw notJson();
      open.pop();
      at += 1;
    }
  }
}

function afterKey(keys: Keys, json: Buffer, at: number): number {
  const stop = endOfText(json, at);
  take(keys, json, at, stop);
  return afterColon(json, stop);
}

function take(keys: Keys, json: Buffer, start: number, stop: number): string {
  const key = keyIn(json, start, stop);
  if (keys.first === undefined) keys.first = key;
  else {
    keys.all ??= new Set([keys.first]);
    if (keys.all.size === keys.all.add(key).size) throw repeatedKey();
  }
  return key;
}

/** The decoded key: two spellings of a key are the same key. */
function keyIn(json: Buffer, start: number, stop: number): string {
  const raw = json.toString('latin1', start + 1, stop - 1);
  return /[\\\x80-\xff]/.test(raw) ? (JSON.parse(json.toString('utf8', start, stop)) as string) : raw;
}

function afterColon(json: Buffer, start: number): number {
  const at = afterSpace(json, start);
  if (json[at] !== 0x3a) throw notJson();
  return at + 1;
}

function afterSpace(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && isSpace(json[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endOfScalar(json: Buffer, at: number): number {
  switch (json[at]) {
    case 0x22:
      return endOfText(json, at);
    case 0x74:
      return endOfWord(json, at, 'true');
    case 0x66:
      return endOfWord(json, at, 'false');
    case 0x6e:
      return endOfWord(json, at, 'null');
    default:
      return endOfNumber(json, at);
  }
}

function endOfWord(json: Buffer, at: number, word: string): number {
  if (json.toString('latin1', at, at + word.length) !== word) throw notJson();
  return at + word.length;
}

function endOfText(json: Buffer, start: number): number {
  if (json[start] !== 0x22) throw notJson();
  const { length } = json;
  for (let at = start + 1; at < length; at += 1) {
    const byte = json[at] as number;
    if (byte === 0x22) return at + 1;
    if (byte < 0x20) break;
    if (byte === 0x5c) at = lastOfEscape(json, at);
  }
  throw notJson();
}

function lastOfEscape(json: Buffer, at: number): number {
  const letter = json[at + 1] ?? 0;
  if (letter !== 0x75 /* u */) {
    if (!escaped.has(letter)) throw notJson();
    return at + 1;
  }
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(json[digit] ?? 0)) throw notJson();
  return at + 5;
}

/** What may follow a backslash, beside `u`. */
const escaped: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

function isHex(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function endOfNumber(json: Buffer, start: number): number {
  let at = json[start] === 0x2d ? start + 1 : start;
  at = json[at] === 0x30 ? at + 1 : afterDigits(json, at);
  if (json[at] === 0x2e) at = afterDigits(json, at + 1);
  if (json[at] === 0x65 || json[at] === 0x45) {
    const signed = json[at + 1] === 0x2b || json[at + 1] === 0x2d;
    at = afterDigits(json, at + (signed ? 2 : 1));
  }
  return at;
}

/** @throws Problem if there is no digit */
function afterDigits(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && (json[at] as number) >= 0x30 && (json[at] as number) <= 0x39) at += 1;
  if (at === start) throw notJson();
  return at;
}

function notJson(): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', 'The body is not JSON in UTF-8.');
}

function repeatedKey(): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', 'An object in the body has the same key twice.');
}
