import type { Event } from '../../../contract/calendar/event.ts';
import type { ModificationMode } from '../../../contract/calendar/limits.ts';
import { weeksOfMonth } from '../picture/month-picture.ts';
import { placedEvents, type Placed } from '../picture/placed.ts';
import type { State } from './state.ts';

type Months = State['months'];

/** Months that are kept. */
const MOST_MONTHS = 36;

/** With a month that was read, and without those that were read first if there are many. */
export function withMonth(months: Months, month: number, placed: readonly Placed[]): Months {
  const all = new Map(months);
  all.delete(month);
  all.set(month, placed);
  const old = [...all.keys()].slice(0, Math.max(0, all.size - MOST_MONTHS));
  for (const one of old) all.delete(one);
  return all;
}

/** With an event that was just written, until it is read. Instances of a series only the node knows. */
export function withEvent(state: State, event: Event): State {
  if (event.isRecurring && event.occurrenceId === undefined) return state;
  return changed(state, (placed, month) => {
    const { from, to } = weeksOfMonth(month);
    const others = placed.filter((one) => one.event.id !== event.id);
    const [here] = placedEvents([event], state.clock);
    const isHere = here !== undefined && here.start < to && (here.end > from || here.start >= from);
    return isHere
      ? placedEvents(
          [...others, here].map((one) => one.event),
          state.clock,
        )
      : others;
  });
}

/** Without what was just deleted. */
export function withoutEvent(state: State, event: Event, mode: ModificationMode | undefined): State {
  const { id, parentEventId, start } = event;
  const isGone = ({ event: one }: Placed): boolean => {
    if (mode === undefined || mode === 'single' || parentEventId === undefined) return one.id === id;
    return one.parentEventId === parentEventId && (mode === 'all' || one.start >= start);
  };
  return changed(state, (placed) => placed.filter((one) => !isGone(one)));
}

function changed(state: State, change: (placed: readonly Placed[], month: number) => readonly Placed[]): State {
  return { ...state, months: new Map([...state.months].map(([month, placed]) => [month, change(placed, month)])) };
}
