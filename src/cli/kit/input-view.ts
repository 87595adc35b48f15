import type { Measure } from './display-width.ts';
import { escapeForTerminal } from './escape-for-terminal.ts';
import { charactersOf, type Line } from './line.ts';

/** The line to write in, as it stands on the screen. */
export interface InputView {
  readonly lines: readonly string[];
  /** where the person writes, from 0 on */
  readonly row: number;
  readonly column: number;
}

const PROMPT = '> ';
const MORE = '  ';

/** Breaks a text where the screen ends, between what readers see as characters. @param most lines; those around the cursor are shown */
export function inputView({ text, at }: Line, width: number, most: number, measure: Measure): InputView {
  const room = width - PROMPT.length;
  const rows: string[] = [''];
  let column = 0;
  let cursor: { readonly row: number; readonly column: number } | undefined;
  const breakRow = (): void => {
    rows.push('');
    column = 0;
  };
  for (const { segment, index } of charactersOf(text)) {
    if (segment === '\n') {
      if (index >= at) cursor ??= { row: rows.length - 1, column };
      breakRow();
      continue;
    }
    const shown = escapeForTerminal(segment);
    const columns = measure(shown);
    if (column > 0 && column + columns > room) breakRow();
    if (index >= at) cursor ??= { row: rows.length - 1, column };
    rows[rows.length - 1] += shown;
    column += columns;
  }
  if (cursor === undefined && column >= room) breakRow();
  const { row, column: place } = cursor ?? { row: rows.length - 1, column };
  const top = Math.max(0, Math.min(row - Math.floor(most / 2), rows.length - most));
  const lines = rows.slice(top, top + most).map((one, index) => (top + index === 0 ? PROMPT : MORE) + one);
  return { lines, row: row - top, column: PROMPT.length + Math.min(place, room) };
}
