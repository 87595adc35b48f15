import { Args, Flags } from '@oclif/core';
import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Event } from '../../contract/calendar/event.ts';
import type { ModificationMode } from '../../contract/calendar/limits.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { ambiguous } from '../kit/pick.ts';
import { collectEvents } from './collect-events.ts';
import { readDay, type Reader } from './plain-words.ts';
import { day, dayText, timeText } from './wall-clock.ts';

export const eventArgument = {
  event: Args.string({
    description: 'eight or more digits of its id; of one instance of a series also <id>_20260329T070000Z',
    required: true,
  }),
};

export const instanceFlag = {
  on: Flags.string({
    description: 'the instance of a series on this day: tomorrow, 12 May, 2026-05-12',
    helpValue: 'DAY',
  }),
};

/** Which events of a series are meant. */
export const modeFlags = {
  ...instanceFlag,
  this: Flags.boolean({ description: 'only this instance of a series', exclusive: ['following', 'all'] }),
  following: Flags.boolean({ description: 'this instance of a series and all later ones', exclusive: ['all'] }),
  all: Flags.boolean({ description: 'the whole series' }),
};

interface ModeFlags {
  readonly this?: boolean;
  readonly following?: boolean;
  readonly all?: boolean;
}

/**
 * The event or instance that is named by an id, and a day.
 * @throws Problem missing NOT_FOUND, conflict AMBIGUOUS, invalid USAGE
 */
export async function findEvent(caller: Caller, text: string, on: string | undefined, reader: Reader): Promise<Event> {
  const [part = '', instance] = text.split('_');
  const missing = () => {
    const message = `There is no event ${JSON.stringify(text)}. To see yours with their ids, run: conclave calendar agenda`;
    return new Problem('missing', 'NOT_FOUND', message);
  };
  const stored = async () =>
    (await collectEvents(caller, {})).map(({ id: each, summary }) => ({ id: each, label: summary }));
  const id = await idFrom(part, stored, missing);
  if (on === undefined) {
    const named = instance === undefined ? id : `${id}_${instance.toUpperCase()}`;
    return await orMissing(missing, async () => (await perform(caller, calendar.showEvent, { id: named })).event);
  }
  const at = await readDay(on, reader);
  const range = { start: dayText(at), end: dayText(at + day), timezone: reader.clock.zone };
  const { events } = await orMissing(
    missing,
    async () => await perform(caller, calendar.listInstances, { id, ...range }),
  );
  const begun = events.filter((event) => dayText(beginOf(event, reader)) === dayText(at));
  const candidates = begun.length > 0 ? begun : events;
  const [one] = candidates;
  if (one === undefined) throw new Problem('missing', 'NOT_FOUND', `The event is not on ${dayText(at)}.`);
  if (candidates.length > 1)
    throw ambiguous(
      on,
      candidates.map((event) => ({ id: event.id, label: timeText(beginOf(event, reader)) })),
    );
  return one;
}

/** The node says that there is no such event; how to find those that there are, only a command knows. */
async function orMissing<T>(missing: () => Problem, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof Problem && error.kind === 'missing' ? missing() : error;
  }
}

function beginOf({ allDay, dtstart, start }: Event, { clock }: Reader): number {
  return allDay ? Date.parse(dtstart) : clock.wallOf(Date.parse(start));
}

/** @throws Problem invalid USAGE if an instance is needed and the whole series was named */
export function modeOf(flags: ModeFlags, { isRecurring, occurrenceId }: Event): ModificationMode | undefined {
  const mode =
    flags.this === true
      ? 'single'
      : flags.following === true
        ? 'thisAndFuture'
        : flags.all === true
          ? 'all'
          : undefined;
  if (isRecurring && occurrenceId === undefined && mode !== undefined && mode !== 'all')
    throw new Problem('invalid', 'USAGE', 'Name the instance of the series with --on DAY, or by its own id.');
  return mode;
}
