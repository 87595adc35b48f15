import { nameOf } from '../conversation-table.ts';
import { beginningOf } from '../message-view.ts';
import { commandIn, isCommandName, type CommandName } from './command-words.ts';
import { helpPanel } from './help.ts';
import { emptyLine } from '../../kit/line.ts';
import { backFromThread, editing, sent } from './writing.ts';
import {
  begins,
  isSocial,
  listed,
  LOBBY,
  nothing,
  withTalk,
  type Effect,
  type Open,
  type Pressed,
  type Said,
  type State,
  type Talk,
} from './state.ts';

/** What can be said where no conversation is. */
const everywhere = new Set<CommandName>(['open', 'new', 'join', 'help', 'quit', 'retry', 'discard']);
/** What the social network has, too. Others are commands of their own there. */
const inSocial = new Set<CommandName>([...everywhere, 'reply', 'attach', 'save', 'show']);
const ofThreads = new Set<CommandName>(['thread', 'threads', 'follow', 'unfollow']);

/** Does what a `/` command says. One that cannot be done stays in the line. @returns undefined for a message */
export function runLine(state: State, open: Open, newId: () => string): Pressed | undefined {
  const { place, talk } = open;
  const found = commandIn(talk.line.text);
  const wrong = (note: string): Pressed => nothing({ ...state, note });
  if (found === undefined)
    return place.id === LOBBY && talk.line.text.trim() !== ''
      ? wrong('Choose a conversation first: Tab goes to the list.')
      : undefined;
  const { word, rest } = found;
  if (!isCommandName(word))
    return wrong(`There is no command /${word}. /help shows all, and //${word} sends it as a text.`);
  if (begins(place.id) && !everywhere.has(word) && (place.id === LOBBY || word !== 'attach'))
    return wrong(
      place.id === LOBBY
        ? 'Choose a conversation first: Tab goes to the list.'
        : 'This conversation begins with its first message.',
    );
  if (isSocial(place) && ofThreads.has(word))
    return wrong(
      'Conversations of the social network have no threads. /reply answers a message, as does: conclave social message send --reply-to',
    );
  if (isSocial(place) && !inSocial.has(word))
    return wrong('This is a conversation of the social network. For this, run: conclave social message --help');
  const cleared = withTalk(state, open.id, (one) => ({ ...one, line: emptyLine }));
  return done({ state: cleared, before: state, open, word, rest, newId });
}

interface Asked {
  /** with an empty line */
  readonly state: State;
  readonly before: State;
  readonly open: Open;
  readonly word: CommandName;
  readonly rest: string;
  readonly newId: () => string;
}

function done(asked: Asked): Pressed {
  const { state, before, open, word, rest } = asked;
  const { id } = open;
  const { text } = open.talk.line;
  const wrong = (note: string): Pressed => nothing({ ...before, note });
  switch (word) {
    case 'help':
      return nothing({ ...state, panel: helpPanel });
    case 'quit':
      return { state, effects: [{ do: 'quit' }] };
    case 'open':
      return goTo(asked);
    case 'attach':
      if (rest === '') return wrong('Which file? /attach FILE');
      break;
    case 'retry':
      return changedRefused(asked, (talk) =>
        talk.pending.map((one) => (one.state === 'refused' ? { ...one, state: 'waiting', why: undefined } : one)),
      );
    case 'discard':
      return changedRefused(asked, (talk) => talk.pending.filter((one) => one.state !== 'refused'));
    case 'reply':
    case 'edit':
      return aboutText(asked);
    case 'react':
    case 'unreact':
    case 'pin':
    case 'unpin':
    case 'remove':
    case 'save':
    case 'show':
      return aboutMessage(asked);
    case 'thread':
    case 'follow':
    case 'unfollow':
      return aboutThread(asked);
    case 'leave':
      if (open.place.type === 'direct')
        return wrong('One does not leave a conversation of two. /archive puts it away.');
      return ask(asked, `Leave ${nameOf(open.place)}?`, {
        do: 'run',
        name: word,
        id,
        words: rest,
        message: undefined,
        text,
      });
    case 'verify':
      if (rest === 'accept')
        return ask(asked, 'Believe what the node shows now, whatever this machine knew?', {
          do: 'run',
          name: word,
          id,
          words: rest,
          message: undefined,
          text,
        });
      break;
    case 'unlock':
      return { state, effects: [{ do: 'unlock', id }] };
    case 'search':
    case 'new':
    case 'join':
      if (rest === '') return wrong(`What? For example: ${examples[word]}`);
      break;
    case 'pins':
    case 'threads':
    case 'members':
    case 'who':
    case 'info':
    case 'mute':
    case 'unmute':
    case 'archive':
      break;
  }
  return { state, effects: [{ do: 'run', name: word, id, words: rest, message: undefined, text }] };
}

const examples = { search: '/search cake', new: '/new bob', join: '/join #tea' } as const;

function ask({ state }: Asked, question: string, effect: Effect): Pressed {
  return nothing({ ...state, asking: { question, effect } });
}

function goTo({ state, before, open, rest }: Asked): Pressed {
  const { text } = open.talk.line;
  const wanted = rest.replace(/^#/, '').normalize('NFKC').toLowerCase();
  const all = listed({ places: state.places, filter: '' });
  const named = (fits: (title: string) => boolean) =>
    all.find(({ title }) => fits(title.normalize('NFKC').toLowerCase()));
  const found =
    named((title) => title === wanted) ??
    named((title) => title.startsWith(wanted)) ??
    named((title) => title.includes(wanted));
  if (rest === '') return nothing({ ...before, note: 'Which one? /open NAME' });
  if (found === undefined)
    return { state, effects: [{ do: 'run', name: 'open', id: open.id, words: rest, message: undefined, text }] };
  if (found.id === open.id) return nothing(state);
  return {
    state: { ...state, openId: found.id, chosen: found.id, pane: 'talk' },
    effects: [{ do: 'open', id: found.id, from: open.id }],
  };
}

function changedRefused(
  { state, before, open: { id, talk }, word }: Asked,
  change: (talk: Talk) => Talk['pending'],
): Pressed {
  if (!talk.pending.some((one) => one.state === 'refused'))
    return nothing({ ...before, note: 'Nothing was refused here.' });
  const after = withTalk(state, id, (one) => ({ ...one, pending: change(one) }));
  return { state: after, effects: word === 'retry' ? [{ do: 'send', id }] : [] };
}

/** The message that a command is about, and what else it says. */
function subjectOf(
  { talk }: Open,
  rest: string,
): { readonly named: Said | undefined; readonly words: string; readonly note?: string; readonly isUnknown?: boolean } {
  const [first = '', ...others] = rest.split(/\s+/);
  const marked = talk.messages.find(({ id }) => id === talk.marked);
  if (!/^[0-9a-f]{8,32}$/i.test(first)) return { named: marked, words: rest };
  const found = talk.messages.filter(({ id, attachments }) =>
    [id, ...attachments.map((one) => one.id)].some((one) => one.startsWith(first.toLowerCase())),
  );
  const [only] = found;
  if (only === undefined || found.length > 1)
    return {
      named: undefined,
      words: rest,
      isUnknown: only === undefined,
      note:
        only === undefined
          ? `No message that is shown has an id that begins with ${first}.`
          : `Several ids begin with ${first}. Write more of it.`,
    };
  return { named: only, words: rest.slice(rest.indexOf(first) + first.length, undefined).trim() || others.join(' ') };
}

function aboutText({ state, before, open, word, rest, newId }: Asked): Pressed {
  const { id, talk } = open;
  const { named, words, note } = subjectOf(open, rest);
  if (note !== undefined) return nothing({ ...before, note });
  const isOwn = ({ senderId }: Said): boolean => senderId === before.me.id;
  const message = named ?? talk.messages.findLast((one) => one.content !== null && isOwn(one) === (word === 'edit'));
  if (message === undefined)
    return nothing({
      ...before,
      note: word === 'edit' ? 'You have written nothing here.' : 'There is nothing to answer.',
    });
  const kept: Open = { ...open, talk: { ...talk, line: emptyLine } };
  if (word === 'reply') {
    const purpose = { kind: 'reply', id: message.id } as const;
    const after = withTalk(state, id, (one) => ({ ...one, purpose }));
    return words === '' ? nothing(after) : sent(after, { ...kept, talk: { ...kept.talk, purpose } }, words, newId);
  }
  if (!isOwn(message)) return nothing({ ...before, note: 'Only the sender can change a message.' });
  return words === ''
    ? nothing(editing(state, id, message.id, message.content ?? ''))
    : sent(state, kept, words, newId, message.id);
}

function aboutMessage(asked: Asked): Pressed {
  const { state, before, open, word, rest } = asked;
  const { id, talk } = open;
  const wrong = (note: string): Pressed => nothing({ ...before, note });
  const run = (message: Said | undefined, words: string): Effect => ({
    do: 'run',
    name: word,
    id,
    words,
    message,
    text: talk.line.text,
  });
  if ((word === 'pin' || word === 'unpin') && rest === 'conversation')
    return { state, effects: [run(undefined, rest)] };
  const hasEmoji = word === 'react' || word === 'unreact';
  const [emoji = '', ...ids] = rest.split(/\s+/);
  const { named, words, note } = subjectOf(open, hasEmoji ? ids.join(' ') : rest);
  if (note !== undefined) return wrong(note);
  if (hasEmoji && emoji === '') return wrong(`Which emoji? /${word} 👍`);
  const isOwn = ({ senderId }: Said): boolean => senderId === before.me.id;
  const hasFiles = ({ attachments }: Said): boolean => attachments.length > 0;
  const fits: Readonly<Record<string, (one: Said) => boolean>> = {
    react: (one) => !isOwn(one),
    unreact: ({ reactions = [] }) => reactions.some(({ memberId }) => memberId === before.me.id),
    remove: isOwn,
    save: hasFiles,
    show: hasFiles,
  };
  const message = named ?? talk.messages.findLast((one) => one.deleted !== true && (fits[word]?.(one) ?? true));
  if (message === undefined) return wrong('There is no such message here. Mark one with Ctrl-P, or give its id.');
  if (word === 'remove')
    return ask(asked, `Delete "${beginningOf(message)}" for everybody, for good?`, run(message, words));
  return { state, effects: [run(message, word === 'save' || word === 'show' ? rest : hasEmoji ? emoji : words)] };
}

/** Opens a thread, leaves the one that is open, or chooses whether one is followed. An id that is not here is looked for on the node. */
function aboutThread({ state, before, open, word, rest }: Asked): Pressed {
  const { id, talk } = open;
  if (word === 'thread' && rest === '' && talk.thread !== undefined) return backFromThread(state, id);
  const { named, words, note, isUnknown } = subjectOf(open, rest);
  if (note !== undefined && isUnknown !== true) return nothing({ ...before, note });
  const message = rest === '' || words === '' ? named : undefined;
  const thread = rest === '' ? (talk.thread?.id ?? '') : rest;
  if (message === undefined && thread === '')
    return nothing({
      ...before,
      note: `Of which message? Mark one with Ctrl-P, or give its id: /${word} ID. /threads lists those that have answers.`,
    });
  return { state, effects: [{ do: 'run', name: word, id, words: thread, message, text: talk.line.text }] };
}
