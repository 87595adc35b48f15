import { chatLimits } from '../../../contract/chat/limits.ts';
import { completed } from './completion.ts';
import { runLine } from './command-line.ts';
import { helpPanel } from './help.ts';
import { edited, isCharacter, pastedBy, verticallyMoved } from '../../kit/line.ts';
import { listKey } from './list-keys.ts';
import { atEnd, scrolled, showingMark, windowOf } from './scrolling.ts';
import { blocksOf, idOf, itemsOf } from './timeline.ts';
import {
  conversationIdIn,
  isSocial,
  nothing,
  openTalk,
  talkWidth,
  withTalk,
  type Effect,
  type Look,
  type Open,
  type Pressed,
  type State,
  type Talk,
} from './state.ts';
import { bodyHeight, panelText, partsOf, tooLong } from './view.ts';
import { messageIn } from './command-words.ts';
import { backFromThread, editing, newest, sent } from './writing.ts';

/** More than this is no message, and would be slow to show. */
const MOST_PASTED = 10 * chatLimits.text;

export function press(state: State, key: string, look: Look): Pressed {
  if (state.asking !== undefined) return answered(state, state.asking.effect, key);
  const quiet = { ...state, note: '' };
  if (state.panel !== undefined) return panelKey(quiet, key, look);
  if (key === 'f1') return nothing({ ...quiet, panel: helpPanel });
  if (key === 'alt-up' || key === 'alt-down') return neighbour(quiet, key === 'alt-up' ? -1 : 1);
  if (state.pane === 'list') return listKey(quiet, key);
  const open = openTalk(state);
  return open === undefined ? nothing({ ...quiet, pane: 'list' }) : talkKey(quiet, open, key, look);
}

function answered(state: State, effect: Effect, key: string): Pressed {
  const asked = { ...state, asking: undefined };
  if (key === 'y' || key === 'Y') return { state: asked, effects: [effect] };
  return key === 'n' || key === 'N' || key === 'escape' ? nothing(asked) : nothing(state);
}

function panelKey(state: State, key: string, look: Look): Pressed {
  const { panel } = state;
  const page = Math.max(1, bodyHeight(state, look) - 1);
  const last = Math.max(0, panelText(state, look).length - bodyHeight(state, look));
  const top = Math.min(panel?.top ?? 0, last);
  const places: Readonly<Record<string, number>> = {
    down: top + 1,
    j: top + 1,
    up: top - 1,
    k: top - 1,
    pagedown: top + page,
    ' ': top + page,
    pageup: top - page,
    home: 0,
    end: last,
  };
  const place = places[key];
  if (place !== undefined && panel !== undefined)
    return nothing({ ...state, panel: { ...panel, top: Math.max(0, Math.min(last, place)) } });
  return ['escape', 'q', 'return', 'tab', 'ctrl-d'].includes(key)
    ? nothing({ ...state, panel: undefined })
    : nothing(state);
}

/** The conversation above or below in the list. */
function neighbour(state: State, by: number): Pressed {
  return listKey(
    { ...state, chosen: state.openId && conversationIdIn(state.openId), pane: 'list' },
    by < 0 ? 'open-up' : 'open-down',
  );
}

function talkKey(state: State, open: Open, key: string, look: Look): Pressed {
  const { id, talk } = open;
  const isEmpty = talk.line.text === '';
  if (key === 'return') return enter(state, open, look.newId);
  if (key === 'tab') return tab(state, open);
  if (key === 'shift-tab') return nothing({ ...state, pane: 'list' });
  if (key === 'escape') return escape(state, open);
  if (key === 'ctrl-d' && isEmpty) return { state, effects: [{ do: 'quit' }] };
  if (key === 'ctrl-p' || key === 'ctrl-n') return marked(state, open, key === 'ctrl-p' ? -1 : 1, look);
  if (key === 'pageup' || key === 'pagedown') return turned(state, open, key, look);
  if (isEmpty && key === 'end') return { state: withTalk(state, id, atEnd), effects: newest(open) };
  if (isEmpty && key === 'home') return turned(state, open, key, look);
  if (key === 'up' || key === 'down') {
    if (!isEmpty) {
      const line = verticallyMoved(talk.line, key);
      return nothing(line === undefined ? state : withTalk(state, id, (one) => ({ ...one, line })));
    }
    if (talk.marked !== undefined) return marked(state, open, key === 'up' ? -1 : 1, look);
    return key === 'up' ? editLast(state, open) : nothing(state);
  }
  if ((pastedBy(key)?.length ?? 0) > MOST_PASTED)
    return nothing({ ...state, note: 'That is too long to paste. Send it as a file: /attach FILE' });
  const line = edited(talk.line, key);
  if (line === undefined) return nothing(state);
  const isTyping = line.text.length > talk.line.text.length && !line.text.startsWith('/') && isCharacter(key);
  return {
    state: withTalk(state, id, (one) => ({ ...one, line })),
    effects: isTyping && talk.purpose?.kind !== 'edit' ? [{ do: 'typing', id }] : [],
  };
}

/** Leaves what was begun last: a mark, an answer or edit, files, older messages, the thread, and the conversation itself. */
function escape(state: State, { id, talk }: Open): Pressed {
  const change = (with_: Partial<Talk>): Pressed => nothing(withTalk(state, id, (one) => ({ ...one, ...with_ })));
  const { purpose, marked: mark, files, scroll } = talk;
  if (purpose?.kind === 'edit') return change({ purpose: undefined, line: purpose.kept, marked: undefined });
  if (purpose !== undefined) return change({ purpose: undefined });
  if (mark !== undefined) return change({ marked: undefined });
  if (files.length > 0) return change({ files: [] });
  if (scroll !== undefined && !talk.hasNewer) return nothing(withTalk(state, id, atEnd));
  return talk.thread === undefined ? toList(state, id) : backFromThread(state, id);
}

function toList(state: State, id: string): Pressed {
  return nothing({ ...state, pane: 'list', chosen: conversationIdIn(id) });
}

function tab(state: State, { id, talk }: Open): Pressed {
  const found = completed(state, talk);
  if (found === undefined) return toList(state, id);
  return nothing({ ...withTalk(state, id, (one) => ({ ...one, line: found.line })), note: found.note });
}

/** Sends the line, does what it says, or keeps it and says why not. */
function enter(state: State, open: Open, newId: () => string): Pressed {
  const { id, talk } = open;
  const { text } = talk.line;
  const ran = runLine(state, open, newId);
  if (ran !== undefined) return ran;
  const length = Array.from(text).length;
  if (text.trim() === '' && talk.files.length > 0)
    return nothing({ ...state, note: 'Write a text that goes with the file.' });
  if (text.trim() === '' && talk.purpose?.kind !== 'edit') return nothing(withTalk(state, id, atEnd));
  if (length > chatLimits.text) return nothing({ ...state, note: tooLong(length) });
  if (talk.purpose?.kind === 'edit' && text.trim() === '')
    return nothing({ ...state, note: 'An edit needs a text. /remove deletes the message.' });
  return sent(state, open, messageIn(text), newId);
}

/** The person's last message, to change it. */
function editLast(state: State, { id, place, talk }: Open): Pressed {
  const last = talk.messages.findLast(
    ({ senderId, content, webhook }) => senderId === state.me.id && content !== null && webhook === undefined,
  );
  if (last === undefined || isSocial(place)) return nothing(state);
  return nothing(editing(state, id, last.id, last.content ?? ''));
}

function blocks(state: State, { place, talk }: Open, look: Look): (readonly string[])[] {
  return blocksOf(state, talk, place.type === 'direct', talkWidth(state), look);
}

/** Moves the mark. Behind the last message there is none. */
function marked(state: State, open: Open, by: number, look: Look): Pressed {
  const { id, talk } = open;
  const items = itemsOf(talk);
  const at = items.findIndex((item) => idOf(item) === talk.marked);
  const next = at === -1 ? (by < 0 ? items.length - 1 : -1) : at + by;
  const item = items[Math.max(0, next)];
  if (next >= items.length || item === undefined || (at === -1 && by > 0))
    return nothing(withTalk(state, id, (one) => atEnd({ ...one, marked: undefined })));
  const after = { ...talk, marked: idOf(item) };
  const room = partsOf(state, look).room;
  const shown = showingMark(after, blocks(state, { ...open, talk: after }, look), room);
  const effects: Effect[] = next <= 0 && talk.hasOlder && !talk.isLoading ? [{ do: 'older', id }] : [];
  return { state: withTalk(state, id, () => shown), effects };
}

/** Scrolls by a page, or to the first message that is here, and reads more at either end. */
function turned(state: State, open: Open, key: string, look: Look): Pressed {
  const { id, talk } = open;
  const { room } = partsOf(state, look);
  const page = Math.max(1, room - 1);
  const by = key === 'home' ? -Number.MAX_SAFE_INTEGER : key === 'pageup' ? -page : page;
  const lines = blocks(state, open, look);
  const after = scrolled(talk, lines, room, by);
  const seen = windowOf(after, lines, room);
  const nearTop = windowOf(scrolled(after, lines, room, -page), lines, room).isAtTop;
  const effects: Effect[] = [];
  if (!talk.isLoading && by < 0 && nearTop && talk.hasOlder) effects.push({ do: 'older', id });
  if (!talk.isLoading && by > 0 && seen.isAtEnd && talk.hasNewer) effects.push({ do: 'newer', id });
  return { state: withTalk(state, id, () => after), effects };
}
