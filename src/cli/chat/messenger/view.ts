import { chatLimits } from '../../../contract/chat/limits.ts';
import { linesWithin } from '../../kit/canvas.ts';
import { counted } from '../../kit/counted.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { nameOf } from '../conversation-table.ts';
import { beginningOf, senderOf } from '../message-view.ts';
import { completionsOf } from './command-words.ts';
import { inputView, type InputView } from '../../kit/input-view.ts';
import { listLines, listTitle } from './list-view.ts';
import { windowOf } from './scrolling.ts';
import { blocksOf } from './timeline.ts';
import {
  hasTwoPanes,
  isSocial,
  listWidth,
  LOBBY,
  openTalk,
  talkWidth,
  type Look,
  type Open,
  type Place,
  type State,
  type Talk,
} from './state.ts';

export interface View {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** What is on the screen. As many lines as it has, none of them wider. */
export function view(state: State, look: Look): View {
  const { columns } = state;
  const { measure } = look;
  const bottom = bottomLines(state, look);
  const height = bodyHeight(state, look);
  if (!hasTwoPanes(state) && state.pane === 'list') {
    const body = state.panel === undefined ? listLines(state, columns, height, look) : panelLines(state, height, look);
    const title = state.panel === undefined ? listTitle(state, columns, look) : panelTitle(state, columns, look);
    return whole(state, [title, ...filled(body, height), ...bottom], undefined);
  }
  const right = rightPane(state, height, look);
  const top =
    state.panel === undefined ? talkTitle(state, talkWidth(state), look) : panelTitle(state, talkWidth(state), look);
  if (!hasTwoPanes(state)) return whole(state, [top, ...right.lines, ...bottom], right.cursor);
  const width = listWidth(state);
  const edge = look.screen.paint('dim', '│');
  const left = [listTitle(state, width, look), ...filled(listLines(state, width, height, look), height)];
  const lines = [top, ...right.lines].map((line, at) => `${left[at] ?? padded('', width, measure)}${edge} ${line}`);
  const cursor = state.pane === 'talk' && right.cursor;
  return whole(state, [...lines, ...bottom], cursor ? { ...cursor, column: cursor.column + width + 2 } : undefined);
}

/** A screen of less than three lines shows the last ones. */
function whole({ rows }: State, lines: readonly string[], cursor: View['cursor']): View {
  const hidden = Math.max(0, lines.length - rows);
  return {
    lines: lines.slice(hidden),
    cursor: cursor === undefined || cursor.row < hidden ? undefined : { ...cursor, row: cursor.row - hidden },
  };
}

function filled(lines: readonly string[], height: number): string[] {
  return Array.from({ length: height }, (_, at) => lines[at] ?? '');
}

function padded(text: string, width: number, measure: Look['measure']): string {
  return text + ' '.repeat(Math.max(0, width - measure(text)));
}

/** The lines of the conversation, and what stands below them. */
export function partsOf(
  state: State,
  look: Look,
): { readonly room: number; readonly input: InputView; readonly context: readonly string[] } {
  const height = bodyHeight(state, look);
  const width = talkWidth(state);
  const open = openTalk(state);
  if (open === undefined) return { room: height, input: { lines: [], row: 0, column: 0 }, context: [] };
  const most = Math.max(1, Math.min(6, Math.floor(height / 4)));
  const input = inputView(open.talk.line, width, most, look.measure);
  const context = contextLines(open.talk, width, look).slice(0, Math.max(0, height - input.lines.length - 1));
  return { room: Math.max(1, height - input.lines.length - context.length), input, context };
}

function rightPane(state: State, height: number, look: Look): View {
  if (state.panel !== undefined) return { lines: filled(panelLines(state, height, look), height), cursor: undefined };
  const open = openTalk(state);
  if (open === undefined) return { lines: filled([], height), cursor: undefined };
  const { room, input, context } = partsOf(state, look);
  const blocks = blocksOf(state, open.talk, open.place.type === 'direct', talkWidth(state), look);
  const { lines } = windowOf(open.talk, blocks, room);
  const body = lines.length > 0 ? lines : linesWithin(emptyWords(open), talkWidth(state), look.measure);
  const above = Array.from({ length: Math.max(0, room - body.length) }, () => '');
  const all = [...above, ...body.slice(-room), ...context, ...input.lines];
  const isWriting = state.asking === undefined && state.pane === 'talk';
  const cursor = isWriting ? { row: 1 + room + context.length + input.row, column: input.column } : undefined;
  return { lines: filled(all, height), cursor };
}

function emptyWords({ place, talk: { isLoading, doubt } }: Open): string {
  if (place.id === LOBBY)
    return 'Choose a conversation in the list, and press Enter. /new NAME begins one, /join #CHANNEL joins a channel, and /help shows all.';
  if (isLoading && doubt === undefined) return 'Reading…';
  return doubt === undefined ? 'Nothing was said here. Write the first message.' : '';
}

/** What the person should know of the line that they write. */
function contextLines(talk: Talk, width: number, { measure, screen: { paint } }: Look): string[] {
  const { purpose, files, below, hasNewer, doubt, isLocked, messages, scroll } = talk;
  const one = (text: string): string => fit(escapeForTerminal(text), width, measure);
  const about = purpose && messages.find(({ id }) => id === purpose.id);
  const what = about === undefined ? (purpose?.id.slice(0, 12) ?? '') : `${senderOf(about)}: ${beginningOf(about)}`;
  const isAway = scroll !== undefined || hasNewer;
  return [
    ...(doubt === undefined
      ? []
      : [...linesAtMost(doubt, DOUBT_LINES, width, measure), one('Nothing is sent here: /verify compares.')].map(
          (line) => paint('red', line),
        )),
    ...(isLocked ? [paint('yellow', one('Only members can read this. /unlock asks for your key.'))] : []),
    ...(isAway
      ? [paint('bold', one(below > 0 ? `↓ ${below} new below: End` : '↓ older messages: End goes to the newest'))]
      : []),
    ...(purpose === undefined
      ? []
      : [paint('dim', one(`${purpose.kind === 'edit' ? 'edit' : 'reply to'} ${what} (Esc leaves it)`))]),
    ...(files.length === 0 ? [] : [paint('dim', one(`+ ${files.join(', ')} (Esc takes it off)`))]),
  ];
}

function talkTitle(state: State, width: number, look: Look): string {
  const {
    measure,
    screen: { paint },
  } = look;
  const open = openTalk(state);
  const facts = open === undefined ? [] : factsOf(state, open.place, open.talk, look);
  const full = escapeForTerminal(open === undefined ? '' : titleOf(open));
  const least = Math.min(measure(full), 8);
  const trouble = state.link === 'lost' ? fit('not connected, trying again', width - least - 2, measure) : '';
  const shown: string[] = trouble === '' ? [] : [trouble];
  for (const fact of facts) if (least + measure([...shown, fact].join('  ')) + 2 <= width) shown.push(fact);
  const taken = shown.length === 0 ? 0 : measure(shown.join('  ')) + 2;
  const name = fit(full, Math.max(least, width - taken), measure);
  const tail = shown.map((fact) => (fact === trouble ? paint('yellow', fact) : paint('dim', fact)));
  return [paint('bold', name), ...tail].filter((part) => part !== '').join('  ');
}

/** The name of a conversation, or how the thread begins. */
function titleOf({ place, talk: { thread, messages } }: Open): string {
  if (thread === undefined) return nameOf(place);
  const root = messages.find(({ id }) => id === thread.id);
  return `${nameOf(place)} / ${root === undefined ? 'thread' : beginningOf(root)}`;
}

function factsOf(state: State, place: Place, talk: Talk, { nowMs }: Look): string[] {
  const typing = talk.typing.filter(({ until }) => until > nowMs).map(({ memberId }) => nameIn(state, place, memberId));
  const others = [...state.places.values()].filter(({ id, archived }) => id !== place.id && !archived);
  const unread = others.reduce((sum, one) => sum + one.unread, 0);
  const mode = isSocial(place) ? 'social' : place.mode === 'client' ? 'client' : '';
  return [
    typing.length === 0
      ? ''
      : typing.length === 1
        ? `${escapeForTerminal(typing[0] ?? '')} is typing`
        : `${typing.length} are typing`,
    mode,
    !hasTwoPanes(state) && unread > 0 ? `(${unread})` : '',
    state.link === 'looking' ? 'no server' : '',
    talk.thread === undefined
      ? place.memberCount === undefined
        ? ''
        : counted(place.memberCount, 'member')
      : `thread, ${talk.thread.following ? 'followed' : 'not followed'}`,
  ].filter((fact) => fact !== '');
}

function nameIn({ names }: State, { type, title }: Place, memberId: string): string {
  return names.get(memberId) ?? (type === 'direct' ? title : 'somebody');
}

function panelTitle({ panel }: State, width: number, { measure, screen: { paint } }: Look): string {
  return paint('bold', fit(escapeForTerminal(panel?.title ?? ''), width, measure));
}

/** Lines of a panel, from its first one on that is shown. */
export function panelText(state: State, { measure }: Look): string[] {
  const width = !hasTwoPanes(state) ? state.columns : talkWidth(state);
  return linesWithin(state.panel?.text ?? '', width, measure);
}

function panelLines(state: State, height: number, look: Look): string[] {
  const lines = panelText(state, look);
  const top = Math.max(0, Math.min(state.panel?.top ?? 0, lines.length - height));
  return lines.slice(top, top + height);
}

const hints = {
  panel: 'arrows:scroll esc:back',
  filter: 'enter:keep esc:end',
  list: 'enter:open /:filter ?:keys tab:back q:quit',
  talk: '/help tab:list up:edit ^P:mark pgup:older',
  thread: '/help esc:back /follow /unfollow up:edit ^P:mark pgup:older',
  marked: '/reply /react /edit /pin /remove /thread esc:leave',
};

/** Lines between the title and what stands at the bottom. */
export function bodyHeight(state: State, look: Look): number {
  return Math.max(1, state.rows - 1 - bottomLines(state, look).length);
}

/** A note has as many lines, so that what the node says is read on a narrow screen. */
const NOTE_LINES = 4;
/** What does not fit may need more, to say who and what. */
const DOUBT_LINES = 5;

/** A text in so many lines. The last one says if there is more. */
function linesAtMost(text: string, most: number, width: number, measure: Look['measure']): string[] {
  const lines = linesWithin(escapeForTerminal(text), width, measure);
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(' '), width, measure)];
}

function bottomLines(state: State, look: Look): string[] {
  const { asking, note, columns, rows } = state;
  if (asking !== undefined || note === '') return [bottomLine(state, look)];
  const most = Math.max(1, Math.min(NOTE_LINES, Math.floor(rows / 4)));
  return linesAtMost(note, most, columns, look.measure);
}

/** The hints that fit, from the first on. */
function fitting(words: string, columns: number): string {
  if (words.length <= columns) return words;
  return words.slice(0, Math.max(0, words.lastIndexOf(' ', columns)));
}

/** A question, or what keys do. */
function bottomLine(state: State, { measure, screen: { paint } }: Look): string {
  const { asking, panel, pane, isFiltering, columns } = state;
  const shown = (text: string): string => fit(escapeForTerminal(text), columns, measure);
  const hint = (text: string): string => paint('dim', fitting(text, columns));
  if (asking !== undefined) {
    const keys = ' [y] yes [n] no';
    return paint('bold', fit(escapeForTerminal(asking.question), columns - keys.length, measure) + keys);
  }
  if (panel !== undefined) return hint(hints.panel);
  if (pane === 'list') return hint(isFiltering ? hints.filter : hints.list);
  const open = openTalk(state);
  if (open === undefined) return hint(hints.list);
  const length = Array.from(open.talk.line.text).length;
  if (length > chatLimits.text) return paint('red', shown(tooLong(length)));
  const completions = completionsOf(open.talk.line.text);
  if (completions.length > 0) return hint(completions.map((word) => `/${word}`).join(' '));
  if (open.talk.marked !== undefined) return hint(hints.marked);
  return hint(open.talk.thread === undefined ? hints.talk : hints.thread);
}

export function tooLong(length: number): string {
  return `${length} of ${chatLimits.text} characters: shorten it, or send it as a file with /attach.`;
}
