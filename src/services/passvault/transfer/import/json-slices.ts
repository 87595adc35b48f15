import type { ImportRun } from './import-run.ts';
import { MAX_IMPORT_RECORDS, notImportable } from './import-run.ts';

/**
 * Reads large JSON a piece at a time: where the members of an object and the elements of a list stand is found without
 * building them, so that one that is broken costs no other, and none is large or deep enough to block the process.
 */
export interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** How many brackets are open at once in it. */
  readonly depth: number;
  /** Of brackets, commas and colons. */
  readonly tokens: number;
  /** False when the file ends in the middle of it. */
  readonly complete: boolean;
  /** What was found on the way of large values inside of it, by where they start: none is gone through once more. */
  readonly known: Map<number, Slice>;
}

/** Of an object that holds records; the formats have some twenty. */
const MAX_MEMBERS = 10_000;
/** How far a scan goes before others get a turn. */
const STRETCH = 256 * 1024;
/** Smaller values are gone through again when they are wanted: that costs less than to remember all of them. */
const LARGE = 4096;
/** The formats have their records at the seventh level. */
const REMEMBERED_LEVELS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

type Pace = Pick<ImportRun, 'spend' | 'notice'>;

/** Of files that end between two records, or where something else stands: what follows isn't known to be there. */
const DAMAGED = 'The file ends too early or is damaged. Records may be missing.';

/** The one value that the file is. */
export async function rootSlice(bytes: Buffer, pace: Pace): Promise<Slice> {
  return await sliceAt(bytes, skipSpace(bytes, 0), pace, new Map());
}

/** The values of an object by their names, the last where a name is repeated; undefined when it is no object. */
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

/** The elements of a list, the last perhaps incomplete; undefined when it is no list. */
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
  // A last record that is cut off is an error of its own.
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
  // What is still open ends with the file.
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

/** A bracket that is open, and the deepest level inside of it so far. */
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
  /** The outermost ones. */
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

/** Leaves the innermost of the levels that are remembered; `scan.at` is where it ends. */
function leave(bytes: Buffer, { at: end, tokens, open, known }: Scan, complete: boolean): void {
  const level = open.pop();
  if (level === undefined) return;
  const around = open.at(-1);
  if (around && level.deepest > around.deepest) around.deepest = level.deepest;
  if (end - level.start < LARGE) return;
  const depth = level.deepest - open.length;
  known.set(level.start, { bytes, start: level.start, end, depth, tokens: tokens - level.tokens, complete, known });
}

/** Goes on to the end of the value or to `limit`, a little past it where a string is longer. */
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
      if (scan.depth === 0) return; // it ends what is around it
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
