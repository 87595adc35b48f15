import { delimiterOf, readHeader, readRows } from './csv-rows.ts';
import type { CsvFile, CsvRow } from './csv-rows.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { ImportRecord } from './record.ts';

/** One record, by the names of its columns (lower case). */
export interface TableRow {
  /** Of the first of `names` that the file has a column for; a cell that is missing is empty. */
  take(...names: string[]): string;
  /** What no `take` asked for and isn't empty, under the names as the file spells them. */
  rest(): { readonly name: string; readonly value: string }[];
  readonly isEmpty: boolean;
}

export interface Table {
  readonly file: CsvFile;
  /** As the file spells them. */
  readonly names: readonly string[];
  /** lower case → where */
  readonly columns: ReadonlyMap<string, number>;
}

/** Of a column, in characters. */
const MAX_NAME_LENGTH = 500;

/** What no name has: it's bytes of something else that happen to have a line. */
const CONTROL_CHARACTER = /[^\P{Cc}\s]/u;

/** Spreadsheets say so in a line before the header. */
const SEPARATOR_LINE = /^sep=[,;\t]\r*\n/i;

/** The names of the columns; undefined where the first line can't be names. */
export function tableOf(whole: CsvFile): Table | undefined {
  const said = SEPARATOR_LINE.exec(whole.bytes.toString('latin1', 0, 10))?.[0].length ?? 0;
  const file = said === 0 ? whole : { ...whole, bytes: whole.bytes.subarray(said) };
  const header = readHeader(file, delimiterOf(file.bytes));
  if (header === undefined) return undefined;
  const names = header.map((name) => name.trim());
  // Names are looked at with every record, and formats have short ones.
  if (names.some((name) => name.length > MAX_NAME_LENGTH || CONTROL_CHARACTER.test(name))) return undefined;
  const columns = new Map<string, number>();
  for (const [at, name] of names.entries()) if (name !== '' && !columns.has(keyOf(name))) columns.set(keyOf(name), at);
  return { file, names, columns };
}

function keyOf(name: string): string {
  return name.toLowerCase();
}

export interface TableRules {
  /** The writer of this format leaves no cell out: a short row is a part of a record that was broken. */
  readonly whole?: boolean;
}

/** @throws Problem where two columns have the same name: one of them would be lost */
export async function readTable(
  { file, names, columns }: Table,
  run: ImportRun,
  map: (row: TableRow, number: number) => ImportRecord | Skip,
  { whole = false }: TableRules = {},
): Promise<void> {
  const least = whole ? names.findLastIndex((name) => name !== '') + 1 : 0;
  if (columns.size < names.filter((name) => name !== '').length) {
    throw notImportable('Two columns have the same name.');
  }
  let isHeader = true;
  const take = (row: CsvRow): void => {
    if (isHeader) {
      isHeader = false;
    } else if ('reason' in row) {
      run.refuse(row.reason);
    } else if (row.cells.length > names.length) {
      run.refuse('It has more cells than there are columns.');
    } else {
      run.add((number) => {
        const cells = rowOf(row.cells, names, columns);
        if (cells.isEmpty) return { skip: 'The line is empty.' };
        if (row.cells.length < least) throw notImportable('It has fewer cells than there are columns.');
        return map(cells, number);
      });
    }
  };
  await readRows(file, delimiterOf(file.bytes), run, take, names.length + 1);
}

function rowOf(cells: readonly string[], names: readonly string[], columns: ReadonlyMap<string, number>): TableRow {
  const taken = new Set<number>();
  return {
    isEmpty: cells.every((cell) => cell.trim() === ''),
    take(...wanted) {
      for (const name of wanted) {
        const at = columns.get(name);
        if (at === undefined) continue;
        taken.add(at);
        return cells[at] ?? '';
      }
      return '';
    },
    rest() {
      return [...cells.entries()]
        .filter(([at, value]) => value !== '' && !taken.has(at))
        .map(([at, value]) => ({ name: names[at] || `column ${at + 1}`, value }));
    },
  };
}
