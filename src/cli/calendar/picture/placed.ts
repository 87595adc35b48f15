import type { Event } from '../../../contract/calendar/event.ts';
import { eventTime } from '../event-views.ts';
import { day, startOfDay, timeText, type WallClock } from '../wall-clock.ts';

/** An event where the reader's clocks show it. */
export interface Placed {
  readonly event: Event;
  readonly start: number;
  /** exclusive; never before the begin, which clocks that go back would make it */
  readonly end: number;
  /** it is shown on days, at no time of day */
  readonly isWhole: boolean;
}

/** Days that are shown. */
export interface Span {
  readonly from: number;
  /** exclusive */
  readonly to: number;
}

/** In the order in which they are shown: by their begins, and what is of days, or longer, first. */
export function placedEvents(events: readonly Event[], clock: WallClock): Placed[] {
  return events
    .map((event) => {
      const { start, end } = eventTime(event, clock);
      const last = Math.max(start, end);
      return { event, start, end: last, isWhole: event.allDay || last - start >= day };
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.start - b.start || b.end - a.end || compared(a, b));
}

function rankOf({ start, isWhole }: Placed): number {
  return startOfDay(start) - (isWhole ? 1 : 0);
}

function compared(a: Placed, b: Placed): number {
  return a.event.summary < b.event.summary ? -1 : a.event.summary > b.event.summary ? 1 : 0;
}

/** Whether an event is on a day. One that takes no time is on the day of its begin. */
export function isOn({ start, end }: Placed, at: number): boolean {
  return start < at + day && (end > at || start >= at);
}

/** What is on a day, in the order in which it is shown. */
export function onDay(all: readonly Placed[], at: number): Placed[] {
  const rank = (one: Placed): number => (one.isWhole ? -1 : Math.max(0, one.start - at));
  return all.filter((one) => isOn(one, at)).toSorted((a, b) => rank(a) - rank(b));
}

/** `09:00-10:00`, `all day`, `22:00-`, `-02:00` */
export function timeOn({ event, start, end }: Placed, at: number): string {
  const before = start < at;
  const later = end > at + day;
  if (event.allDay || (before && end >= at + day)) return 'all day';
  const to = end === at + day ? '24:00' : timeText(end);
  return `${before ? '' : timeText(start)}-${later ? '' : to}`;
}
