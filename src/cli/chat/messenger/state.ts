import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { Measure } from '../../kit/display-width.ts';
import type { Unmeasured } from '../../kit/screen.ts';
import type { ListedSocial } from '../../social/messages/own-conversations.ts';
import type { ShownMessage } from '../message-view.ts';
import { emptyLine, type Line } from '../../kit/line.ts';

/** A conversation of chat, or of the social network. */
export type Place = Conversation | ListedSocial;

export function isSocial(place: Place): place is ListedSocial {
  return 'isSocial' in place;
}

/** A message as the timeline has it. */
export type Said = ShownMessage & {
  readonly seq: number;
  /** only of an answer: the message that began the thread */
  readonly threadId?: string | undefined;
  readonly clientId?: string | null;
  /** the first reactions of it; the social network names none */
  readonly reactions?: readonly { readonly reactionId: string; readonly emoji: string; readonly memberId: string }[];
};

/** What the person wrote, until the node has it. */
export interface Pending {
  /** sent again with it, it is the same message */
  readonly clientId: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly replyTo: string | undefined;
  /** written in a thread, so the node learns what it answers where only members can read */
  readonly inThread: boolean;
  /** the message whose text it is to be from now on */
  readonly edits: string | undefined;
  readonly state: 'waiting' | 'sending' | 'refused';
  /** why it was refused, or waits */
  readonly why: string | undefined;
}

/** What the line of a conversation is for, beside a new message. */
export type Purpose =
  | { readonly kind: 'reply'; readonly id: string }
  | { readonly kind: 'edit'; readonly id: string; readonly kept: Line };

/** A thread that was opened. */
export interface OpenThread {
  /** the message that began it */
  readonly id: string;
  readonly following: boolean;
  /** answers up to this number are read, as far as is known here */
  readonly readSeq: number;
}

/** A conversation that was opened, or a thread of one. It is heard of as long as it is here. */
export interface Talk {
  /** undefined: it is the conversation itself */
  readonly thread: OpenThread | undefined;
  /** in the order of their numbers, without gaps; of a thread, the message that began it and its answers */
  readonly messages: readonly Said[];
  readonly hasOlder: boolean;
  /** whether the newest messages are not among them, because older ones are looked at */
  readonly hasNewer: boolean;
  readonly isLoading: boolean;
  readonly pending: readonly Pending[];
  readonly line: Line;
  readonly purpose: Purpose | undefined;
  /** files that go with the next message */
  readonly files: readonly string[];
  /** id of the message that commands are about */
  readonly marked: string | undefined;
  /** the item at the bottom of the screen, and how many lines of it are below; undefined: the end */
  readonly scroll: { readonly id: string; readonly hidden: number } | undefined;
  /** messages after this number were new when the person came */
  readonly newAfter: number | undefined;
  /** messages that came while the person looked at older ones */
  readonly below: number;
  readonly typing: readonly { readonly memberId: string; readonly until: number }[];
  /** how far others have read, by their ids */
  readonly receipts: ReadonlyMap<string, number>;
  /** what does not fit that the node says; nothing is sent then */
  readonly doubt: string | undefined;
  /** whether the person's key is missing here, for what only members can read */
  readonly isLocked: boolean;
  /** the draft that the node has; undefined: not known */
  readonly kept: string | undefined;
}

export const newTalk: Talk = {
  thread: undefined,
  messages: [],
  hasOlder: false,
  hasNewer: false,
  isLoading: true,
  pending: [],
  line: emptyLine,
  purpose: undefined,
  files: [],
  marked: undefined,
  scroll: undefined,
  newAfter: undefined,
  below: 0,
  typing: [],
  receipts: new Map(),
  doubt: undefined,
  isLocked: false,
  kept: undefined,
};

/** Lines that are shown instead of messages, such as a list of members. */
export interface Panel {
  readonly title: string;
  readonly text: string;
  readonly top: number;
}

/** `live`: events are heard; `looking`: without a server there are none, so the store is looked at; `lost`: no connection */
export type Link = 'live' | 'looking' | 'lost';

export interface State {
  readonly me: { readonly id: string; readonly name: string };
  readonly columns: number;
  readonly rows: number;
  readonly places: ReadonlyMap<string, Place>;
  readonly talks: ReadonlyMap<string, Talk>;
  /** the conversation or thread that is open */
  readonly openId: string | undefined;
  /** where keys go */
  readonly pane: 'list' | 'talk';
  /** the conversation at the cursor of the list */
  readonly chosen: string | undefined;
  readonly filter: string;
  readonly isFiltering: boolean;
  /** usernames by id, of those who were seen */
  readonly names: ReadonlyMap<string, string>;
  readonly link: Link;
  readonly note: string;
  readonly asking: { readonly question: string; readonly effect: Effect } | undefined;
  readonly panel: Panel | undefined;
}

/** What a key asks for that cannot be done at once. */
export type Effect =
  | { readonly do: 'quit' | 'reload' }
  | { readonly do: 'open'; readonly id: string; readonly from: string | undefined }
  | { readonly do: 'older' | 'newer' | 'newest' | 'send' | 'typing' | 'unlock'; readonly id: string }
  | ({ readonly do: 'run' } & Command);

/** A `/` command for the node. */
export interface Command {
  readonly name: string;
  readonly id: string;
  readonly words: string;
  /** the message that it is about */
  readonly message: Said | undefined;
  /** the line as it was written */
  readonly text: string;
}

/** What a key makes of the state, and what is to be done for it. */
export interface Pressed {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function nothing(state: State): Pressed {
  return { state, effects: [] };
}

/** How lines are made. */
export interface Look {
  readonly measure: Measure;
  /** with the clock of the person */
  readonly screen: Unmeasured;
  readonly nowMs: number;
  /** 32 hex digits, which nobody can foresee */
  readonly newId: () => string;
}

/** The id of a conversation that begins with its first message, with the name of the member. */
const BEGINS = 'new:';

/** Where somebody writes commands who has opened no conversation. */
export const LOBBY = BEGINS;

export function beginningId(name: string): string {
  return `${BEGINS}${name}`;
}

export function begins(id: string): boolean {
  return id.startsWith(BEGINS);
}

/** The id under which a thread is open, beside its conversation. */
const THREAD = 'thread:';

export function threadTalkId(conversationId: string, threadId: string): string {
  return `${THREAD}${conversationId}:${threadId}`;
}

/** The conversation that is meant by its id, or by that of one of its threads. */
export function conversationIdIn(id: string): string {
  return id.startsWith(THREAD) ? (id.split(':')[1] ?? id) : id;
}

/** A place for what does not exist on the node. */
export function unbegunPlace(id: string, title: string, mode: Conversation['mode'], nowMs: number): Place {
  return {
    id,
    type: 'direct',
    mode,
    title,
    retentionMs: null,
    createdAt: new Date(nowMs).toISOString(),
    lastMessageAt: null,
    lastMessagePreview: null,
    lastSeq: 0,
    readSeq: 0,
    unread: 0,
    mentionCount: 0,
    receipts: [],
    notifications: 'all',
    mutedUntil: null,
    pinned: false,
    archived: id === LOBBY,
  };
}

export interface Open {
  /** of the conversation, or of its thread */
  readonly id: string;
  readonly place: Place;
  readonly talk: Talk;
}

/** The conversation on the screen, or the thread. */
export function openTalk({ openId: id, places, talks }: State): Open | undefined {
  if (id === undefined) return undefined;
  const [place, talk] = [places.get(conversationIdIn(id)), talks.get(id)];
  return place === undefined || talk === undefined ? undefined : { id, place, talk };
}

export function withTalk(state: State, id: string, change: (talk: Talk) => Talk): State {
  const talk = state.talks.get(id);
  if (talk === undefined) return state;
  return { ...state, talks: new Map(state.talks).set(id, change(talk)) };
}

/** A change of a conversation and of all its threads that are here. */
export function withTalks(state: State, conversationId: string, change: (talk: Talk) => Talk): State {
  return talkIdsOf(state, conversationId).reduce((now, id) => withTalk(now, id, change), state);
}

/** A conversation, and its threads that are here. */
export function talkIdsOf({ talks }: Pick<State, 'talks'>, conversationId: string): string[] {
  return [...talks.keys()].filter((id) => conversationIdIn(id) === conversationId);
}

export function withPlace(
  state: State,
  id: string,
  change: Partial<Pick<Place, 'unread' | 'mentionCount' | 'readSeq'>>,
): State {
  const place = state.places.get(id);
  if (place === undefined) return state;
  return { ...state, places: new Map(state.places).set(id, { ...place, ...change }) };
}

/** From so many columns on, list and conversation are side by side. */
const TWO_PANES = 70;

export function hasTwoPanes({ columns }: Pick<State, 'columns'>): boolean {
  return columns >= TWO_PANES;
}

/** Columns of the list, where it is beside a conversation. */
export function listWidth({ columns }: Pick<State, 'columns'>): number {
  return Math.max(22, Math.min(36, Math.floor(columns * 0.28)));
}

/** Columns of the conversation. */
export function talkWidth(state: Pick<State, 'columns'>): number {
  return hasTwoPanes(state) ? state.columns - listWidth(state) - 2 : state.columns;
}

/** Whether the person sees the conversation that is open. */
export function seesTalk(state: State): boolean {
  return state.openId !== undefined && state.panel === undefined && (hasTwoPanes(state) || state.pane === 'talk');
}

/** The conversations of the list in their order: pinned ones, and then the newest activity first. */
export function listed({ places, filter }: Pick<State, 'places' | 'filter'>): Place[] {
  const wanted = filter.normalize('NFKC').toLowerCase();
  const moment = ({ lastMessageAt, createdAt }: Place): string => lastMessageAt ?? createdAt;
  return [...places.values()]
    .filter(({ archived }) => !archived)
    .filter(({ title }) => wanted === '' || title.normalize('NFKC').toLowerCase().includes(wanted))
    .toSorted((one, other) => {
      if (one.pinned !== other.pinned) return one.pinned ? -1 : 1;
      return moment(one) > moment(other) ? -1 : 1;
    });
}
