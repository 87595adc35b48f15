import { emptyLine } from '../../kit/line.ts';
import { startOfMonth, startOfWeek } from '../picture/month-picture.ts';
import { day, startOfDay } from '../wall-clock.ts';
import { eventKey } from './event-keys.ts';
import { panelKey } from './panel-keys.ts';
import { chosenEvent, eventsOfDay, goneTo, nothing, type Look, type Panel, type Pressed, type State } from './state.ts';

/** What a key does. It asks nothing of the node itself, so keys never wait. */
export function press(state: State, key: string, look: Look): Pressed {
  const quiet = { ...state, note: '' };
  if (state.panel !== undefined) return panelKey(quiet, state.panel, key, look);
  const moved = movedTo(quiet, key, look);
  if (moved !== undefined) return nothing(moved);
  return calendarKey(quiet, key);
}

function calendarKey(state: State, key: string): Pressed {
  const open = (panel: Panel): Pressed => nothing({ ...state, panel });
  const chosen = chosenEvent(state)?.event;
  switch (key) {
    case 'q':
    case 'ctrl-d':
      return { state, effects: [{ do: 'quit' }] };
    case 'm':
      return nothing({ ...state, view: 'month' });
    case 'w':
      return nothing({ ...state, view: 'week' });
    case '.':
      return { state, effects: [{ do: 'reload' }] };
    case '?':
    case 'f1':
      return open({ kind: 'help', top: 0 });
    case 'c':
      return open({ kind: 'calendars', at: 0 });
    case 'n':
      return open({ kind: 'line', purpose: 'new', line: emptyLine, heard: '' });
    case '/':
      return open({ kind: 'line', purpose: 'search', line: emptyLine, heard: '' });
    case 'g':
      return open({ kind: 'line', purpose: 'day', line: emptyLine, heard: '' });
    case 'return':
    case 'e':
    case 'd':
    case 'delete':
      return chosen === undefined ? nothing({ ...state, note: NOTHING_HERE }) : eventKey(state, key, chosen);
    default:
      return nothing(state);
  }
}

const NOTHING_HERE = 'Nothing is on this day. n adds an event.';

/** Goes to another day or event. @returns undefined for another key */
function movedTo(state: State, key: string, { nowMs }: Look): State | undefined {
  const { view, day: at, clock } = state;
  const to = (wall: number): State => goneTo(state, wall);
  const isWeek = view === 'week';
  switch (key) {
    case 'left':
      return to(at - day);
    case 'right':
      return to(at + day);
    case 'up':
      return isWeek ? byEvent(state, -1) : to(at - 7 * day);
    case 'down':
      return isWeek ? byEvent(state, 1) : to(at + 7 * day);
    case 'pageup':
      return to(isWeek ? at - 7 * day : inMonth(at, -1));
    case 'pagedown':
      return to(isWeek ? at + 7 * day : inMonth(at, 1));
    case 'home':
      return to(isWeek ? startOfWeek(at) : startOfMonth(at));
    case 'end':
      return to(isWeek ? startOfWeek(at) + 6 * day : startOfMonth(at, 1) - day);
    case 't':
      return to(startOfDay(clock.wallOf(nowMs)));
    case 'tab':
    case 'j':
      return byEvent(state, 1);
    case 'shift-tab':
    case 'k':
      return byEvent(state, -1);
    default:
      return undefined;
  }
}

/** The same day of another month, or its last one. */
function inMonth(wall: number, by: number): number {
  const first = startOfMonth(wall, by);
  const number = new Date(wall).getUTCDate();
  return Math.min(first + (number - 1) * day, startOfMonth(first, 1) - day);
}

function byEvent(state: State, by: number): State {
  const all = eventsOfDay(state);
  const at = all.findIndex((one) => one === chosenEvent(state));
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  // The series of it may be what was chosen.
  return { ...state, chosenId: next?.event.id };
}
