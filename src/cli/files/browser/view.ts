import { counted } from '../../kit/counted.ts';
import { fit, type Measure } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { bytes, moment, type Unmeasured } from '../../kit/screen.ts';
import type { Row } from './rows.ts';

/** Columns of the size and of the date at the end of a line, and of the cursor and the mark before it. */
const SIZE_WIDTH = 9;
const DATE_WIDTH = 16;
const CURSOR_WIDTH = 3;

export interface Shown {
  readonly isChosen: boolean;
  readonly isMarked: boolean;
}

/** `>x name/            1.2 MiB  2026-11-24 12:50`; a narrow screen shows the name alone. */
export function rowLine(
  row: Row,
  { isChosen, isMarked }: Shown,
  { width, measure, screen }: { readonly width: number; readonly measure: Measure; readonly screen: Unmeasured },
): string {
  const cursor = `${isChosen ? '>' : ' '}${isMarked ? 'x' : ' '} `;
  const name = `${escapeForTerminal(row.name)}${row.kind === 'file' ? '' : '/'}`;
  const room = width - CURSOR_WIDTH - SIZE_WIDTH - DATE_WIDTH - 4;
  if (room < 16) return cursor + name;
  const shown = fit(name, room, measure);
  const gap = ' '.repeat(Math.max(0, room - measure(shown)));
  return `${cursor}${shown}${gap}  ${sizeOf(row).padStart(SIZE_WIDTH)}  ${dateOf(row, screen)}`;
}

function sizeOf({ kind, of }: Row): string {
  if (kind === 'file') return bytes(of.sizeBytes);
  return kind === 'container' ? bytes(of.usedBytes) : '';
}

function dateOf({ kind, of }: Row, screen: Unmeasured): string {
  return moment(screen, kind === 'file' ? of.modifiedAt : of.updatedAt);
}

/** Where the person is, what narrows the list, and how much there is. */
export function titleLine(
  path: string,
  filter: string,
  { shown, complete, marked }: { readonly shown: number; readonly complete: boolean; readonly marked: number },
): string {
  const count = complete ? counted(shown, 'item') : `more than ${counted(shown, 'item')}`;
  const parts = [
    `Files: ${path}`,
    count,
    ...(filter === '' ? [] : [`filter: ${filter}`]),
    ...(marked === 0 ? [] : [`${marked} marked`]),
  ];
  return escapeForTerminal(parts.join('  '));
}
