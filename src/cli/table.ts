import { displayWidth, fit } from './display-width.ts';
import { harmless } from './harmless.ts';
import type { Screen } from './screen.ts';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** never shortened, for what must be copied whole */
  readonly whole?: boolean;
}

const gap = '  ';
const narrowest = 6;

/** A text and the columns that it takes: finding that out is most of what a long table costs. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Rows under a heading, shortened to the width of the terminal; tab-separated and without heading where there is none. */
export function table<Row>({ width, paint }: Screen, rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const texts = rows.map((row) => columns.map((column) => harmless(column.of(row))));
  if (!Number.isFinite(width)) return texts.map((row) => row.join('\t')).join('\n');
  const cells = texts.map((row) => row.map(cellOf));
  const widths = columnWidths(cells, columns, width);
  const line = (row: readonly Cell[]) =>
    row
      .map((cell, index) => filled(cell, widths[index] ?? 0))
      .join(gap)
      .trimEnd();
  return [paint('bold', line(columns.map(({ title }) => cellOf(title)))), ...cells.map(line)].join('\n');
}

function cellOf(text: string): Cell {
  return { text, width: displayWidth(text) };
}

function filled({ text, width }: Cell, columns: number): string {
  return width <= columns ? text + ' '.repeat(columns - width) : pad(fit(text, columns), columns);
}

/** The natural width of each, with the widest shortened, one column at a time, until the line fits. */
function columnWidths<Row>(cells: readonly Cell[][], columns: readonly Column<Row>[], width: number): number[] {
  const sizes = columns.map(({ title, whole = false }, index) => ({
    whole,
    size: cells.reduce((most, row) => Math.max(most, row[index]?.width ?? 0), displayWidth(title)),
  }));
  const room = width - gap.length * (columns.length - 1);
  let excess = sizes.reduce((sum, { size }) => sum + size, 0) - room;
  while (excess > 0) {
    const shrinkable = sizes.filter(({ whole, size }) => !whole && size > narrowest);
    const [first, ...rest] = shrinkable;
    if (first === undefined) break;
    const widest = rest.reduce((most, each) => (each.size > most.size ? each : most), first);
    widest.size -= 1;
    excess -= 1;
  }
  return sizes.map(({ size }) => size);
}

/** Names and values, one pair a line. */
export function facts({ width, paint }: Screen, pairs: readonly (readonly [name: string, value: string])[]): string {
  if (!Number.isFinite(width)) return pairs.map(([name, value]) => `${name}\t${harmless(value)}`).join('\n');
  const longest = Math.max(...pairs.map(([name]) => displayWidth(name)));
  return pairs.map(([name, value]) => `${paint('bold', pad(name, longest))}${gap}${harmless(value)}`).join('\n');
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}
