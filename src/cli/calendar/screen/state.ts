import type { Calendar } from '../../../contract/calendar/calendars.ts';
import type { Event, GivenEvent } from '../../../contract/calendar/event.ts';
import type { ModificationMode } from '../../../contract/calendar/limits.ts';
import type { FoundEvent } from '../../../contract/calendar/search.ts';
import type { Line } from '../../kit/line.ts';
import type { Measure } from '../../kit/display-width.ts';
import type { Paint, Palette } from '../../kit/terminal.ts';
import { startOfMonth } from '../picture/month-picture.ts';
import { onDay, type Placed } from '../picture/placed.ts';
import { day, startOfDay, type WallClock } from '../wall-clock.ts';

/** What is on the screen of a calendar. It changes by keys, and by what the node answers. */
export interface State {
  readonly columns: number;
  readonly rows: number;
  readonly clock: WallClock;
  readonly view: 'month' | 'week';
  /** the day on which the person is */
  readonly day: number;
  /** the event on which they are, or the series of it; undefined: the first one of the day */
  readonly chosenId: string | undefined;
  /** what was read, by the first day of the month; its weeks are complete */
  readonly months: ReadonlyMap<number, readonly Placed[]>;
  /** undefined: not read */
  readonly calendars: readonly Calendar[] | undefined;
  /** ids of calendars that the person does not want to see */
  readonly hidden: ReadonlySet<string>;
  readonly isBusy: boolean;
  /** what the person is told, until the next key */
  readonly note: string;
  /** undefined: the calendar itself has the keys */
  readonly panel: Panel | undefined;
}

/** What is written in a line. */
export type Purpose = 'new' | 'title' | 'when' | 'place' | 'search' | 'day';

export type Panel =
  | { readonly kind: 'event'; readonly event: Event; readonly top: number }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'calendars'; readonly at: number }
  | { readonly kind: 'found'; readonly words: string; readonly found: readonly FoundEvent[]; readonly at: number }
  | LinePanel
  | { readonly kind: 'choice'; readonly question: string; readonly choices: readonly Choice[] }
  | ProposedPanel;

export interface LinePanel {
  readonly kind: 'line';
  readonly purpose: Purpose;
  readonly line: Line;
  /** of a change */
  readonly event?: Event;
  /** what is understood of the line */
  readonly heard: string;
}

/** A new event before it is written. */
export interface ProposedPanel {
  readonly kind: 'proposed';
  readonly text: string;
  readonly title: string;
  /** when it is, in words */
  readonly words: string;
  readonly given: GivenEvent;
  readonly calendarId: string | undefined;
}

export interface Choice {
  readonly key: string;
  readonly does: string;
  readonly leadsTo: { readonly effect: Effect } | { readonly panel: Panel };
}

/** A change of an event, in the zone of the clock. */
export interface Change {
  readonly event: Event;
  readonly given: GivenEvent;
  readonly mode?: ModificationMode;
}

/** What keys want of the node, or of words. */
export type Effect =
  | { readonly do: 'quit' }
  | { readonly do: 'reload' }
  /** shows what is understood of a line */
  | { readonly do: 'hear'; readonly panel: LinePanel }
  /** does what a line says, or asks whether that is meant */
  | { readonly do: 'enter'; readonly panel: LinePanel }
  | { readonly do: 'search'; readonly words: string; readonly panel: LinePanel }
  | { readonly do: 'add'; readonly proposed: ProposedPanel }
  | { readonly do: 'change'; readonly change: Change }
  | { readonly do: 'remove'; readonly event: Event; readonly mode?: ModificationMode };

export interface Pressed {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function nothing(state: State): Pressed {
  return { state, effects: [] };
}

/** What drawing needs besides the state. */
export interface Look {
  readonly measure: Measure;
  readonly paint: Paint;
  readonly palette: Palette;
  readonly nowMs: number;
}

/** What was read of the month of the day, without calendars that are not wanted; undefined: nothing was read. */
export function shownEvents({ months, day: at, hidden }: State): readonly Placed[] | undefined {
  const all = months.get(startOfMonth(at));
  return hidden.size === 0 ? all : all?.filter(({ event }) => !hidden.has(event.calendarId));
}

/** What is on the day on which the person is. */
export function eventsOfDay(state: State): Placed[] {
  return onDay(shownEvents(state) ?? [], state.day);
}

/** The event on which the person is. */
export function chosenEvent(state: State): Placed | undefined {
  const all = eventsOfDay(state);
  return all.find(({ event }) => isChosen(event, state.chosenId)) ?? all[0];
}

function isChosen({ id, parentEventId }: Event, chosenId: string | undefined): boolean {
  return chosenId !== undefined && (id === chosenId || parentEventId === chosenId);
}

export function calendarOf({ calendars }: State, calendarId: string): Calendar | undefined {
  return calendars?.find(({ id }) => id === calendarId);
}

/** Calendars in which the person may write, the default one first. */
export function writable({ calendars = [] }: State): Calendar[] {
  const own = calendars.filter(({ permission }) => permission === 'owner' || permission === 'editor');
  const isFirst = ({ isDefault, permission }: Calendar): boolean => isDefault && permission === 'owner';
  return [...own.filter(isFirst), ...own.filter((one) => !isFirst(one))];
}

/** Years that are shown. Beyond them clocks are a guess. */
const [FIRST, LAST] = [Date.UTC(1900, 0, 1), Date.UTC(2200, 0, 1) - day];

export function goneTo(state: State, wall: number, chosenId?: string): State {
  return { ...state, day: Math.max(FIRST, Math.min(LAST, startOfDay(wall))), chosenId };
}
