import { linesWithin } from '../../kit/canvas.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { day, minute, timeText } from '../wall-clock.ts';
import { inLanes } from './lanes.ts';
import { cell, titleOf, type PictureLook } from './look.ts';
import type { Placed } from './placed.ts';

/** Columns that a lane needs, so that words can be read in it. Where there are fewer, what overlaps stands below each other. */
const LEAST_LANE = 9;
/** From so many columns on, each event has the time of its begin. */
const TIMED_LANE = 16;

/** What there is of an event on a day. */
interface Part {
  readonly placed: Placed;
  /** minutes since midnight */
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly lanes: number;
  readonly group: number;
}

/** A day of the grid. */
export interface GridDay {
  readonly at: number;
  /** without what is on the whole day */
  readonly placed: readonly Placed[];
  /** columns without the edge */
  readonly width: number;
}

export interface Hours {
  readonly from: number;
  /** exclusive */
  readonly to: number;
  /** minutes of a line */
  readonly slot: number;
}

/** Each line of the grid, which may have several of a time at which several events begin. */
export interface Grid {
  /** minutes since midnight at which each line begins; undefined for a further line of the same time */
  readonly times: readonly (number | undefined)[];
  /** by day, the text of each line */
  readonly cells: readonly (readonly string[])[];
  /** the first line of the event that is chosen */
  readonly chosenLine: number | undefined;
  /** the line of a time of day, in minutes */
  readonly lineAt: (minutes: number) => number;
}

interface Given {
  readonly days: readonly GridDay[];
  readonly hours: Hours;
  readonly chosen: { readonly day: number; readonly id: string } | undefined;
  /** the line of now, in the column of today */
  readonly now: { readonly day: number; readonly minutes: number } | undefined;
}

export function drawGrid({ days, hours, chosen, now }: Given, look: PictureLook): Grid {
  const { from, to, slot } = hours;
  const slots = Math.round(((to - from) * 60) / slot);
  const slotOf = (minutes: number): number =>
    Math.max(0, Math.min(slots - 1, Math.floor((minutes - from * 60) / slot)));
  const all = days.map((one) => stacked(partsOf(one), slotOf));
  const counts = Array.from({ length: slots }, (_, at) => Math.max(1, ...all.map(({ needs }) => needs[at] ?? 1)));
  const firsts = [0];
  for (const count of counts) firsts.push((firsts.at(-1) ?? 0) + count);
  const total = firsts.at(-1) ?? 0;
  const endLine = (minutes: number): number =>
    firsts[Math.min(slots, Math.ceil((minutes - from * 60) / slot))] ?? total;
  const lineAt = (minutes: number): number => {
    const at = slotOf(minutes);
    const passed = Math.min(0.999, Math.max(0, (minutes - from * 60) / slot - at));
    return (firsts[at] ?? 0) + Math.floor(passed * (counts[at] ?? 1));
  };
  let chosenLine: number | undefined;
  const cells = days.map(({ at, width }, index) => {
    const rows: (readonly (Part | undefined)[])[] = Array.from({ length: total }, () => []);
    for (const { part, index: nth } of all[index]?.parts ?? []) {
      const first = (firsts[slotOf(part.start)] ?? 0) + nth;
      for (let line = first; line < Math.max(first + 1, endLine(part.end)); line += 1) {
        const before = rows[line]?.length === part.lanes ? (rows[line] ?? []) : [];
        rows[line] = Array.from({ length: part.lanes }, (_, lane) => (lane === part.lane ? part : before[lane]));
      }
      if (chosen?.day === at && chosen.id === part.placed.event.id) chosenLine ??= first;
    }
    const nowLine = now?.day === at ? lineAt(now.minutes) : undefined;
    return drawnDay(rows, { at, width, slot, chosen: chosen?.day === at ? chosen.id : undefined, nowLine }, look);
  });
  const times = counts.flatMap((count, at) =>
    Array.from({ length: count }, (_, nth) => (nth === 0 ? from * 60 + at * slot : undefined)),
  );
  return { times, cells, chosenLine, lineAt };
}

function partsOf({ at, placed, width }: GridDay): Part[] {
  const most = Math.max(1, Math.floor(width / LEAST_LANE));
  const stretches = placed.map((one) => {
    const start = Math.max(0, (one.start - at) / minute);
    return { one, start, end: Math.max(start + 1, Math.min(1440, (one.end - at) / minute)) };
  });
  const inOrder = stretches.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return inLanes(inOrder).map(({ item: { one, start, end }, lane, lanes, group }) => {
    const shown = Math.min(lanes, most);
    return { placed: one, start, end, lane: lane % shown, lanes: shown, group };
  });
}

interface Stacked {
  /** with the line in its slot at which each begins */
  readonly parts: readonly { readonly part: Part; readonly index: number }[];
  /** by slot, how many lines what begins in it takes */
  readonly needs: readonly number[];
}

/** Events that begin in the same slot and have no lane of their own stand below each other. */
function stacked(parts: readonly Part[], slotOf: (minutes: number) => number): Stacked {
  const needs: number[] = [];
  const open = new Map<number, { group: number; base: number; inLane: number[] }>();
  const found = parts.map((part) => {
    const slot = slotOf(part.start);
    let here = open.get(slot);
    if (here?.group !== part.group) {
      here = { group: part.group, base: here === undefined ? 0 : (needs[slot] ?? 0), inLane: [] };
      open.set(slot, here);
    }
    const index = here.base + (here.inLane[part.lane] ?? 0);
    here.inLane[part.lane] = (here.inLane[part.lane] ?? 0) + 1;
    needs[slot] = Math.max(needs[slot] ?? 0, index + 1);
    return { part, index };
  });
  return { parts: found, needs };
}

interface DayGiven {
  readonly at: number;
  readonly width: number;
  readonly slot: number;
  readonly chosen: string | undefined;
  readonly nowLine: number | undefined;
}

function drawnDay(
  rows: readonly (readonly (Part | undefined)[])[],
  { at, width, slot, chosen, nowLine }: DayGiven,
  look: PictureLook,
): string[] {
  const { paint, colour, measure } = look;
  const seen = new Map<Part, number>();
  const visible = new Map<Part, number>();
  for (const part of rows.flat()) if (part !== undefined) visible.set(part, (visible.get(part) ?? 0) + 1);
  const texts = new Map<Part, string[]>();
  return rows.map((row, line) => {
    const empty = (columns: number): string =>
      line === nowLine ? paint('red', '─'.repeat(columns)) : ' '.repeat(columns);
    if (row.length === 0) return empty(width);
    return row
      .map((part, lane) => {
        const columns = Math.floor(width / row.length) + (lane < width % row.length ? 1 : 0);
        if (part === undefined) return empty(columns);
        const nth = seen.get(part) ?? 0;
        seen.set(part, nth + 1);
        if (!texts.has(part)) texts.set(part, textOf(part, at, slot, columns - 1, visible.get(part) ?? 1, look));
        const { event } = part.placed;
        const isChosen = event.id === chosen;
        const text = cell(texts.get(part)?.[nth] ?? '', columns - 1, measure);
        const bar = isChosen ? '>' : event.transparency === 'TRANSPARENT' ? '┊' : '▌';
        return colour(event, bar) + (isChosen ? paint('bold', text) : text);
      })
      .join('');
  });
}

/** The title in as many lines as can be seen, and where it is if there is room left. */
function textOf(
  { placed: { event, start } }: Part,
  at: number,
  slot: number,
  columns: number,
  lines: number,
  { measure }: PictureLook,
): string[] {
  const minutes = (start - at) / minute;
  const isOff = minutes % slot !== 0;
  const time =
    start < at ? '‹' : columns >= TIMED_LANE ? `${timeText(start)} ` : isOff ? `${timeText(start).slice(2)} ` : '';
  const timed = linesWithin(`${time}${titleOf(event)}`, columns, measure);
  // In a narrow lane the title is worth more than the minute.
  const title = timed[0] === time.trim() ? linesWithin(titleOf(event), columns, measure) : timed;
  if (title.length > lines) {
    const rest = title.slice(lines - 1).join(' ');
    return [...title.slice(0, lines - 1), fit(rest, columns, measure)];
  }
  const place = event.location === '' ? [] : linesWithin(escapeForTerminal(event.location), columns, measure);
  return [...title, ...place].slice(0, lines);
}

/** From which hour to which one something is. */
export function neededHours(days: readonly GridDay[]): Omit<Hours, 'slot'> | undefined {
  const begins = days.flatMap(({ at, placed }) => placed.map(({ start }) => Math.max(0, start - at) / minute));
  if (begins.length === 0) return undefined;
  const ends = days.flatMap(({ at, placed }) => placed.map(({ end }) => Math.min(day, end - at) / minute));
  const hour = (minutes: number): number => Math.floor(minutes / 60);
  return {
    from: Math.min(...begins.map(hour)),
    to: Math.min(
      24,
      Math.max(...begins.map((minutes) => hour(minutes) + 1), ...ends.map((end) => Math.ceil(end / 60))),
    ),
  };
}
