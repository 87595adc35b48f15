import { fit } from '../kit/display-width.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Screen } from '../kit/screen.ts';
import type { PictureLook } from './picture/look.ts';
import { onDay, timeOn, type Placed, type Span } from './picture/placed.ts';
import { titleOf } from './picture/look.ts';
import { day, dayWords, startOfDay } from './wall-clock.ts';

export interface DayPart extends Placed {
  readonly day: number;
  /** `09:00-10:00`, `all day`, `22:00-`, `-02:00` */
  readonly time: string;
}

/** Events day by day; one over several days is on each of them. */
export function dayParts(placed: readonly Placed[], { from, to }: Span): DayPart[] {
  const parts: DayPart[] = [];
  for (let at = from; at < to; at += day)
    for (const one of onDay(placed, at)) parts.push({ ...one, day: at, time: timeOn(one, at) });
  return parts;
}

type ListLook = Pick<Screen, 'width' | 'paint' | 'measure'> & Pick<PictureLook, 'colour'>;

/** Days as headings, with times and titles. */
export function drawAgenda(parts: readonly DayPart[], today: number, look: ListLook): string[] {
  const lines: string[] = [];
  let last: number | undefined;
  for (const part of parts) {
    const { day: at } = part;
    const head = fit(`${dayWords(at)}${at === startOfDay(today) ? ' (today)' : ''}`, look.width, look.measure);
    if (at !== last) lines.push(look.paint('bold', head));
    last = at;
    lines.push(partLine(part, look));
  }
  return lines;
}

/** `  09:00-10:00  Lunch with Bob, Cafe  019a3c5d7e21` */
function partLine({ event, time }: DayPart, { width, measure, colour }: ListLook): string {
  const title = event.location === '' ? titleOf(event) : `${titleOf(event)}, ${escapeForTerminal(event.location)}`;
  const id = width < 60 ? '' : `  ${event.id.slice(0, 12)}`;
  const bar = colour(event, BAR);
  // Without colours it says nothing.
  const mark = bar === BAR ? '' : `${bar} `;
  const room = Math.max(1, width - 15 - (mark === '' ? 0 : 2) - id.length);
  const text = fit(title, room, measure);
  const gap = id === '' ? '' : ' '.repeat(Math.max(0, room - measure(text)));
  return `  ${time.padEnd(11)}  ${mark}${text}${gap}${id}`;
}

const BAR = '▌';
