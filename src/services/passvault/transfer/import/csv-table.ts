import { delimiterOf, readHeader, readRows } from './csv-rows.ts';
import type { CsvFile, CsvRow } from './csv-rows.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { ImportRecord } from './record.ts';

/** One record by column names (lower case). */
export interface TableRow {
  /** The cell of the first of `names` that is a column of the file; empty if the cell is missing. */
  take(...names: string[]): string;
  /** All cells that were not taken and aren't empty, with the column names as in the file. */
  rest(): { readonly name: string; readonly value: string }[];
  readonly isEmpty: boolean;
}

export interface Table {
  readonly file: CsvFile;
  /** Column names as in the file. */
  readonly names: readonly string[];
  /** lower-case name → index of the column */
  readonly columns: ReadonlyMap<string, number>;
}

/** Limit for a column name, in characters. */
const MAX_NAME_LENGTH = 500;

/** Characters that no column name has. They mean that the file is something else. */
const CONTROL_CHARACTER = /[^\P{Cc}\s]/u;

/** Spreadsheets write their separator in a line before the header. */
const SEPARATOR_LINE = /^sep=[,;\t]\r*\n/i;

/** The table with its column names; undefined if the first line can't be column names. */
export function tableOf(whole: CsvFile): Table | undefined {
  const said = SEPARATOR_LINE.exec(whole.bytes.toString('latin1', 0, 10))?.[0].length ?? 0;
  const file = said === 0 ? whole : { ...whole, bytes: whole.bytes.subarray(said) };
  const header = readHeader(file, delimiterOf(file.bytes));
  if (header === undefined) return undefined;
  const names = header.map((name) => name.trim());
  // Column names are read again with every record. The formats have short ones.
  if (names.some((name) => name.length > MAX_NAME_LENGTH || CONTROL_CHARACTER.test(name))) return undefined;
  const columns = new Map<string, number>();
  for (const [at, name] of names.entries()) if (name !== '' && !columns.has(keyOf(name))) columns.set(keyOf(name), at);
  return { file, names, columns };
}

function keyOf(name: string): string {
  return name.toLowerCase();
}

export interface TableRules {
  /** This format always has all cells. A short row is part of a broken record. */
  readonly whole?: boolean;
}

/** @throws Problem if two columns have the same name, because one of them would be lost */
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
