import { perform, type Caller } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import { calendar } from '../../../contract/calendar.ts';
import type { Event, GivenEvent } from '../../../contract/calendar/event.ts';
import { changeEvent } from '../change-event.ts';
import { collectEvents } from '../collect-events.ts';
import { fieldsOf } from '../event-flags.ts';
import { eventTime, eventWords, movedWords } from '../event-views.ts';
import { weeksOfMonth } from '../picture/month-picture.ts';
import { placedEvents, type Placed } from '../picture/placed.ts';
import { readEvent } from '../plain-event.ts';
import { readDay, readWhen, type Reader } from '../plain-words.ts';
import { dayText, dayWords, type WallClock } from '../wall-clock.ts';
import { whenWords } from '../when-words.ts';
import {
  goneTo,
  writable,
  type Change,
  type Choice,
  type Effect,
  type LinePanel,
  type Panel,
  type ProposedPanel,
  type State,
} from './state.ts';

/** The weeks of a month, as the node has them. */
export async function readMonth(
  caller: Caller,
  month: number,
  clock: WallClock,
  signal: AbortSignal,
): Promise<Placed[]> {
  const { from, to } = weeksOfMonth(month);
  const range = { start: dayText(from), end: dayText(to), timezone: clock.zone };
  return placedEvents(await collectEvents(caller, range, signal), clock);
}

/** What is understood of a line, or what is wrong with it. */
export async function heardOf(
  state: State,
  { purpose, line: { text }, event }: LinePanel,
  nowMs: number,
): Promise<string> {
  if (text.trim() === '') return '';
  const { zone } = state.clock;
  try {
    if (purpose === 'day') return dayWords(await readDay(text, readerOf(state, nowMs)));
    if (purpose === 'when' && event !== undefined)
      return movedWords(await readWhen(text, readerOf(state, nowMs, event)), event, state.clock);
    const { title, when } = await readEvent(text, readerOf(state, nowMs));
    return `${title}: ${whenWords(when, zone)}`;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** A time without a day is on the day on which the person is, or that of the event. */
function readerOf({ clock, day }: State, now: number, event?: Event): Reader {
  return { now, clock, day: event === undefined ? day : eventTime(event, clock).start };
}

/** What follows a line: another state, and what is to be done with the node. */
export interface Entered {
  readonly change?: (state: State) => State;
  readonly effect?: Effect;
}

/** What a line says. @throws Problem invalid USAGE for words that are not understood */
export async function entered(state: State, panel: LinePanel, nowMs: number): Promise<Entered> {
  const { purpose, event, line } = panel;
  const text = line.text.trim();
  const shows = (shown: Panel) => ({ change: (now: State): State => ({ ...now, panel: shown }) });
  switch (purpose) {
    case 'day': {
      const wall = await readDay(text, readerOf(state, nowMs));
      return { change: (now) => ({ ...goneTo(now, wall), panel: undefined }) };
    }
    case 'search':
      return { effect: { do: 'search', words: text, panel } };
    case 'new':
      return shows(await proposed(state, text, nowMs));
    default:
      if (event === undefined) return {};
      return next(await givenBy(state, panel, event, nowMs), event, panel, state);
  }
}

/** What is found in the calendars that are shown. */
export async function searched(caller: Caller, words: string, { calendars = [], hidden }: State, signal: AbortSignal) {
  const visible = calendars.map(({ id }) => id).filter((id) => !hidden.has(id));
  const within = hidden.size > 0 ? { calendarIds: visible } : {};
  return (await perform(caller, calendar.searchEvents, { q: words, ...within }, signal)).results;
}

async function proposed(state: State, text: string, nowMs: number): Promise<ProposedPanel> {
  const { title, when } = await readEvent(text, readerOf(state, nowMs));
  const { clock } = state;
  const [first] = writable(state);
  return {
    kind: 'proposed',
    text,
    title,
    words: whenWords(when, clock.zone),
    given: fieldsOf(when, { clock }),
    calendarId: first?.id,
  };
}

async function givenBy(
  state: State,
  { purpose, line: { text } }: LinePanel,
  event: Event,
  nowMs: number,
): Promise<{ readonly given: GivenEvent; readonly words: string }> {
  if (purpose === 'title') return { given: { summary: text.trim() }, words: `the title ${text.trim()}` };
  if (purpose === 'place') return { given: { location: text.trim() }, words: `the place ${text.trim()}` };
  const reader = readerOf(state, nowMs, event);
  const when = await readWhen(text, reader);
  return { given: fieldsOf(when, reader), words: movedWords(when, event, state.clock) };
}

/** Asks which events of a series are meant, and whether new times were understood. */
function next(
  { given, words }: { readonly given: GivenEvent; readonly words: string },
  event: Event,
  panel: LinePanel,
  { clock }: State,
): Entered {
  const to = (mode?: Change['mode']): Effect => ({
    do: 'change',
    change: { event, given, ...(mode !== undefined && { mode }) },
  });
  const isTimes = panel.purpose === 'when';
  if (!event.isRecurring && !isTimes) return { change: (now) => ({ ...now, panel: undefined }), effect: to() };
  const choices: Choice[] = event.isRecurring
    ? [
        { key: 't', does: 'this one', leadsTo: { effect: to('single') } },
        { key: 'f', does: 'this and later ones', leadsTo: { effect: to('thisAndFuture') } },
        { key: 'a', does: 'all', leadsTo: { effect: to('all') } },
      ]
    : [{ key: 'y', does: 'yes', leadsTo: { effect: to() } }];
  const question = isTimes
    ? `Change ${event.summary}: ${eventWords(event, clock)}, becomes ${words}?`
    : `Change ${event.summary} to ${words}?`;
  const back: Choice = { key: 'c', does: 'change it', leadsTo: { panel } };
  return { change: (now) => ({ ...now, panel: { kind: 'choice', question, choices: [...choices, back] } }) };
}

/** @returns the event, and what to tell the person */
export async function added(caller: Caller, { title, given, calendarId }: ProposedPanel, clock: WallClock) {
  const input = { summary: title, ...given, ...(calendarId !== undefined && { calendarId }) };
  const { event } = await perform(caller, calendar.createEvent, input);
  return { event, note: `Added ${event.summary}: ${eventWords(event, clock)}. d deletes it.` };
}

/** @returns the event, and what to tell the person */
export async function changed(caller: Caller, { event: before, given, mode }: Change, clock: WallClock) {
  const { event } = await changeEvent(caller, { before, mode, given, clock, isZoneNamed: false });
  return { event, note: `Changed ${event.summary}: ${eventWords(event, clock)}.` };
}

/** @returns what to tell the person */
export async function removed(
  caller: Caller,
  { event, mode }: Extract<Effect, { do: 'remove' }>,
  clock: WallClock,
): Promise<string> {
  const input = { id: event.id, ifMatch: `"${event.etag}"`, ...(mode !== undefined && { modificationMode: mode }) };
  await perform(caller, calendar.deleteEvent, input);
  return `Deleted ${event.summary}, ${eventWords(event, clock)}.`;
}
