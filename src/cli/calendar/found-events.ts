import type { FoundEvent } from '../../contract/calendar/search.ts';
import type { Column } from '../kit/table.ts';
import { eventTime } from './event-views.ts';
import { dayText, timeText, type WallClock } from './wall-clock.ts';

/** What a search found. Of a series of times the day is the one on which it happens next, or on which it began if it does not. */
export function foundColumns(clock: WallClock): readonly Column<FoundEvent>[] {
  return [
    { title: 'Day', of: (event) => dayText(begin(event, clock)), whole: true },
    { title: 'Time', of: (event) => (event.allDay ? 'all day' : timeText(begin(event, clock))), whole: true },
    { title: 'Title', of: ({ summary }) => summary, main: true },
    { title: 'Where', of: ({ location }) => location, spare: true },
    { title: 'Id', of: ({ id }) => id, whole: true, spare: true },
  ];
}

function begin(event: FoundEvent, clock: WallClock): number {
  const { nextOccurrence, allDay } = event;
  if (nextOccurrence === undefined || allDay) return eventTime(event, clock).start;
  return clock.wallOf(Date.parse(nextOccurrence));
}
