import { Args } from '@oclif/core';
import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Calendar } from '../../contract/calendar/calendars.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { ambiguous, type Candidate } from '../kit/pick.ts';

export const calendarArgument = {
  calendar: Args.string({ description: 'its name, or eight or more digits of its id', required: true }),
};

/**
 * The calendar that a person names: by its name, in any case, or by its id. An own one comes before one of somebody else.
 * @throws Problem missing NOT_FOUND, conflict AMBIGUOUS
 */
export async function calendarNamed(caller: Caller, text: string): Promise<Calendar> {
  const { calendars } = await perform(caller, calendar.listCalendars, {});
  return await namedIn(calendars, text);
}

/**
 * All calendars, and the ids of those that a person names.
 * @throws Problem missing NOT_FOUND, conflict AMBIGUOUS
 */
export async function calendarsNamed(
  caller: Caller,
  texts: readonly string[],
): Promise<{ readonly calendars: readonly Calendar[]; readonly chosen: string[] }> {
  const { calendars } = await perform(caller, calendar.listCalendars, {});
  const chosen = new Set<string>();
  for (const text of texts) chosen.add((await namedIn(calendars, text)).id);
  return { calendars, chosen: [...chosen] };
}

async function namedIn(calendars: readonly Calendar[], text: string): Promise<Calendar> {
  const same = calendars.filter(({ displayName }) => folded(displayName) === folded(text));
  const own = same.filter(({ permission }) => permission === 'owner');
  const named = own.length > 0 ? own : same;
  if (named.length > 1) throw ambiguous(text, named.map(candidate));
  const [only] = named;
  if (only !== undefined) return only;
  const id = await idFrom(
    text,
    async () => calendars.map(candidate),
    () => noCalendar(text),
  );
  const found = calendars.find((one) => one.id === id);
  if (found === undefined) throw noCalendar(text);
  return found;
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function candidate({ id, displayName, permission }: Calendar): Candidate {
  return { id, label: permission === 'owner' ? displayName : `${displayName}, of another member` };
}

function noCalendar(text: string): Problem {
  const message = `You have no calendar ${JSON.stringify(text)}. To list yours, run: conclave calendar list`;
  return new Problem('missing', 'NOT_FOUND', message);
}
