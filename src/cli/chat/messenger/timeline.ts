import { linesWithin } from '../../kit/canvas.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal, escapeLinesForTerminal } from '../../kit/escape-for-terminal.ts';
import { bytes, moment } from '../../kit/screen.ts';
import { beginningOf, contentOf, senderOf } from '../message-view.ts';
import type { Look, Pending, Said, State, Talk } from './state.ts';

/** What one block of lines is: a message, or what the person wrote that the node does not have. */
export type Item = Said | Pending;

function isPending(item: Item): item is Pending {
  return 'state' in item;
}

export function idOf(item: Item): string {
  return isPending(item) ? item.clientId : item.id;
}

export function itemsOf({ messages, pending, hasNewer }: Talk): readonly Item[] {
  return hasNewer || pending.length === 0 ? messages : [...messages, ...pending];
}

/** the mark, and the space beside it */
const MARGIN = 2;
/** Longer lines are hard to read. */
const WIDEST = 100;
/** Messages of one sender stand together when they were said so close to each other. */
const TOGETHER_MS = 5 * 60_000;
/** Digits of an id: those of its time. */
const SHORT = 12;

/** What of a message depends on what stands around it. */
interface Around {
  readonly width: number;
  /** the day before its first line, if it is another one than that of the message above */
  readonly day: string;
  readonly hasHead: boolean;
  readonly isNew: boolean;
  readonly isMarked: boolean;
  /** what it answers, in one line */
  readonly answers: string;
  readonly readBy: string;
}

/** Lines that were made, because a key changes few of them. */
const made = new WeakMap<Item, { readonly key: string; readonly lines: readonly string[] }>();

/** The lines of each item. None is wider than the pane. */
export function blocksOf(
  { me }: Pick<State, 'me'>,
  talk: Talk,
  isDirect: boolean,
  width: number,
  look: Look,
): (readonly string[])[] {
  const items = itemsOf(talk);
  const byId = new Map(talk.messages.map((one) => [one.id, one]));
  const readBy = readersOf(me.id, talk, isDirect);
  let above: Said | undefined;
  return items.map((item) => {
    const named = isPending(item) ? item.replyTo : item.replyToMessageId;
    // In a thread, each answers what began it, unless it says otherwise.
    const answered = named === talk.thread?.id ? undefined : named;
    const around: Around = {
      width,
      ...(isPending(item)
        ? { day: '', hasHead: false, isNew: false }
        : { ...placeOf(item, above, look), isNew: isFirstNew(item, above, talk) }),
      isMarked: idOf(item) === talk.marked,
      answers: referenceTo(answered ?? undefined, byId),
      readBy: readBy.get(idOf(item)) ?? '',
    };
    if (!isPending(item)) above = item;
    const key = JSON.stringify(around);
    const before = made.get(item);
    if (before?.key === key) return before.lines;
    const lines = isPending(item) ? pendingLines(item, around, look) : saidLines(item, around, look);
    made.set(item, { key, lines });
    return lines;
  });
}

function placeOf(item: Said, above: Said | undefined, look: Look): Pick<Around, 'day' | 'hasHead'> {
  const day = dayOf(item, look);
  const isOtherDay = above === undefined || dayOf(above, look) !== day;
  const isApart =
    above === undefined ||
    senderOf(above) !== senderOf(item) ||
    Date.parse(item.createdAt) - Date.parse(above.createdAt) > TOGETHER_MS;
  return { day: isOtherDay ? day : '', hasHead: isOtherDay || isApart || item.pinned };
}

function isFirstNew({ seq }: Said, above: Said | undefined, { newAfter }: Talk): boolean {
  return newAfter !== undefined && seq > newAfter && (above === undefined || above.seq <= newAfter);
}

function dayOf({ createdAt }: Said, { screen }: Look): string {
  return moment({ ...screen, width: 80 }, createdAt).slice(0, 10);
}

function timeOf({ createdAt }: Said, { screen }: Look): string {
  return moment({ ...screen, width: 80 }, createdAt).slice(11, 16);
}

function referenceTo(id: string | undefined, byId: ReadonlyMap<string, Said>): string {
  if (id === undefined) return '';
  const found = byId.get(id);
  return found === undefined ? id.slice(0, SHORT) : `${senderOf(found)}: ${beginningOf(found)}`;
}

/** Under the person's newest message that somebody has read, who has; nobody needs it under each of them. */
function readersOf(me: string, { messages, receipts }: Talk, isDirect: boolean): ReadonlyMap<string, string> {
  const farthest = Math.max(0, ...[...receipts].map(([id, seq]) => (id === me ? 0 : seq)));
  const last = messages.findLast(({ senderId, seq, deleted }) => senderId === me && seq <= farthest && !deleted);
  if (last === undefined) return new Map();
  const count = [...receipts].filter(([id, seq]) => id !== me && seq >= last.seq).length;
  return new Map([[last.id, isDirect ? 'read' : `read by ${count}`]]);
}

function saidLines(item: Said, around: Around, look: Look): string[] {
  const { paint } = look.screen;
  const { width, isMarked } = around;
  const dim = (text: string): string => paint('dim', text);
  const marks = [
    ...(item.editedAt !== null && item.deleted !== true ? ['edited'] : []),
    ...(item.pinned ? ['pinned'] : []),
    ...(item.forwarded === true ? ['forwarded'] : []),
  ];
  const facts = [timeOf(item, look), ...(isMarked ? [item.id.slice(0, SHORT)] : []), ...marks].join('  ');
  const hasHead = around.hasHead || isMarked;
  const isSaid = item.content !== null;
  const text = textLines(contentOf(item), width, look).map((line) => (isSaid ? line : dim(line)));
  const reactions = item.reactionCounts.map(({ emoji, count }) => `${emoji} ${count}`).join('  ');
  const inner = [
    ...(hasHead ? [headOf(senderOf(item), facts, width - MARGIN, look)] : []),
    ...(around.answers === '' ? [] : smallLines(`> ${around.answers}`, width, look)),
    ...text,
    ...item.attachments.flatMap(({ id, filename, size }) =>
      smallLines(`+ ${filename}  ${bytes(size)}  ${id.slice(0, SHORT)}`, width, look),
    ),
    ...(reactions === '' ? [] : smallLines(reactions, width, look)),
    ...(!hasHead && marks.length > 0 ? smallLines(marks.join('  '), width, look) : []),
    ...(around.readBy === '' ? [] : smallLines(around.readBy, width, look)),
  ];
  return [
    ...(around.day === '' ? [] : [ruleOf(around.day, width, look)]),
    ...(around.isNew ? [ruleOf('new', width, look)] : []),
    ...withMargin(inner, isMarked),
  ];
}

function headOf(sender: string, facts: string, width: number, { measure, screen: { paint } }: Look): string {
  const known = fit(facts, width, measure);
  const name = fit(escapeForTerminal(sender), Math.max(6, width - measure(known) - 2), measure);
  const left = width - measure(name) - 2;
  return left < 5 ? paint('bold', name) : `${paint('bold', name)}  ${paint('dim', fit(known, left, measure))}`;
}

const states: Readonly<Record<Pending['state'], string>> = {
  waiting: 'not sent',
  sending: 'sending',
  refused: 'not sent',
};

function pendingLines(item: Pending, around: Around, look: Look): string[] {
  const { paint } = look.screen;
  const why = item.why === undefined ? '' : `: ${item.why}`;
  const ways = item.state === 'refused' ? ' /retry or /discard' : '';
  const said = `${item.edits === undefined ? '' : 'edit '}${states[item.state]}${why}${ways}`;
  const inner = [
    ...(around.answers === '' ? [] : smallLines(`> ${around.answers}`, around.width, look)),
    ...textLines(item.text, around.width, look),
    ...item.files.flatMap((file) => smallLines(`+ ${file}`, around.width, look)),
    ...textLines(said, around.width, look).map((line) =>
      paint(item.state === 'refused' ? 'red' : item.state === 'waiting' ? 'yellow' : 'dim', line),
    ),
  ];
  return withMargin(inner, around.isMarked);
}

function textLines(text: string, width: number, { measure }: Look): string[] {
  return linesWithin(escapeLinesForTerminal(text), Math.min(WIDEST, width - MARGIN), measure);
}

function smallLines(text: string, width: number, { measure, screen: { paint } }: Look): string[] {
  return [paint('dim', fit(escapeForTerminal(text), width - MARGIN, measure))];
}

/** A line through the pane, which says what follows. */
function ruleOf(text: string, width: number, { measure, screen: { paint } }: Look): string {
  const words = ` ${text} `;
  const rest = Math.max(0, Math.min(WIDEST, width) - measure(words));
  const left = Math.min(3, rest);
  return paint('dim', `${'─'.repeat(left)}${words}${'─'.repeat(rest - left)}`);
}

function withMargin(lines: readonly string[], isMarked: boolean): string[] {
  return lines.map((line, at) => `${isMarked ? (at === 0 ? '> ' : '│ ') : '  '}${line}`);
}
