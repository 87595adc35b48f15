import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Event, GivenEvent } from '../../contract/calendar/event.ts';
import type { ModificationMode } from '../../contract/calendar/limits.ts';
import { keptLength } from './event-flags.ts';
import { movedTimes } from './series-times.ts';
import type { WallClock } from './wall-clock.ts';

interface Change {
  /** the event as the person saw it */
  readonly before: Event;
  readonly mode: ModificationMode | undefined;
  /** of times, in the zone of the clock */
  readonly given: GivenEvent;
  readonly clock: WallClock;
  readonly isZoneNamed: boolean;
}

interface Changed {
  readonly event: Event;
  readonly droppedOverrides?: string[] | undefined;
}

/**
 * Changes an event, unless another program changed it meanwhile.
 * @throws Problem as `calendar.update-event`, and invalid USAGE
 */
export async function changeEvent(
  caller: Caller,
  { before, mode, given, clock, isZoneNamed }: Change,
): Promise<Changed> {
  const { id, etag, parentEventId, occurrenceId } = before;
  const isOfAll = mode === 'all' && occurrenceId !== undefined && parentEventId !== undefined;
  const moves = given.dtstart !== undefined;
  const series =
    isOfAll && moves ? (await perform(caller, calendar.showEvent, { id: parentEventId })).event : undefined;
  return await perform(caller, calendar.updateEvent, {
    id,
    ifMatch: `"${etag}"`,
    ...(mode !== undefined && { modificationMode: mode }),
    ...keptLength(given, before),
    ...movedTimes(given, { before, series, clock, isZoneNamed }),
  });
}
