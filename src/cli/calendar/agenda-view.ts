import type { Calendar } from '../../contract/calendar/calendars.ts';
import type { Screen } from '../kit/screen.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { table } from '../kit/table.ts';
import type { Palette } from '../kit/terminal.ts';
import { fit } from '../kit/display-width.ts';
import { dayParts, drawAgenda } from './agenda-list.ts';
import { spanTitle, type AgendaSpan } from './agenda-span.ts';
import { colourOf, type Colour, type PictureLook } from './picture/look.ts';
import { drawMonth } from './picture/month-picture.ts';
import type { Placed } from './picture/placed.ts';
import { drawWeek, LEAST_WIDTH } from './picture/week-picture.ts';
import { day, dayText, dayWords, type WallClock } from './wall-clock.ts';

interface Agenda {
  readonly span: AgendaSpan;
  readonly placed: readonly Placed[];
  readonly calendars: readonly Calendar[];
  readonly clock: WallClock;
  /** as an instant */
  readonly now: number;
}

/** The agenda on a terminal: a picture, or a list where that is asked for or there is too little room. */
export function agendaView({ span, placed, calendars, clock, now }: Agenda, screen: Screen, palette: Palette): string {
  const wall = clock.wallOf(now);
  const colour = colourOf(calendars, palette);
  const { width, paint, measure } = screen;
  const look: PictureLook = { width: Math.min(width, WIDEST), paint, measure, colour };
  if (span.picture === 'list' || width < LEAST_WIDTH) return drawAgenda(dayParts(placed, span), wall, look).join('\n');
  const lines =
    span.picture === 'week'
      ? drawWeek({ placed, monday: span.from, now: wall }, look)
      : drawMonth({ placed, at: span.from, now: wall }, look);
  const title = paint('bold', escapeForTerminal(spanTitle(span, clock.zone)));
  const legend = palette === 'none' ? [] : legendOf(calendars, placed, colour, look);
  return [title, ...lines.map((line) => line.trimEnd()), ...legend].join('\n');
}

/** Wider, lines are hard to follow. */
const WIDEST = 240;

/** Whose colours are in the picture. */
function legendOf(
  calendars: readonly Calendar[],
  placed: readonly Placed[],
  colour: Colour,
  { width, measure }: PictureLook,
): string[] {
  const used = new Set(placed.map(({ event }) => event.calendarId));
  const shown = calendars.filter(({ id }) => used.has(id));
  if (shown.length < 2) return [];
  const lines: string[] = [''];
  let taken = 0;
  for (const { id, displayName } of shown) {
    const name = fit(escapeForTerminal(displayName), width - 2, measure);
    const columns = 2 + measure(name) + 2;
    if (taken > 0 && taken + columns > width) {
      lines.push('');
      taken = 0;
    }
    taken += columns;
    lines[lines.length - 1] += `${colour({ calendarId: id }, '▌')} ${name}  `;
  }
  return lines.map((line) => line.trimEnd());
}

/** `Nothing from Monday 30 November 2026 to Sunday 6 December 2026.`; undefined if something is there */
export function emptyAgenda({ span, placed }: Agenda): string | undefined {
  const isEmpty = dayParts(placed, span).length === 0;
  return isEmpty ? `Nothing from ${dayWords(span.from)} to ${dayWords(span.to - day)}.` : undefined;
}

/** Without a terminal: a line for each event of a day. */
export function agendaTable({ span, placed }: Agenda, screen: Screen): string {
  return table(screen, dayParts(placed, span), [
    { title: 'Day', of: (part) => dayText(part.day) },
    { title: 'Time', of: ({ time }) => time },
    { title: 'Title', of: ({ event }) => event.summary, main: true },
    { title: 'Where', of: ({ event }) => event.location },
    { title: 'Id', of: ({ event }) => event.id, whole: true },
  ]);
}
