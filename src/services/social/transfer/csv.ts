/** RFC 4180. Spreadsheets take a text for a formula by its first character. */
export function csvCell(text: string): string {
  const harmless = /^\s*[=+\-@|%\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export interface CsvLine {
  /** counts from 1 */
  readonly line: number;
  /** its first cell, without spaces around it and the apostrophe of a harmless formula */
  readonly text: string;
}

/** The first cells of all records that are not empty. A quote that is not closed ends at the end of its line. */
export function firstCells(csv: string): CsvLine[] {
  const found: CsvLine[] = [];
  let at = csv.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  while (at < csv.length) {
    const record = recordAt(csv, at);
    const text = record.first.trim().replace(/^'(?=[=+\-@|%])/, '');
    if (text !== '') found.push({ line, text });
    line += record.lines;
    at = record.end;
  }
  return found;
}

interface CsvRecord {
  readonly first: string;
  /** behind the line end */
  readonly end: number;
  readonly lines: number;
}

function recordAt(csv: string, start: number): CsvRecord {
  let first: string | undefined;
  let lines = 1;
  for (let at = start; ;) {
    const closed = csv[at] === '"' ? closingQuote(csv, at + 1) : -1;
    if (closed >= 0) {
      const cell = csv.slice(at + 1, closed).replaceAll('""', '"');
      lines += cell.split('\n').length - 1;
      first ??= cell;
    }
    const end = endOfCell(csv, closed >= 0 ? closed + 1 : at);
    first ??= csv.slice(at, end);
    if (csv[end] !== ',' && csv[end] !== ';') {
      const isPair = csv[end] === '\r' && csv[end + 1] === '\n';
      return { first, end: end + (isPair ? 2 : 1), lines };
    }
    at = end + 1;
  }
}

/** The first quote that is not doubled; -1 without one. */
function closingQuote(csv: string, from: number): number {
  let at = csv.indexOf('"', from);
  while (at >= 0 && csv[at + 1] === '"') at = csv.indexOf('"', at + 2);
  return at;
}

function endOfCell(csv: string, from: number): number {
  let at = from;
  while (at < csv.length && !',;\r\n'.includes(csv[at] as string)) at += 1;
  return at;
}
