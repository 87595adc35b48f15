import type { Event } from '../../../contract/calendar/event.ts';
import { lineOf } from '../../kit/line.ts';
import { eventWords } from '../event-views.ts';
import { nothing, type Choice, type Panel, type Pressed, type State } from './state.ts';

/** What keys do with an event, in the calendar and on its own screen. */
export function eventKey(state: State, key: string, event: Event): Pressed {
  const open = (panel: Panel): Pressed => nothing({ ...state, panel });
  if (key === 'return') return open({ kind: 'event', event, top: 0 });
  if (event.myPermission !== 'owner' && event.myPermission !== 'editor')
    return nothing({ ...state, note: 'You may only read this calendar.' });
  if (key === 'e') return open(editing(event));
  return open(removing(state, event));
}

function editing(event: Event): Panel {
  const write = (purpose: 'title' | 'when' | 'place', text: string) =>
    ({ panel: { kind: 'line', purpose, line: lineOf(text), event, heard: '' } }) as const;
  return {
    kind: 'choice',
    question: `Change ${event.summary}:`,
    choices: [
      { key: 't', does: 'title', leadsTo: write('title', event.summary) },
      { key: 'w', does: 'when it is', leadsTo: write('when', '') },
      { key: 'p', does: 'place', leadsTo: write('place', event.location) },
    ],
  };
}

function removing({ clock }: State, event: Event): Panel {
  const one = (key: string, does: string, mode?: 'single' | 'thisAndFuture' | 'all'): Choice => ({
    key,
    does,
    leadsTo: { effect: { do: 'remove', event, ...(mode !== undefined && { mode }) } },
  });
  const choices = event.isRecurring
    ? [one('t', 'this one', 'single'), one('f', 'this and later ones', 'thisAndFuture'), one('a', 'all', 'all')]
    : [one('y', 'yes')];
  return { kind: 'choice', question: `Delete ${event.summary}, ${eventWords(event, clock)}?`, choices };
}
