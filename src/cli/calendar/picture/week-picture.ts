import { day, hour, minute, startOfDay, timeText } from '../wall-clock.ts';
import { weekHeads } from './day-head.ts';
import { cell, columnsOf, type PictureLook } from './look.ts';
import { isOn, type Placed } from './placed.ts';
import { spanLine, spansOf, type DaySpan } from './spans.ts';
import { drawGrid, neededHours, type GridDay } from './week-grid.ts';

/** Columns of the times before the days. */
const GUTTER = 6;
/** A picture of seven days needs so many columns; with less, a list reads better. */
export const LEAST_WIDTH = 60;
/** So many hours have a line for each half of them, and more one for each hour. */
const MOST_HALVED = 12;

export interface WeekGiven {
  readonly placed: readonly Placed[];
  readonly monday: number;
  /** what clocks show now */
  readonly now: number;
  readonly chosen?: { readonly day: number; readonly id: string | undefined };
  /** lines that there are for it; without, it has as many as it needs */
  readonly height?: number;
}

/** A week as columns of days and lines of times. Lines are no wider than the screen. */
export function drawWeek({ placed, monday, now, chosen, height }: WeekGiven, look: PictureLook): string[] {
  const columns = columnsOf(look.width - GUTTER);
  const today = startOfDay(now);
  const ats = columns.map((_, index) => monday + index * day);
  const edge = look.paint('dim', '│');
  const marked = ats.map((at) => ({ at, isToday: at === today, isChosen: at === chosen?.day }));
  const heads = weekHeads(
    marked,
    columns.map((width) => width - 1),
    look,
  );
  const days: GridDay[] = ats.map((at, index) => ({
    at,
    placed: placed.filter((one) => !one.isWhole && isOn(one, at)),
    width: (columns[index] ?? 0) - 1,
  }));
  const top = wholeDays(spansOf(placed, monday), { monday, columns, chosen: chosen?.id, height }, look);
  const { room, grid } = gridWithin({ days, height, above: 1 + top.length, chosen, now, today }, look);
  const nowLine = ats.includes(today) && isWithin(now - today, grid.times) ? grid.lineAt((now - today) / minute) : -1;
  const first = firstLine(grid.times.length, room, grid.chosenLine ?? (nowLine === -1 ? 0 : nowLine));
  const lines = grid.times.slice(first, first + room).map((time, index) => {
    const line = first + index;
    const isCut = (index === 0 && first > 0) || (index === room - 1 && line < grid.times.length - 1);
    const gutter = isCut ? (index === 0 ? '↑' : '↓') : '';
    const label =
      line === nowLine
        ? look.paint('red', `${timeText(now)}>`)
        : cell(
            time === undefined || time % 60 !== 0 ? gutter.padStart(5) : timeText(time * minute),
            GUTTER,
            look.measure,
          );
    return label + grid.cells.map((each) => edge + (each[line] ?? '')).join('');
  });
  return [' '.repeat(GUTTER) + heads.map((head) => edge + head).join(''), ...top, ...lines];
}

function isWithin(ms: number, times: readonly (number | undefined)[]): boolean {
  const [first = 0, last = 0] = [times[0], times.findLast((time) => time !== undefined)];
  return ms / minute >= first && ms / minute < last + 60;
}

/** What keeps a line on the screen, a third of it above. */
function firstLine(total: number, room: number, line: number): number {
  return Math.max(0, Math.min(total - room, line - Math.floor(room / 3)));
}

interface Fitting {
  readonly days: readonly GridDay[];
  readonly height: number | undefined;
  readonly above: number;
  readonly chosen: WeekGiven['chosen'];
  readonly now: number;
  readonly today: number;
}

/** Hours that are shown even if nothing is in them, unless there is too little room. */
const [USUAL_FROM, USUAL_TO] = [8, 18];

/** The grid with lines for half hours, unless lines for hours are all that fits. */
function gridWithin({ days, height, above, chosen, now, today }: Fitting, look: PictureLook) {
  const room = height === undefined ? Number.POSITIVE_INFINITY : Math.max(1, height - above);
  const { day: at, id } = chosen ?? {};
  const given = {
    days,
    chosen: at === undefined || id === undefined ? undefined : { day: at, id },
    now: { day: today, minutes: (now - today) / minute },
  };
  const needed = neededHours(days) ?? { from: USUAL_TO, to: USUAL_FROM };
  const hours = { from: Math.min(USUAL_FROM, needed.from), to: Math.max(USUAL_TO, needed.to) };
  const hourly = () => drawGrid({ ...given, hours: { ...hours, slot: 60 } }, look);
  if (height === undefined && hours.to - hours.from > MOST_HALVED) return { room, grid: hourly() };
  const halved = drawGrid({ ...given, hours: { ...hours, slot: 30 } }, look);
  const excess = Math.ceil((halved.times.length - room) / 2);
  if (excess <= 0) return { room, grid: halved };
  // The last hours are left out before the first ones, as far as nothing is in them.
  const isThere = days.some((one) => one.at === today);
  const hourNow = isThere ? Math.floor((now - today) / hour) : USUAL_FROM;
  const late = Math.min(excess, Math.max(0, hours.to - Math.max(needed.to, hourNow + 1)));
  const early = Math.min(excess - late, Math.max(0, Math.min(needed.from, hourNow) - hours.from));
  if (late + early < excess || excess > MOST_LEFT_OUT) return { room, grid: hourly() };
  const less = { from: hours.from + early, to: hours.to - late, slot: 30 };
  return { room, grid: drawGrid({ ...given, hours: less }, look) };
}

/** More hours are not left out for lines of half hours: a short week looks odd. */
const MOST_LEFT_OUT = 4;

interface Whole {
  readonly monday: number;
  readonly columns: readonly number[];
  readonly chosen: string | undefined;
  readonly height: number | undefined;
}

/** What is on whole days, above the times. */
function wholeDays(spans: readonly DaySpan[], { monday, columns, chosen, height }: Whole, look: PictureLook): string[] {
  const lanes = Math.max(-1, ...spans.map(({ lane }) => lane)) + 1;
  const room = height === undefined ? lanes : Math.max(1, Math.floor(height / 4));
  const shown = lanes <= room ? lanes : room - 1;
  const otherwise = (_: number, width: number): string => ' '.repeat(width);
  const lines = Array.from({ length: shown }, (_, lane) => {
    const inLane = spans.filter((span) => span.lane === lane);
    const gutter = cell(lane === 0 ? 'days' : '', GUTTER, look.measure);
    return gutter + spanLine({ spans: inLane, monday, columns, chosen, otherwise }, look);
  });
  if (shown === lanes) return lines;
  const hidden = spans.filter(({ lane }) => lane >= shown);
  const counts = (at: number, width: number): string => {
    const count = hidden.filter(({ first, last }) => first <= at && at <= last).length;
    return cell(count === 0 ? '' : `+${count} more`, width, look.measure);
  };
  const gutter = cell(shown === 0 ? 'days' : '', GUTTER, look.measure);
  return [...lines, gutter + spanLine({ spans: [], monday, columns, chosen, otherwise: counts }, look)];
}
