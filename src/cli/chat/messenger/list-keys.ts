import { helpPanel } from './help.ts';
import { isCharacter } from '../../kit/line.ts';
import { hasTwoPanes, listed, LOBBY, nothing, type Pressed, type State } from './state.ts';

/** What a key does in the list of conversations. */
export function listKey(state: State, key: string): Pressed {
  if (state.isFiltering) return filterKey(state, key);
  const all = listed(state);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === state.chosen),
  );
  const page = Math.max(1, state.rows - 3);
  const to = (place: number): Pressed =>
    nothing({ ...state, chosen: all[Math.max(0, Math.min(all.length - 1, place))]?.id });
  switch (key) {
    case 'down':
    case 'j':
      return to(at + 1);
    case 'up':
    case 'k':
      return to(at - 1);
    case 'pagedown':
    case ' ':
    case 'n':
      return to(at + page);
    case 'pageup':
    case 'p':
      return to(at - page);
    case 'home':
    case 'g':
      return to(0);
    case 'end':
    case 'G':
      return to(all.length - 1);
    case 'return':
    case 'right':
      return opened(state, all[at]?.id);
    case 'open-up':
    case 'open-down':
      return opened(state, all[Math.max(0, Math.min(all.length - 1, at + (key === 'open-up' ? -1 : 1)))]?.id);
    case 'tab':
    case 'shift-tab':
    case 'escape':
      if (key === 'escape' && state.filter !== '') return nothing({ ...state, filter: '' });
      return nothing({ ...state, pane: 'talk', openId: state.openId ?? LOBBY });
    case '/':
      return nothing({ ...state, isFiltering: true });
    case '.':
      return { state: { ...state, note: 'Looked again.' }, effects: [{ do: 'reload' }] };
    case '?':
      return nothing({ ...state, panel: helpPanel });
    case 'q':
    case 'ctrl-d':
      return { state, effects: [{ do: 'quit' }] };
    default:
      return nothing(state);
  }
}

function opened(state: State, id: string | undefined): Pressed {
  if (id === undefined) return nothing(state);
  if (id === state.openId) return nothing({ ...state, pane: 'talk' });
  const from = state.openId;
  return { state: { ...state, pane: 'talk', openId: id, chosen: id }, effects: [{ do: 'open', id, from }] };
}

function filterKey(state: State, key: string): Pressed {
  const narrowed = (filter: string): Pressed => {
    const after = { ...state, filter };
    return nothing({ ...after, chosen: listed(after)[0]?.id });
  };
  if (key === 'escape') return nothing({ ...state, isFiltering: false, filter: '' });
  if (key === 'return') return nothing({ ...state, isFiltering: false });
  if (key === 'backspace') return narrowed(Array.from(state.filter).slice(0, -1).join(''));
  if (isCharacter(key)) return narrowed(state.filter + key);
  return key === 'up' || key === 'down' ? listKeyOnce(state, key) : nothing(state);
}

function listKeyOnce(state: State, key: string): Pressed {
  const { state: after, effects } = listKey({ ...state, isFiltering: false }, key);
  return { state: { ...after, isFiltering: true }, effects };
}

/** Where the person goes when the conversation that was open is gone. */
export function withoutOpen(state: State): State {
  return { ...state, openId: LOBBY, pane: hasTwoPanes(state) ? state.pane : 'list' };
}
