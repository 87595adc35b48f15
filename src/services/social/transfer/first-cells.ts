import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { Problem } from '../../../base/problem.ts';

/** Others get a turn after so many bytes: the parser takes milliseconds for them. */
const PIECE = 8 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const MARK = [0xef, 0xbb, 0xbf];

/** Mastodon's title of the first column. */
const TITLE = /^account address$/i;

export interface CsvLine {
  /** where its record begins; counts from 1 */
  readonly line: number;
  /** its first cell, without spaces and quotes around it and the apostrophe of a harmless formula */
  readonly text: string;
}

/**
 * The first cells of all records, without a title and empty ones. Commas and semicolons separate cells. A quote that is not closed is an
 * ordinary character.
 *
 * @param csv text in UTF-8
 * @throws Problem invalid IMPORT_UNREADABLE as soon as there are more records than `most`, empty ones among them
 */
export async function firstCells(csv: Uint8Array, most: number): Promise<CsvLine[]> {
  const bytes = MARK.every((byte, at) => csv[at] === byte) ? csv.subarray(MARK.length) : csv;
  try {
    return await read(bytes, most);
  } catch (error) {
    const end = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED' ? error['bytes'] : undefined;
    if (typeof end !== 'number') throw error;
    // It is the first behind the last cell that ended. A quote that follows something is a character. There is one such quote at most,
    // because all that are behind it come in pairs.
    const at = bytes.indexOf(QUOTE, end);
    return await read(Buffer.concat([bytes.subarray(0, at), Buffer.from(' '), bytes.subarray(at)]), most);
  }
}

async function read(bytes: Uint8Array, most: number): Promise<CsvLine[]> {
  const found: CsvLine[] = [];
  const lineAt = lineCounter(bytes);
  let allowed = most;
  let end = 0;
  const parser = parse({
    delimiter: [',', ';'],
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Called for each record at once. What is returned would wait in the stream, and costs more than all the rest.
    on_record: ([cell = '']: readonly string[], info) => {
      const line = lineAt(afterLineEnds(bytes, end));
      end = info.bytes;
      const text = textOf(cell);
      if (info.records === 1 && TITLE.test(text)) allowed += 1;
      else if (text !== '') found.push({ line, text });
      if (info.records > allowed)
        throw new Problem('invalid', 'IMPORT_UNREADABLE', `The file has more than ${most} lines.`);
    },
  });
  await pipeline(Readable.from(piecesOf(bytes)), parser.resume());
  return found;
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    yield bytes.subarray(at, at + PIECE);
    await nextTurn();
  }
}

function textOf(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .trim()
    .replace(/^'(?=[=+\-@|%])/, '');
}

/** The line at a position, which only grows. The parser counts CR LF inside of quotes twice. */
function lineCounter(bytes: Uint8Array): (position: number) => number {
  let [at, line] = [0, 1];
  return (position) => {
    for (; at < position; at += 1) if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) line += 1;
    return line;
  };
}

function afterLineEnds(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  return at;
}
