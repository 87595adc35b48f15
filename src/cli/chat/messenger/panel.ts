import type { Screen } from '../../kit/screen.ts';
import type { Desk } from './desk.ts';
import { talkWidth } from './state.ts';

/** Shows a text instead of the messages. @returns what is told if there is none */
export function show(desk: Desk, title: string, draw: (screen: Screen) => string, none = ''): string {
  const { measure, screen } = desk.look();
  const text = draw({ ...screen, width: talkWidth(desk.state()), paint: (_, shown) => shown, measure });
  if (text === '') return none;
  desk.change((state) => ({ ...state, panel: { title, text, top: 0 } }));
  return '';
}
