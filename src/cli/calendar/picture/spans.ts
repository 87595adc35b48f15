import { day, timeText } from '../wall-clock.ts';
import { inLanes } from './lanes.ts';
import { cell, titleOf, type PictureLook } from './look.ts';
import type { Placed } from './placed.ts';

/** What is on days of a week, as a line through them. */
export interface DaySpan {
  readonly placed: Placed;
  /** 0 is Monday */
  readonly first: number;
  readonly last: number;
  readonly lane: number;
}

/** What is shown on the days of a week, in lanes below each other. */
export function spansOf(placed: readonly Placed[], monday: number): DaySpan[] {
  const inWeek = placed.filter(({ isWhole, start, end }) => isWhole && start < monday + 7 * day && end > monday);
  const stretches = inWeek
    .map((one) => ({
      one,
      start: Math.max(0, Math.floor((one.start - monday) / day)),
      end: Math.min(7, Math.ceil((one.end - monday) / day)),
    }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  return inLanes(stretches).map(({ item: { one, start, end }, lane }) => ({
    placed: one,
    first: start,
    last: end - 1,
    lane,
  }));
}

interface LineOf {
  /** those of one lane */
  readonly spans: readonly DaySpan[];
  readonly monday: number;
  /** how wide the days are, with the edge before each */
  readonly columns: readonly number[];
  readonly chosen: string | undefined;
  /** what stands on a day without one */
  readonly otherwise: (at: number, columns: number) => string;
}

/** A line of a week: `▌Trip ──────────` over its days. */
export function spanLine({ spans, monday, columns, chosen, otherwise }: LineOf, look: PictureLook): string {
  const edge = look.paint('dim', '│');
  let line = '';
  for (let at = 0; at < 7; at += 1) {
    const span = spans.find(({ first }) => first === at);
    const width = (columns[at] ?? 0) - 1;
    if (span === undefined) {
      line += edge + otherwise(at, width);
      continue;
    }
    const whole = columns.slice(span.first, span.last + 1).reduce((sum, each) => sum + each, 0) - 1;
    line += edge + drawnSpan(span, monday, whole, chosen, look);
    at = span.last;
  }
  return line;
}

function drawnSpan(
  { placed: { event, start, end } }: DaySpan,
  monday: number,
  width: number,
  chosen: string | undefined,
  { measure, paint, colour }: PictureLook,
): string {
  const isChosen = event.id === chosen;
  const before = isChosen ? '>' : start < monday ? '‹' : '▌';
  const after = end > monday + 7 * day ? '›' : '─';
  const time = event.allDay || start < monday ? '' : `${timeText(start)} `;
  const text = cell(`${time}${titleOf(event)} `, Math.max(0, width - 2), measure, '─');
  return colour(event, before) + (isChosen ? paint('bold', text) : text) + colour(event, after);
}
