import type { Event } from '../../contract/calendar/event.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { fit } from '../kit/display-width.ts';
import type { Screen } from '../kit/screen.ts';
import { eventTime } from './event-views.ts';
import { day, dayWords, startOfDay, timeText, type WallClock } from './wall-clock.ts';

/** Days that are shown. */
export interface Span {
  readonly from: number;
  /** exclusive */
  readonly to: number;
}

export interface DayPart {
  readonly event: Event;
  readonly day: number;
  /** `09:00-10:00`, `all day`, `22:00-`, `-02:00` */
  readonly time: string;
}

/** Events day by day; one over several days is on each of them. */
export function dayParts(events: readonly Event[], { from, to }: Span, clock: WallClock): DayPart[] {
  const timed = events.map((event) => ({ event, ...eventTime(event, clock) }));
  const parts: DayPart[] = [];
  for (let at = from; at < to; at += day) {
    const here = timed.filter(({ start, end }) => start < at + day && (end > at || start >= at));
    const rank = ({ event, start }: (typeof here)[number]) => (event.allDay ? -1 : Math.max(0, start - at));
    for (const one of here.toSorted((a, b) => rank(a) - rank(b)))
      parts.push({ event: one.event, day: at, time: timeOn(at, one) });
  }
  return parts;
}

function timeOn(at: number, { event, start, end }: { event: Event; start: number; end: number }): string {
  const before = start < at;
  const later = end > at + day;
  if (event.allDay || (before && end >= at + day)) return 'all day';
  const to = end === at + day ? '24:00' : timeText(end);
  return `${before ? '' : timeText(start)}-${later ? '' : to}`;
}

/** Days as headings, with times and titles. */
export function drawAgenda(parts: readonly DayPart[], today: number, { width, paint, measure }: Screen): string {
  const lines: string[] = [];
  let last: number | undefined;
  for (const { event, day: at, time } of parts) {
    if (at !== last) lines.push(paint('bold', `${dayWords(at)}${at === startOfDay(today) ? ' (today)' : ''}`));
    last = at;
    const title = event.location === '' ? event.summary : `${event.summary}, ${event.location}`;
    const id = width < 60 ? '' : `  ${event.id.slice(0, 12)}`;
    const room = width - 15 - id.length;
    const text = fit(escapeForTerminal(title), room, measure);
    lines.push(`  ${time.padEnd(11)}  ${text}${id === '' ? '' : ' '.repeat(Math.max(0, room - measure(text)))}${id}`);
  }
  return lines.join('\n');
}
