import type { FoundEvent } from '../../contract/calendar/search.ts';
import type { Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { eventTime } from './event-views.ts';
import { dayText, hour, startOfDay, timeText, type WallClock } from './wall-clock.ts';

/** When an event is, or a series is next, where the reader is. */
export function foundTime(event: FoundEvent, clock: WallClock): number {
  if (event.nextOccurrence === undefined) return eventTime(event, clock).start;
  const wall = clock.wallOf(Date.parse(event.nextOccurrence));
  // A day begins at midnight of another zone than the reader's, perhaps.
  return event.allDay ? startOfDay(wall + 12 * hour) : wall;
}

/** What was found, with the day of each. */
export function foundTable(screen: Screen, found: readonly FoundEvent[], clock: WallClock): string {
  const when = (event: FoundEvent): string => {
    const start = foundTime(event, clock);
    return event.allDay ? dayText(start) : `${dayText(start)} ${timeText(start)}`;
  };
  return table(screen, found, [
    { title: 'When', of: when, whole: true },
    { title: 'Title', of: ({ summary }) => summary, main: true },
    { title: 'Where', of: ({ location }) => location },
    { title: 'Series', of: ({ isRecurring }) => (isRecurring ? 'yes' : ''), spare: true },
    // As in the agenda, so that there is room for the title.
    { title: 'Id', of: ({ id }, { width }) => (Number.isFinite(width) ? id.slice(0, 12) : id), whole: true },
  ]);
}
