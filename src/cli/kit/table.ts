import { fit, wrapped, type Measure } from './display-width.ts';
import { escapeForTerminal, escapeLinesForTerminal } from './escape-for-terminal.ts';
import type { Screen } from './screen.ts';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row, screen: Screen) => string;
  /** never shortened, for values that people copy */
  readonly whole?: boolean;
  /** the column that identifies a row; shortened only when no other column can be shortened */
  readonly main?: boolean;
  /** omitted on a narrow terminal; files, pipes and --json always have it */
  readonly spare?: boolean;
  /** of lines that are shown as one; in any other value a line end is visible, because it is part of a name */
  readonly prose?: boolean;
}

const gap = '  ';
const narrowest = 6;
/** The least width of a column. The main column is shortened only when all others have this width. */
const narrow = 10;

/** A text with its width. Measuring is most of the cost of a long table. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Rows under a heading, shortened to the width of the terminal. Without a terminal the rows are tab-separated, with no heading. */
export function table<Row>(screen: Screen, rows: readonly Row[], all: readonly Column<Row>[]): string {
  const { width, paint, measure } = screen;
  const texts = rows.map((row) => all.map((column) => cellText(column, column.of(row, screen))));
  if (!Number.isFinite(width)) return texts.map((row) => row.join('\t')).join('\n');
  const cellOf = (text: string): Cell => ({ text, width: measure(text) });
  const cells = texts.map((row) => row.map(cellOf));
  const sizes = naturalSizes(cells, all, measure);
  const isKept = all.map(({ spare = false }) => !spare || lineOf(sizes) <= width);
  const ofKept = <Item>(items: readonly Item[]) => items.filter((_, index) => isKept[index]);
  const widths = shortened(ofKept(sizes), width);
  const line = (row: readonly Cell[]) =>
    ofKept(row)
      .map((cell, index) => filled(cell, widths[index] ?? 0, measure))
      .join(gap)
      .trimEnd();
  return [paint('bold', line(all.map(({ title }) => cellOf(title)))), ...cells.map(line)].join('\n');
}

function cellText({ prose = false }: Pick<Column<never>, 'prose'>, text: string): string {
  return escapeForTerminal(prose ? text.replaceAll(/\s*\r?\n\s*/g, ' ') : text);
}

function filled({ text, width }: Cell, columns: number, measure: Measure): string {
  return width <= columns ? text + ' '.repeat(columns - width) : pad(fit(text, columns, measure), columns, measure);
}

interface Size {
  readonly whole: boolean;
  readonly main: boolean;
  readonly size: number;
}

function naturalSizes<Row>(
  cells: readonly (readonly Cell[])[],
  columns: readonly Column<Row>[],
  measure: Measure,
): Size[] {
  return columns.map(({ title, whole = false, main = false }, index) => ({
    whole,
    main,
    size: cells.reduce((most, row) => Math.max(most, row[index]?.width ?? 0), measure(title)),
  }));
}

/** The number of columns that a line takes. */
function lineOf(sizes: readonly Size[]): number {
  return sizes.reduce((sum, { size }) => sum + size, gap.length * (sizes.length - 1));
}

/** Shortens the widest column by one until the line fits. The main column is shortened after all others. */
function shortened(natural: readonly Size[], width: number): number[] {
  const sizes = natural.map((each) => ({ ...each }));
  for (let excess = lineOf(sizes) - width; excess > 0; excess -= 1) {
    const others = sizes.filter(({ whole, main, size }) => !whole && !main && size > narrow);
    const shrinkable = others.length > 0 ? others : sizes.filter(({ whole, size }) => !whole && size > narrowest);
    const [first, ...rest] = shrinkable;
    if (first === undefined) break;
    const widest = rest.reduce((most, each) => (each.size > most.size ? each : most), first);
    widest.size -= 1;
  }
  return sizes.map(({ size }) => size);
}

/** Values with less room than this are not broken into lines. */
const leastRoom = 20;

/** A name and a value. Line ends of `prose` are shown as such; in any other value a line end is visible, because it is part of a name. */
export type Detail = readonly [name: string, value: string, form?: 'prose'];

/**
 * Names and values, one pair a line. A value of several lines, or one that is too long for the terminal, goes on below itself: without a
 * terminal behind a tab, so that it looks like no other pair.
 */
export function details({ width, paint, measure }: Screen, pairs: readonly Detail[]): string {
  if (!Number.isFinite(width))
    return pairs.map(([name, ...value]) => `${name}\t${escaped(...value).replaceAll('\n', '\n\t')}`).join('\n');
  const longest = Math.max(...pairs.map(([name]) => measure(name)));
  const indent = ' '.repeat(longest + gap.length);
  const room = width - indent.length;
  return pairs
    .map(([name, ...value]) => {
      const lines = escaped(...value)
        .split('\n')
        .flatMap((text) => (room < leastRoom || measure(text) <= room ? [text] : wrapped(text, room, measure)));
      return `${paint('bold', pad(name, longest, measure))}${gap}${lines.join(`\n${indent}`)}`;
    })
    .join('\n');
}

function pad(text: string, columns: number, measure: Measure): string {
  return text + ' '.repeat(Math.max(0, columns - measure(text)));
}

function escaped(value: string, form?: 'prose'): string {
  return form === 'prose' ? escapeLinesForTerminal(value) : escapeForTerminal(value);
}
