import { isUtf8 } from 'node:buffer';
import { MAX_FIELD_LENGTH } from './draft.ts';
import type { ImportRun } from './import-run.ts';

/**
 * Reads CSV (RFC 4180) exactly: no cell is trimmed, decoded or converted to a number, and a wrong quote affects only one record. General
 * parsers reject the whole file then, or guess, and quote the content in their messages.
 */
export type CsvRow =
  | { readonly cells: readonly string[] }
  /** The reason why the record can't be read. */
  | { readonly reason: string };

export interface CsvFile {
  /** Without a byte order mark. */
  readonly bytes: Buffer;
  /** Whether all of it is valid UTF-8. If not, each cell is checked. */
  readonly valid: boolean;
}

export type Delimiter = ',' | ';' | '\t';

/** The formats have up to 141 columns. */
const MAX_CELLS = 10_000;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Passes on each record, header first. Lines end in LF, CRLF, CR, or CR CR LF, which old LastPass exports have. Empty lines are skipped. An
 * unclosed quote takes the rest of the file as one unreadable record.
 *
 * @param wanted number of cells for each record; surplus cells are dropped, so a record has at most one cell more than there are columns
 */
export async function readRows(
  file: CsvFile,
  delimiter: Delimiter,
  run: Pick<ImportRun, 'spend' | 'reached'>,
  take: (row: CsvRow) => void,
  wanted = MAX_CELLS,
): Promise<void> {
  const { length } = file.bytes;
  for (let at = afterLineEnds(file.bytes, 0); at < length;) {
    const { row, end } = rowAt(file, at, delimiter, wanted);
    take(row);
    const next = afterLineEnds(file.bytes, end);
    run.reached(next, length);
    const turn = run.spend(200 + 2 * (next - at));
    if (turn) await turn;
    at = next;
  }
}

/** The cells of the first record; undefined if there is none, or if it can't be read. */
export function readHeader(file: CsvFile, delimiter: Delimiter): readonly string[] | undefined {
  const at = afterLineEnds(file.bytes, 0);
  if (at >= file.bytes.length) return undefined;
  const { row } = rowAt(file, at, delimiter, MAX_CELLS);
  return 'cells' in row ? row.cells : undefined;
}

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];
/** The header of 141 columns has some 4 KiB. */
const HEADER_BYTES = 16 * 1024;

/** The separator that occurs most in the first line outside of quotes: spreadsheets of many countries write semicolons. */
export function delimiterOf(bytes: Buffer): Delimiter {
  const counts = new Map<string, number>();
  let quoted = false;
  for (const char of bytes.toString('latin1', 0, HEADER_BYTES)) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\r' || char === '\n')) {
      if (counts.size > 0) break;
    } else if (!quoted) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  const count = (delimiter: Delimiter): number => counts.get(delimiter) ?? 0;
  return DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

function rowAt(file: CsvFile, start: number, delimiter: Delimiter, wanted: number): { row: CsvRow; end: number } {
  const { bytes } = file;
  const separator = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let reason: string | undefined;
  let at = start;
  for (;;) {
    const isQuoted = bytes[at] === QUOTE;
    const isSurplus = cells.length >= wanted;
    const unquotedEnd = isSurplus ? surplusEnd : cellEnd;
    const end = isQuoted ? closingQuote(bytes, at + 1) : unquotedEnd(bytes, at, separator);
    if (end < 0) {
      return {
        row: { reason: 'A quote is not closed. The rest of the file could not be read.' },
        end: bytes.length,
      };
    }
    const next = isQuoted ? end + 1 : end;
    if (next < bytes.length && bytes[next] !== separator && bytes[next] !== LF && bytes[next] !== CR) {
      return { row: { reason: 'Its quotes do not match.' }, end: lineEnd(bytes, next) };
    }
    if (cells.length === MAX_CELLS) reason = 'It has more cells than any format has columns.';
    else if (end - at > 4 * MAX_FIELD_LENGTH) reason = 'One of its fields is longer than 1 MB.';
    else if (!isSurplus) reason ??= addCell(cells, file, isQuoted ? at + 1 : at, end, isQuoted);
    at = next;
    if (bytes[at] !== separator) return { row: reason === undefined ? { cells } : { reason }, end: at };
    at += 1;
  }
}

/** @returns the problem with the cell */
function addCell(
  cells: string[],
  { bytes, valid }: CsvFile,
  start: number,
  end: number,
  isQuoted: boolean,
): string | undefined {
  if (!valid && !isUtf8(bytes.subarray(start, end))) return 'It is not UTF-8.';
  const text = start === end ? '' : bytes.toString('utf8', start, end);
  cells.push(isQuoted && text.includes('"') ? text.replaceAll('""', '"') : text);
  return undefined;
}

/** The first quote that isn't doubled; -1 if there is none. */
function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at >= 0 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
}

function cellEnd(bytes: Buffer, from: number, separator: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === separator || byte === LF || byte === CR) break;
  }
  return at;
}

/** Like `cellEnd`, for all surplus cells: the end of the line, or the start of a quoted cell. */
function surplusEnd(bytes: Buffer, from: number, separator: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || byte === CR || (byte === separator && bytes[at + 1] === QUOTE)) break;
  }
  return at;
}

function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

function afterLineEnds(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  return at;
}
