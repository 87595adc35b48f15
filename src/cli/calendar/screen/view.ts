import { linesWithin } from '../../kit/canvas.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { inputView } from '../../kit/input-view.ts';
import { colourOf, type PictureLook } from '../picture/look.ts';
import { drawMonth, startOfWeek, weeksOfMonth } from '../picture/month-picture.ts';
import { drawWeek, LEAST_WIDTH } from '../picture/week-picture.ts';
import { day, monthNames } from '../wall-clock.ts';
import { dayList, eventLine } from './day-list.ts';
import { hints } from './help.ts';
import { isWhole, panelLines, panelTitle } from './panel-view.ts';
import {
  calendarOf,
  chosenEvent,
  shownEvents,
  type LinePanel,
  type Look,
  type Panel,
  type ProposedPanel,
  type Purpose,
  type State,
} from './state.ts';

export interface View {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** What is on the screen. As many lines as it has, none of them wider. */
export function view(state: State, look: Look): View {
  const { panel, columns, rows } = state;
  if (isWhole(panel)) {
    const title = look.paint('bold', fit(panelTitle(panel), columns, look.measure));
    const bottom = state.note === '' ? [hint(hints[panel.kind], columns, look)] : noteLines(state, look);
    return whole(rows, [title], panelLines(state, panel, look), { lines: bottom, cursor: undefined });
  }
  const bottom = bottomOf(state, panel, look);
  const height = Math.max(1, rows - 1 - bottom.lines.length);
  return whole(rows, [titleLine(state, look)], body(state, height, rows - 2, look), bottom);
}

interface Bottom {
  readonly lines: readonly string[];
  /** from the first of these lines on */
  readonly cursor: View['cursor'];
}

/** A screen of fewer lines shows the last ones. */
function whole(rows: number, top: readonly string[], middle: readonly string[], bottom: Bottom): View {
  const height = Math.max(0, rows - top.length - bottom.lines.length);
  const lines = [...top, ...Array.from({ length: height }, (_, at) => middle[at] ?? ''), ...bottom.lines];
  const hidden = Math.max(0, lines.length - rows);
  const { cursor } = bottom;
  const row = lines.length - bottom.lines.length + (cursor?.row ?? 0) - hidden;
  return { lines: lines.slice(hidden), cursor: cursor === undefined || row < 0 ? undefined : { ...cursor, row } };
}

function titleLine(state: State, { paint, measure }: Look): string {
  const { columns, day: at, view: kind, clock, hidden, isBusy } = state;
  const date = new Date(kind === 'week' ? startOfWeek(at) + 3 * day : at);
  const name = `${monthNames[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
  const facts = [
    clock.zone,
    hidden.size === 0 ? '' : `${hidden.size} hidden`,
    shownEvents(state) === undefined || isBusy ? 'reading…' : '',
  ].filter((fact) => fact !== '');
  const rest = fit(`  ${facts.join('  ')}`, Math.max(1, columns - name.length), measure);
  return fit(name, columns, measure) === name ? paint('bold', name) + paint('dim', rest) : fit(name, columns, measure);
}

/** The picture, and what is on the day. @param usual its height without questions and notes, by which it is drawn so that it does not jump */
function body(state: State, height: number, usual: number, look: Look): string[] {
  const { columns, calendars = [], clock, day: at } = state;
  const placed = shownEvents(state) ?? [];
  const now = clock.wallOf(look.nowMs);
  const { paint, measure } = look;
  const picture: PictureLook = { width: columns, paint, measure, colour: colourOf(calendars, look.palette) };
  const chosen = { day: at, id: chosenEvent(state)?.event.id };
  const isDrawn = columns >= LEAST_WIDTH && height >= LEAST_HEIGHT;
  if (state.view === 'week') {
    const span = { from: startOfWeek(at), to: startOfWeek(at) + 7 * day };
    if (!isDrawn) return dayList(state, span, height, picture, now);
    const lines = drawWeek({ placed, monday: span.from, now, chosen, height: usual - 1 }, picture);
    return [...filled(lines, height - 1), eventLine(state, picture)];
  }
  const span = { from: at, to: at + day };
  if (columns < LEAST_MONTH || height < LEAST_HEIGHT) return dayList(state, span, height, picture, now);
  const { from, to } = weeksOfMonth(at);
  const weeks = Math.round((to - from) / (7 * day));
  const each = columns < LEAST_WIDTH ? 1 : Math.max(1, Math.floor((usual - 1 - LEAST_LIST) / weeks));
  const lines = drawMonth({ placed, at, now, chosen, height: 1 + each * weeks }, picture).slice(0, height);
  return [...lines, ...dayList(state, span, height - lines.length, picture, now)];
}

/** Columns of a month whose days are numbers only. */
const LEAST_MONTH = 35;
const LEAST_HEIGHT = 12;
/** Lines of the list of a day below a month. */
const LEAST_LIST = 5;

function filled(lines: readonly string[], height: number): string[] {
  return Array.from({ length: Math.max(0, height) }, (_, at) => lines[at] ?? '');
}

const labels: Readonly<Record<Purpose, string>> = {
  new: 'New',
  title: 'Title',
  when: 'When',
  place: 'Place',
  search: 'Search',
  day: 'Go to',
};
const examples: Readonly<Record<Purpose, string>> = {
  new: 'Title and when it is, such as: Lunch with Bob 12:30 1h, or Stand-up every weekday 9:00 15 min',
  title: '',
  when: 'When it is, such as: 14:00, Friday 9:00-10:30, every Monday at 9',
  place: '',
  search: 'Words that are in the event',
  day: 'A day, such as: 12 May, next Monday, 2026-05-12',
};

function bottomOf(
  state: State,
  panel: Exclude<Panel, Parameters<typeof panelTitle>[0]> | undefined,
  look: Look,
): Bottom {
  switch (panel?.kind) {
    case 'line':
      return lineBottom(state, panel, look);
    case 'choice': {
      const keys = [...panel.choices.map(({ key, does }) => `[${key}] ${does}`), '[esc] back'].join('  ');
      return asked(escapeForTerminal(panel.question), keys, state, look);
    }
    case 'proposed':
      return asked(...proposedWords(state, panel), state, look);
    default:
      return {
        lines: state.note === '' ? [hint(hints.calendar, state.columns, look)] : noteLines(state, look),
        cursor: undefined,
      };
  }
}

function proposedWords(state: State, { title, words, calendarId }: ProposedPanel): [question: string, keys: string] {
  const name = calendarId === undefined ? undefined : calendarOf(state, calendarId)?.displayName;
  const where = name === undefined ? '' : ` in ${name}`;
  return [escapeForTerminal(`Add ${title}: ${words}${where}?`), '[y] yes  [c] other calendar  [n] change it'];
}

function asked(question: string, keys: string, { columns, rows }: State, { paint, measure }: Look): Bottom {
  const most = Math.max(1, Math.floor(rows / 3));
  const lines = linesWithin(question, columns, measure).slice(0, most);
  return {
    lines: [...lines.map((line) => paint('bold', line)), ...linesWithin(keys, columns, measure)],
    cursor: undefined,
  };
}

function lineBottom(state: State, { purpose, line, heard }: LinePanel, look: Look): Bottom {
  const { columns } = state;
  const { measure, paint } = look;
  const label = `${labels[purpose]} `;
  const input = inputView(line, Math.max(8, columns - label.length), MOST_INPUT, measure);
  const lines = input.lines.map((text, at) => (at === 0 ? label : ' '.repeat(label.length)) + text);
  const said = state.note !== '' ? state.note : line.text === '' ? examples[purpose] : heard;
  const below = linesWithin(escapeForTerminal(said), columns, measure).slice(0, MOST_SAID);
  return {
    lines: [
      ...lines,
      ...filled(
        below.map((text) => paint('dim', text)),
        MOST_SAID,
      ),
    ],
    cursor: { row: input.row, column: label.length + input.column },
  };
}

const MOST_INPUT = 3;
const MOST_SAID = 2;

/** What the person is told has as many lines, so that what the node says can be read. */
function noteLines({ note, columns, rows }: State, { measure }: Look): string[] {
  const most = Math.max(1, Math.min(4, Math.floor(rows / 4)));
  const lines = linesWithin(escapeForTerminal(note), columns, measure);
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(' '), columns, measure)];
}

/** The hints that fit, from the first on. */
function hint(words: string, columns: number, { paint }: Look): string {
  const fitting = words.length <= columns ? words : words.slice(0, Math.max(0, words.lastIndexOf(' ', columns)));
  return paint('dim', fitting);
}
