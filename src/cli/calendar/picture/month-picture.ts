import { day, monthNames, startOfDay, timeText, weekdayNames, weekdayOf } from '../wall-clock.ts';
import { markedText } from './day-head.ts';
import { cell, columnsOf, titleOf, type PictureLook } from './look.ts';
import { isOn, type Placed, type Span } from './placed.ts';
import { spanLine, spansOf, type DaySpan } from './spans.ts';

/** Events of a day that are shown where the height does not say how many. */
const MOST_EVENTS = 6;
/** From so many columns on, events have the time of their begin. */
const TIMED_WIDTH = 15;

export interface MonthGiven {
  readonly placed: readonly Placed[];
  /** a day of the month */
  readonly at: number;
  readonly now: number;
  readonly chosen?: { readonly day: number; readonly id: string | undefined };
  /** lines that there are for it; without, it has as many as it needs */
  readonly height?: number;
}

export function startOfWeek(wall: number): number {
  return startOfDay(wall) - weekdayOf(wall) * day;
}

export function startOfMonth(wall: number, later = 0): number {
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}

/** The weeks that a month has days in. */
export function weeksOfMonth(wall: number): Span {
  return { from: startOfWeek(startOfMonth(wall)), to: startOfWeek(startOfMonth(wall, 1) - day) + 7 * day };
}

/** A month as columns of days and a row of lines for each week. Lines are no wider than the screen. */
export function drawMonth({ placed, at, now, chosen, height }: MonthGiven, look: PictureLook): string[] {
  const { from, to } = weeksOfMonth(at);
  const columns = columnsOf(look.width);
  const mondays = Array.from({ length: Math.round((to - from) / (7 * day)) }, (_, index) => from + index * 7 * day);
  const each = height === undefined ? undefined : Math.max(1, Math.floor((height - 1) / mondays.length));
  const edge = look.paint('dim', '│');
  const head = columns
    .map((width, index) => {
      const name = weekdayNames[index] ?? '';
      return (
        edge +
        look.paint('bold', cell(name.length < width - 1 ? ` ${name}` : ` ${name.slice(0, 3)}`, width - 1, look.measure))
      );
    })
    .join('');
  const weeks = mondays.flatMap((monday) => weekLines({ placed, monday, columns, at, now, chosen, lines: each }, look));
  return [head, ...weeks];
}

interface WeekLines {
  readonly placed: readonly Placed[];
  readonly monday: number;
  readonly columns: readonly number[];
  readonly at: number;
  readonly now: number;
  readonly chosen: MonthGiven['chosen'];
  readonly lines: number | undefined;
}

/** A line of numbers, and lines of events below it. */
function weekLines({ placed, monday, columns, at, now, chosen, lines }: WeekLines, look: PictureLook): string[] {
  const spans = spansOf(placed, monday);
  const days = columns.map((_, index) => timedOf(placed, spans, monday, index));
  const most = Math.max(0, ...days.map((one) => one.length), ...spans.map(({ lane }) => lane + 1));
  const shown = lines === undefined ? Math.max(1, Math.min(MOST_EVENTS, most)) : lines - 1;
  const hidden = days.map(
    (one, index) =>
      one.slice(shown).filter((timed) => timed !== undefined).length +
      spans.filter(({ lane, first, last }) => lane >= shown && first <= index && index <= last).length,
  );
  const numbers = columns
    .map((width, index) => {
      const on = monday + index * day;
      const marked = { on, isToday: on === startOfDay(now), isChosen: on === chosen?.day, hidden: hidden[index] ?? 0 };
      return look.paint('dim', '│') + numberCell(marked, startOfMonth(on) === startOfMonth(at), width - 1, look);
    })
    .join('');
  const rows = Array.from({ length: shown }, (_, lane) => {
    const otherwise = (index: number, width: number): string => {
      const timed = days[index]?.[lane];
      const on = monday + index * day;
      const chosenId = chosen?.day === on ? chosen.id : undefined;
      return timed === undefined ? ' '.repeat(width) : timedCell(timed, on, chosenId, width, look);
    };
    return spanLine(
      { spans: spans.filter((span) => span.lane === lane), monday, columns, chosen: chosen?.id, otherwise },
      look,
    );
  });
  return [numbers, ...rows];
}

/** What has a time of day, in the lanes that days leave free. */
function timedOf(
  placed: readonly Placed[],
  spans: readonly DaySpan[],
  monday: number,
  index: number,
): (Placed | undefined)[] {
  const taken = new Set(spans.filter(({ first, last }) => first <= index && index <= last).map(({ lane }) => lane));
  const at = monday + index * day;
  const found: (Placed | undefined)[] = [];
  let lane = 0;
  for (const one of placed.filter((each) => !each.isWhole && isOn(each, at))) {
    while (taken.has(lane)) lane += 1;
    found[lane] = one;
    lane += 1;
  }
  return Array.from(found, (one) => one);
}

interface Numbered {
  readonly on: number;
  readonly isToday: boolean;
  readonly isChosen: boolean;
  readonly hidden: number;
}

/** ` 30 ───── +2` */
function numberCell(
  { on, isToday, isChosen, hidden }: Numbered,
  isInMonth: boolean,
  width: number,
  { paint, measure }: PictureLook,
): string {
  const date = new Date(on);
  const number = date.getUTCDate();
  const month = (monthNames[date.getUTCMonth()] ?? '').slice(0, 3);
  const name = number === 1 && width >= 9 ? `${number} ${month}` : String(number);
  const text = markedText(name, isToday, isChosen);
  const count = hidden === 0 ? '' : `+${hidden}`;
  const room = width - text.length - count.length;
  if (room < 0) return cell(text, width, measure);
  const filler = room < 2 ? ' '.repeat(room) : ` ${'─'.repeat(room - 1)}`;
  const said = isToday || isChosen ? paint('bold', text) : isInMonth ? text : paint('dim', text);
  return said + paint('dim', filler) + count;
}

function timedCell(
  { event, start }: Placed,
  on: number,
  chosen: string | undefined,
  width: number,
  { paint, measure, colour }: PictureLook,
): string {
  const isChosen = event.id === chosen;
  const time = start < on ? '‹' : width >= TIMED_WIDTH ? `${timeText(start)} ` : '';
  const text = cell(`${time}${titleOf(event)}`, width - 1, measure);
  const bar = isChosen ? '>' : event.transparency === 'TRANSPARENT' ? '┊' : '▌';
  return colour(event, bar) + (isChosen ? paint('bold', text) : text);
}
