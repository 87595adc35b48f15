import { loadMeasure } from '../../../../src/cli/kit/display-width.ts';
import { press } from '../../../../src/cli/chat/messenger/keys.ts';
import {
  newTalk,
  unbegunPlace,
  type Effect,
  type Look,
  type Place,
  type Said,
  type State,
  type Talk,
} from '../../../../src/cli/chat/messenger/state.ts';
import { view } from '../../../../src/cli/chat/messenger/view.ts';

export const measure = await loadMeasure();
let made = 0;
export const look: Look = {
  measure,
  screen: { width: 80, paint: (_, text) => text, clock: (at) => at.toISOString().slice(0, 16).replace('T', ' ') },
  nowMs: Date.parse('2026-12-01T12:00:00.000Z'),
  newId: () => String((made += 1)).padStart(32, '0'),
};

export const me = { id: 'a'.repeat(24), name: 'ada' };
export const bob = { id: 'b'.repeat(24), name: 'bob' };

export function idOf(seq: number): string {
  return `01a22b${String(seq).padStart(6, '0')}`.padEnd(32, '0');
}

export function said(seq: number, content: string | null, more: Partial<Said> = {}): Said {
  return {
    id: idOf(seq),
    conversationId: 'tea',
    seq,
    senderId: bob.id,
    senderName: bob.name,
    content,
    createdAt: `2026-12-01T10:${String(seq % 60).padStart(2, '0')}:00.000Z`,
    editedAt: null,
    pinned: false,
    replyToMessageId: null,
    reactionCounts: [],
    attachments: [],
    ...more,
  };
}

export function own(seq: number, content: string): Said {
  return said(seq, content, { senderId: me.id, senderName: me.name });
}

export function placeOf(id: string, more: Partial<Place> = {}): Place {
  const place = { ...unbegunPlace(id, id, 'server', 0), type: 'group', lastMessageAt: '2026-12-01T10:00:00.000Z' };
  return { ...place, ...more } as Place;
}

export function talkOf(messages: readonly Said[], more: Partial<Talk> = {}): Talk {
  return { ...newTalk, isLoading: false, messages, ...more };
}

/** A screen on which the group `tea` is open. */
export function stateOf(talk: Talk, more: Partial<State> = {}): State {
  return {
    me,
    columns: 80,
    rows: 24,
    places: new Map([
      ['tea', placeOf('tea')],
      ['cake', placeOf('cake', { unread: 3, mentionCount: 1 })],
    ]),
    talks: new Map([['tea', talk]]),
    openId: 'tea',
    pane: 'talk',
    chosen: 'tea',
    filter: '',
    isFiltering: false,
    names: new Map([
      [me.id, me.name],
      [bob.id, bob.name],
    ]),
    link: 'live',
    note: '',
    asking: undefined,
    panel: undefined,
    ...more,
  };
}

/** Presses keys one after another; a word in brackets is the name of one, and other characters are themselves. */
export function typed(state: State, ...all: readonly string[]): { readonly state: State; readonly effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const part of all) {
    for (const key of part.startsWith('[') ? [part.slice(1, -1)] : Array.from(part)) {
      const after = press(now, key, look);
      now = after.state;
      effects.push(...after.effects);
    }
  }
  return { state: now, effects };
}

export function linesOf(state: State): readonly string[] {
  return view(state, look).lines;
}

export function screenOf(state: State): string {
  return linesOf(state).join('\n');
}

export function tea(state: State): Talk {
  const talk = state.talks.get('tea');
  if (talk === undefined) throw new Error('the conversation is not open');
  return talk;
}
