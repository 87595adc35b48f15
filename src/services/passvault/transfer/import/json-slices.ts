import type { ImportRun } from './import-run.ts';
import { MAX_IMPORT_RECORDS, notImportable } from './import-run.ts';

/**
 * Reads large JSON in pieces. It finds the positions of object members and list elements without building them. So a broken record doesn't
 * affect the others, and no value is large or deep enough to block the process.
 */
export interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Greatest number of nested brackets in it. */
  readonly depth: number;
  /** Number of brackets, commas and colons. */
  readonly tokens: number;
  /** False when the file ends in the middle of it. */
  readonly complete: boolean;
  /** Slices of large inner values that the scan has found, by their start, so that none is scanned twice. */
  readonly known: Map<number, Slice>;
}

/** Limit for an object that holds records; the formats have some twenty members. */
const MAX_MEMBERS = 10_000;
/** Bytes that a scan covers before other work gets a turn. */
const STRETCH = 256 * 1024;
/** Smaller values are scanned again when they are needed: that costs less than remembering all of them. */
const LARGE = 4096;
/** The formats have their records at the seventh level. */
const REMEMBERED_LEVELS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

type Pace = Pick<ImportRun, 'spend' | 'notice'>;

/** For files that end between two records, or have something unexpected there. Further records may be missing. */
const DAMAGED = 'The file ends too early or is damaged. Records may be missing.';

/** The single value of the file. */
export async function rootSlice(bytes: Buffer, pace: Pace): Promise<Slice> {
  return await sliceAt(bytes, skipSpace(bytes, 0), pace, new Map());
}

/** The values of an object by name; the last one if a name is repeated. Undefined if it isn't an object. */
export async function members(object: Slice, pace: Pace): Promise<Map<string, Slice> | undefined> {
  const { bytes } = object;
  if (bytes[object.start] !== 0x7b /* { */) return undefined;
  const found = new Map<string, Slice>();
  let at = skipSpace(bytes, object.start + 1);
  while (at < object.end && bytes[at] === QUOTE) {
    const keyEnd = afterString(bytes, at);
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== 0x3a /* : */) {
      at = colon;
      break;
    }
    const value = await sliceAt(bytes, skipSpace(bytes, colon + 1), pace, object.known);
    found.set(nameAt(bytes, at, keyEnd), value);
    if (found.size > MAX_MEMBERS) throw notImportable('The format of the file is not known.');
    const next = skipSpace(bytes, value.end);
    at = next;
    if (bytes[next] !== 0x2c /* , */) break;
    at = skipSpace(bytes, next + 1);
  }
  if (bytes[at] !== 0x7d /* } */) pace.notice(DAMAGED);
  return found;
}

/** The elements of a list; the last one may be incomplete. Undefined if it isn't a list. */
export async function elements(list: Slice | undefined, pace: Pace): Promise<Slice[] | undefined> {
  if (list?.bytes[list.start] !== 0x5b /* [ */) return undefined;
  const { bytes } = list;
  const found: Slice[] = [];
  let at = skipSpace(bytes, list.start + 1);
  let reported = false;
  while (at < list.end && bytes[at] !== 0x5d /* ] */) {
    const value = await sliceAt(bytes, at, pace, list.known);
    if (value.end === at) {
      found.push({ ...value, end: list.end, complete: false });
      reported = true;
      break;
    }
    found.push(value);
    reported = !value.complete;
    if (found.length > MAX_IMPORT_RECORDS) {
      throw notImportable(`The file has more than ${MAX_IMPORT_RECORDS} records.`);
    }
    const next = skipSpace(bytes, value.end);
    if (next < list.end && bytes[next] !== 0x2c /* , */ && bytes[next] !== 0x5d /* ] */) {
      found.push({ ...value, start: next, end: list.end, complete: false });
      reported = true;
      break;
    }
    at = bytes[next] === 0x2c ? skipSpace(bytes, next + 1) : next;
  }
  // A last record that is cut off is reported as its own error.
  if (!reported && bytes[at] !== 0x5d) pace.notice(DAMAGED);
  return found;
}

function afterString(bytes: Buffer, open: number): number {
  for (let close = bytes.indexOf(QUOTE, open + 1); close >= 0; close = bytes.indexOf(QUOTE, close + 1)) {
    let before = close;
    while (bytes[before - 1] === BACKSLASH) before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
  return bytes.length;
}

function nameAt(bytes: Buffer, start: number, end: number): string {
  try {
    return String(JSON.parse(bytes.toString('utf8', start, end)));
  } catch {
    return '';
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at])
    at += 1;
  return at;
}

async function sliceAt(bytes: Buffer, start: number, pace: Pace, known: Map<number, Slice>): Promise<Slice> {
  const before = known.get(start);
  if (before !== undefined) return before;
  const scan: Scan = { at: start, depth: 0, deepest: 0, tokens: 0, done: false, open: [], known };
  while (!scan.done && scan.at < bytes.length) {
    const from = scan.at;
    advance(bytes, scan, Math.min(bytes.length, from + STRETCH));
    const turn = pace.spend(scan.at - from);
    if (turn) await turn;
  }
  // Values that are still open end at the end of the file.
  while (scan.open.length > 0) leave(bytes, scan, false);
  return {
    bytes,
    start,
    end: scan.at,
    depth: scan.deepest,
    tokens: scan.tokens,
    complete: scan.done || (scan.depth === 0 && scan.at > start),
    known,
  };
}

/** An open bracket, and the deepest level inside it so far. */
interface Level {
  readonly start: number;
  readonly tokens: number;
  deepest: number;
}

interface Scan {
  at: number;
  depth: number;
  deepest: number;
  tokens: number;
  done: boolean;
  /** The outermost open brackets. */
  readonly open: Level[];
  readonly known: Map<number, Slice>;
}

function enter(scan: Scan): void {
  scan.depth += 1;
  if (scan.depth <= REMEMBERED_LEVELS) scan.open.push({ start: scan.at, tokens: scan.tokens, deepest: scan.depth });
  const innermost = scan.open.at(-1);
  if (innermost && scan.depth > innermost.deepest) innermost.deepest = scan.depth;
  if (scan.depth > scan.deepest) scan.deepest = scan.depth;
  scan.tokens += 1;
  scan.at += 1;
}

/** Closes the innermost remembered level; `scan.at` is its end. */
function leave(bytes: Buffer, { at: end, tokens, open, known }: Scan, complete: boolean): void {
  const level = open.pop();
  if (level === undefined) return;
  const around = open.at(-1);
  if (around && level.deepest > around.deepest) around.deepest = level.deepest;
  if (end - level.start < LARGE) return;
  const depth = level.deepest - open.length;
  known.set(level.start, { bytes, start: level.start, end, depth, tokens: tokens - level.tokens, complete, known });
}

/** Scans to the end of the value or to `limit`. A long string may extend a little beyond `limit`. */
function advance(bytes: Buffer, scan: Scan, limit: number): void {
  while (scan.at < limit) {
    const byte = bytes[scan.at] as number;
    if (byte === QUOTE) {
      const end = afterString(bytes, scan.at);
      scan.at = end;
      scan.done = scan.depth === 0;
    } else if (byte === 0x7b || byte === 0x5b) {
      enter(scan);
    } else if (byte === 0x7d || byte === 0x5d) {
      scan.done = scan.depth <= 1;
      if (scan.depth === 0) return; // this bracket closes the surrounding value
      scan.at += 1;
      if (scan.depth === scan.open.length) leave(bytes, scan, true);
      scan.depth -= 1;
    } else if (byte === 0x2c || byte === 0x3a) {
      scan.done = scan.depth === 0;
      if (scan.done) return;
      scan.tokens += 1;
      scan.at += 1;
    } else {
      scan.at += 1;
    }
    if (scan.done) return;
  }
}
