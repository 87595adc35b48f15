import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { nameOf } from '../conversation-table.ts';
import { conversationIdIn, isSocial, listed, talkIdsOf, type Look, type Place, type State } from './state.ts';

/** The title of the list, as wide as its pane. */
export function listTitle(state: State, width: number, { measure, screen: { paint } }: Look): string {
  const unread = [...state.places.values()].reduce((sum, one) => (one.archived ? sum : sum + one.unread), 0);
  const what = state.filter === '' && !state.isFiltering ? 'Conversations' : `/${escapeForTerminal(state.filter)}`;
  const trouble = state.link === 'lost' ? 'not connected, trying again' : '';
  const facts = [unread > 0 ? `(${unread})` : '', state.pane === 'list' ? trouble : ''].filter((text) => text !== '');
  const text = fit([what, ...facts].join(' '), width, measure);
  return paint('bold', text + ' '.repeat(Math.max(0, width - measure(text))));
}

/** The part of the list around its cursor. */
export function listLines(state: State, width: number, height: number, look: Look): string[] {
  const all = listed(state);
  if (all.length === 0) return [padded(state.filter === '' ? '' : ' No name has that.', width, look)];
  const atId = state.pane === 'list' ? state.chosen : state.openId && conversationIdIn(state.openId);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === atId),
  );
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), all.length - height));
  return Array.from({ length: height }, (_, index) => {
    const place = all[top + index];
    return place === undefined ? padded('', width, look) : rowOf(state, place, place.id === atId, width, look);
  });
}

function padded(text: string, width: number, { measure }: Look): string {
  const cut = fit(text, width, measure);
  return cut + ' '.repeat(Math.max(0, width - measure(cut)));
}

function rowOf(state: State, place: Place, isAt: boolean, width: number, look: Look): string {
  const {
    measure,
    screen: { paint },
  } = look;
  const { unread, mentionCount, mutedUntil, pinned } = place;
  const pending = talkIdsOf(state, place.id).flatMap((id) => state.talks.get(id)?.pending ?? []);
  const tail = [
    isSocial(place) ? 'social' : '',
    pending.some(({ state: how }) => how !== 'sending') ? '!' : '',
    mentionCount > 0 ? `@${mentionCount}` : '',
    unread > 0 ? String(unread) : '',
  ].filter((text) => text !== '');
  const end = tail.length === 0 ? '' : ` ${tail.join(' ')}`;
  const name = `${isAt ? '>' : ' '}${pinned ? '*' : ' '}${escapeForTerminal(nameOf(place))}`;
  const room = width - measure(end) - 1;
  const row = `${padded(name, room, look)}${end} `;
  const isMuted = mutedUntil !== null && Date.parse(mutedUntil) > look.nowMs;
  if (unread > 0 && !isMuted) return paint('bold', row);
  return isMuted ? paint('dim', row) : row;
}
