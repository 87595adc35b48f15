import { edited, lineOf } from '../../kit/line.ts';
import { PASTED } from '../../kit/keyboard.ts';
import { scrollStep } from '../../kit/scrolling.ts';
import { foundTime } from '../found-table.ts';
import { eventKey } from './event-keys.ts';
import { panelHeight, panelText } from './panel-view.ts';
import {
  goneTo,
  nothing,
  writable,
  type LinePanel,
  type Look,
  type Panel,
  type Pressed,
  type ProposedPanel,
  type State,
} from './state.ts';

const back = new Set(['escape', 'q', 'backspace']);

/** What a key does while something else than the calendar has the keys. */
export function panelKey(state: State, panel: Panel, key: string, look: Look): Pressed {
  if (key === 'ctrl-d' && panel.kind !== 'line') return { state, effects: [{ do: 'quit' }] };
  switch (panel.kind) {
    case 'line':
      return lineKey(state, panel, key);
    case 'choice': {
      const choice = panel.choices.find((one) => one.key === key.toLowerCase());
      if (choice === undefined) return key === 'n' || back.has(key) ? closed(state) : nothing(state);
      if ('panel' in choice.leadsTo) return nothing({ ...state, panel: choice.leadsTo.panel });
      return { state: { ...state, panel: undefined }, effects: [choice.leadsTo.effect] };
    }
    case 'proposed':
      return proposedKey(state, panel, key);
    case 'calendars':
      return calendarsKey(state, panel, key);
    case 'found':
      return foundKey(state, panel, key);
    case 'event':
      if (['e', 'd', 'delete'].includes(key)) return eventKey(state, key, panel.event);
      return textKey(state, panel, key, look);
    default:
      return textKey(state, panel, key, look);
  }
}

function closed(state: State): Pressed {
  return nothing({ ...state, panel: undefined });
}

function textKey(state: State, panel: Extract<Panel, { top: number }>, key: string, look: Look): Pressed {
  const room = panelHeight(state);
  const last = Math.max(0, panelText(state, panel, look).length - room);
  const top = Math.min(panel.top, last);
  if (back.has(key) || key === 'return' || (key === '?' && panel.kind === 'help')) return closed(state);
  const to = Math.max(0, Math.min(last, top + scrollStep(key, { room, top, last })));
  return nothing({ ...state, panel: { ...panel, top: to } });
}

/** A line has one line: ends of lines that are pasted become spaces. */
function lineKey(state: State, panel: LinePanel, given: string): Pressed {
  if (given === 'escape') return closed(state);
  if (given === 'ctrl-d' && panel.line.text === '') return closed(state);
  if (given === 'return') {
    const isEmpty = panel.line.text.trim() === '';
    if (isEmpty && panel.purpose !== 'place') return closed(state);
    return { state, effects: [{ do: 'enter', panel }] };
  }
  const key = given.startsWith(PASTED) ? given.replaceAll(/\s+/g, ' ').slice(0, MOST_PASTED) : given;
  const line = edited(panel.line, key);
  if (line === undefined || line.text.includes('\n')) return nothing(state);
  const after: LinePanel = { ...panel, line };
  const changes = line.text !== panel.line.text;
  const isRead = ['new', 'when', 'day'].includes(panel.purpose);
  return { state: { ...state, panel: after }, effects: changes && isRead ? [{ do: 'hear', panel: after }] : [] };
}

/** Characters. What is longer is no event. */
const MOST_PASTED = 2_000;

function proposedKey(state: State, panel: ProposedPanel, key: string): Pressed {
  if (key === 'y' || key === 'return')
    return { state: { ...state, panel: undefined }, effects: [{ do: 'add', proposed: panel }] };
  if (key === 'c') {
    const all = writable(state);
    const at = all.findIndex(({ id }) => id === panel.calendarId);
    const next = all[(at + 1) % Math.max(1, all.length)];
    return nothing({ ...state, panel: { ...panel, calendarId: next?.id } });
  }
  if (key === 'n' || key === 'escape')
    return nothing({
      ...state,
      panel: { kind: 'line', purpose: 'new', line: lineOf(panel.text), heard: `${panel.title}: ${panel.words}` },
    });
  return nothing(state);
}

function calendarsKey(state: State, panel: Extract<Panel, { kind: 'calendars' }>, key: string): Pressed {
  const all = state.calendars ?? [];
  const step = stepOf(key);
  if (step !== undefined) return nothing({ ...state, panel: { ...panel, at: within(panel.at + step, all.length) } });
  if (back.has(key) || key === 'return' || key === 'c') return closed(state);
  const one = all[panel.at];
  if ((key !== ' ' && key !== 'x') || one === undefined) return nothing(state);
  const hidden = new Set(state.hidden);
  if (!hidden.delete(one.id)) hidden.add(one.id);
  return nothing({ ...state, hidden });
}

function foundKey(state: State, panel: Extract<Panel, { kind: 'found' }>, key: string): Pressed {
  const step = stepOf(key);
  if (step !== undefined)
    return nothing({ ...state, panel: { ...panel, at: within(panel.at + step, panel.found.length) } });
  if (back.has(key)) return closed(state);
  const one = panel.found[panel.at];
  if (key !== 'return' || one === undefined) return nothing(state);
  return nothing({ ...goneTo(state, foundTime(one, state.clock), one.id), panel: undefined });
}

function stepOf(key: string): number | undefined {
  const steps: Readonly<Record<string, number>> = { down: 1, j: 1, tab: 1, up: -1, k: -1, pagedown: 10, pageup: -10 };
  return steps[key];
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}
