import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../../src/contract/chat/limits.ts';
import { commandWords } from '../../../../src/cli/chat/messenger/command-words.ts';
import { edited, lineOf, type Line } from '../../../../src/cli/kit/line.ts';
import type { State } from '../../../../src/cli/chat/messenger/state.ts';
import { idOf, own, placeOf, said, screenOf, stateOf, talkOf, tea, typed } from './fixture.ts';

describe('a line that is written', () => {
  const after = (line: Line, ...keys: readonly string[]): string => {
    const { text, at } = keys.reduce((now, key) => edited(now, key) ?? now, line);
    return `${text.slice(0, at)}|${text.slice(at)}`;
  };

  it.each([
    ['characters as readers see them', 'a👩‍👩‍👧e\u0301', ['left', 'backspace'], 'a|e\u0301'],
    ['a character that several keys make', '', ['👩', '\u200d', '👧', 'left', 'right'], '👩‍👧|'],
    ['words', 'one two  three', ['ctrl-w', 'ctrl-left'], 'one |two  '],
    ['the next word', 'one two', ['home', 'alt-f', 'ctrl-k'], 'one|'],
    ['what stands before', 'one two', ['left', 'ctrl-u'], '|o'],
    ['what stands behind', 'one', ['ctrl-a', 'delete', 'ctrl-d'], '|e'],
    ['several lines', 'one', ['enter', '2', 'alt-return', '3', 'home'], 'one\n2\n|3'],
    ['the ends of its line alone', 'one\ntwo', ['ctrl-u', 'ctrl-u'], 'one\n|'],
    [
      'what is pasted, with its line ends and without controls',
      'a',
      ['paste:1\r\n2\r\u001b[2J\t.'],
      'a1\n2\n[2J    .|',
    ],
    ['nothing at other keys', 'a', ['f5', 'insert'], 'a|'],
  ])('has %s', (_, text, keys, expected) => {
    expect(after(lineOf(text), ...keys)).toBe(expected);
  });
});

describe('Enter', () => {
  it('sends the line once, with what it answers and its files, and leaves it empty', () => {
    const talk = talkOf([said(1, 'Cake?')], { files: ['a.txt'], purpose: { kind: 'reply', id: idOf(1) }, newAfter: 0 });
    const { state, effects } = typed(stateOf(talk), 'Yes.', '[return]');
    expect(effects).toEqual([
      { do: 'typing', id: 'tea' },
      ...Array.from({ length: 3 }, () => ({ do: 'typing', id: 'tea' })),
      { do: 'send', id: 'tea' },
    ]);
    expect(tea(state)).toMatchObject({ line: { text: '' }, files: [], purpose: undefined, newAfter: undefined });
    expect(tea(state).pending).toMatchObject([{ text: 'Yes.', files: ['a.txt'], replyTo: idOf(1), state: 'waiting' }]);
    expect(tea(state).pending[0]?.clientId).toMatch(/^[0-9a-f]{32}$/);
    expect(typed(state, '[return]').effects).toEqual([]);
  });

  it('keeps what is too long, and sends nothing where something does not fit', () => {
    const long = 'x'.repeat(chatLimits.text + 1);
    const refused = typed(stateOf(talkOf([], { line: lineOf(long) })), '[return]');
    expect([refused.effects, tea(refused.state).line.text.length]).toEqual([[], chatLimits.text + 1]);
    expect(refused.state.note).toContain(`${chatLimits.text + 1} of ${chatLimits.text} characters`);
    const doubted = typed(stateOf(talkOf([], { doubt: 'Foreign.' })), 'Hi', '[return]');
    expect([tea(doubted.state).pending, tea(doubted.state).line.text]).toEqual([[], 'Hi']);
    expect(doubted.state.note).toContain('/verify');
  });

  it('sends a slash that is doubled, and does not know other commands', () => {
    expect(tea(typed(stateOf(talkOf([])), '//help me', '[return]').state).pending).toMatchObject([
      { text: '/help me' },
    ]);
    const { state, effects } = typed(stateOf(talkOf([])), '/frob x', '[return]');
    expect([effects, tea(state).line.text]).toEqual([[], '/frob x']);
    expect(state.note).toBe('There is no command /frob. /help shows all, and //frob sends it as a text.');
  });
});

describe('an edit', () => {
  it('begins with Up in an empty line, and Esc leaves it with what was written before', () => {
    const talk = talkOf([own(1, 'Mine'), said(2, 'Yours')]);
    const editing = typed(stateOf(talk), '[up]', '!');
    expect(tea(editing.state)).toMatchObject({ line: { text: 'Mine!' }, purpose: { kind: 'edit', id: idOf(1) } });
    expect(screenOf(editing.state)).toContain('edit ada: Mine (Esc leaves it)');
    expect(editing.effects).toEqual([]);
    const saved = typed(editing.state, '[return]');
    expect(tea(saved.state).pending).toMatchObject([{ edits: idOf(1), text: 'Mine!' }]);
    expect(saved.effects).toEqual([{ do: 'send', id: 'tea' }]);
    expect(tea(typed(editing.state, '[escape]').state)).toMatchObject({
      line: { text: '' },
      purpose: undefined,
      marked: undefined,
    });
    const half = stateOf(talkOf([own(1, 'Mine')], { line: lineOf('Half') }));
    expect(tea(typed(half, '[up]').state).line.text).toBe('Half');
    const other = typed(stateOf(talk), `/edit ${idOf(2).slice(0, 12)}`, '[return]');
    expect(other.state.note).toBe('Only the sender can change a message.');
  });
});

describe('commands about a message', () => {
  const talk = talkOf([said(1, 'One'), own(2, 'Two'), said(3, 'Three')]);
  const runs = (state: State, line: string) => {
    const { effects } = typed(state, line, '[return]');
    return effects.flatMap((one) => (one.do === 'run' ? [[one.name, one.message?.seq, one.words]] : []));
  };

  it('mean the one that is marked, or named by its id, or the last one that fits', () => {
    const marked = typed(stateOf(talk), '[ctrl-p]', '[ctrl-p]', '[ctrl-p]').state;
    expect(tea(marked).marked).toBe(idOf(1));
    expect(runs(marked, '/react 👍')).toEqual([['react', 1, '👍']]);
    expect(runs(stateOf(talk), '/react 👍')).toEqual([['react', 3, '👍']]);
    expect(runs(stateOf(talk), `/react 👍 ${idOf(1).slice(0, 12)}`)).toEqual([['react', 1, '👍']]);
    expect(runs(marked, '/pin')).toEqual([['pin', 1, '']]);
    expect(runs(stateOf(talk), '/pin conversation')).toEqual([['pin', undefined, 'conversation']]);
    const reply = typed(marked, '/reply Yes.', '[return]');
    expect(tea(reply.state).pending).toMatchObject([{ text: 'Yes.', replyTo: idOf(1) }]);
    const unknown = typed(stateOf(talk), '/pin 01a22bffffff', '[return]');
    expect(unknown.state.note).toContain('No message that is shown');
    const several = typed(stateOf(talk), '/pin 01a22b00', '[return]');
    expect(several.state.note).toBe('Several ids begin with 01a22b00. Write more of it.');
  });

  it('ask before a message is deleted or a group is left, and no is no', () => {
    const asked = typed(stateOf(talk), '/remove', '[return]');
    expect([asked.effects, screenOf(asked.state)]).toEqual([
      [],
      expect.stringContaining('Delete "Two" for everybody, for good? [y] yes [n] no'),
    ]);
    expect(typed(asked.state, 'n').effects).toEqual([]);
    expect(typed(asked.state, 'n').state.asking).toBeUndefined();
    expect(typed(asked.state, 'x', '[return]').state.asking).toBeDefined();
    expect(typed(asked.state, 'y').effects).toMatchObject([{ do: 'run', name: 'remove', message: { seq: 2 } }]);
    expect(typed(stateOf(talk), '/leave', '[return]').state.asking?.question).toBe('Leave #tea?');
  });

  it('send again or drop what was refused', () => {
    const pending = {
      clientId: 'p',
      text: 'x',
      files: [],
      replyTo: undefined,
      inThread: false,
      edits: undefined,
      why: 'No.',
    };
    const refused = stateOf(talkOf([], { pending: [{ ...pending, state: 'refused' }] }));
    const again = typed(refused, '/retry', '[return]');
    expect([tea(again.state).pending, again.effects]).toMatchObject([
      [{ clientId: 'p', state: 'waiting', why: undefined }],
      [{ do: 'send' }],
    ]);
    expect(tea(typed(refused, '/discard', '[return]').state).pending).toEqual([]);
    expect(typed(stateOf(talk), '/retry', '[return]').state.note).toBe('Nothing was refused here.');
  });

  it('are completed by Tab, and so are names', () => {
    expect(tea(typed(stateOf(talk), '/unr', '[tab]').state).line.text).toBe('/unreact ');
    const several = typed(stateOf(talk), '/un', '[tab]');
    expect([tea(several.state).line.text, several.state.note]).toEqual([
      '/un',
      'unreact  unpin  unfollow  unmute  unlock',
    ]);
    expect(tea(typed(stateOf(talk), 'Hi @B', '[tab]').state).line.text).toBe('Hi @bob ');
    expect(typed(stateOf(talk), 'Hi', '[tab]').state.pane).toBe('list');
    expect(typed(stateOf(talk), '/help', '[return]').state.panel?.text).toContain('/reply [ID] [TEXT]');
    for (const name of Object.keys(commandWords))
      expect(typed(stateOf(talk), '[f1]').state.panel?.text).toContain(`/${name}`);
  });

  it('of the social network, and before a conversation is open, say what to do', () => {
    const social = { ...placeOf('tea'), isSocial: true, conversation: {}, waits: false } as never;
    const there = stateOf(talk, { places: new Map([['tea', social]]) });
    expect(typed(there, '/pins', '[return]').state.note).toContain('conclave social message');
    expect(tea(typed(there, 'Hi', '[return]').state).pending).toMatchObject([{ text: 'Hi' }]);
  });
});

describe('scrolling', () => {
  const many = talkOf(
    Array.from({ length: 200 }, (_, at) => said(at + 1, `Number ${at + 1}.`)),
    { hasOlder: true },
  );
  const shown = (state: State): number[] =>
    Array.from(screenOf(state).matchAll(/Number (\d+)\./g), (found) => Number(found[1]));

  it('goes by pages without leaving out a line, asks for older messages in time, and comes back', () => {
    const seen = new Set(shown(stateOf(many)));
    let now = stateOf(many);
    const asked: string[] = [];
    for (let page = 0; page < 40; page += 1) {
      const after = typed(now, '[pageup]');
      asked.push(...after.effects.map((effect) => `${page} ${effect.do}`));
      now = after.state;
      for (const number of shown(now)) seen.add(number);
    }
    expect(seen.size).toBe(200);
    expect(shown(now)[0]).toBe(1);
    expect(asked[0]).toMatch(/^\d+ older$/);
    expect(shown(typed(now, '[end]').state).at(-1)).toBe(200);
    for (let page = 0; page < 40; page += 1) now = typed(now, '[pagedown]').state;
    expect([shown(now).at(-1), tea(now).scroll]).toEqual([200, undefined]);
  });

  it('keeps the mark on the screen', () => {
    let now = stateOf(many);
    for (let step = 0; step < 60; step += 1) now = typed(now, '[ctrl-p]').state;
    expect(tea(now).marked).toBe(idOf(141));
    expect(shown(now)).toContain(141);
    expect(tea(typed(now, '[escape]').state).marked).toBeUndefined();
  });
});

describe('the list', () => {
  it('moves, filters, opens, and quits', () => {
    const list = stateOf(talkOf([said(1, 'x')]), { pane: 'list' });
    const opened = typed(list, 'j', '[return]');
    expect(opened.effects).toEqual([{ do: 'open', id: 'cake', from: 'tea' }]);
    expect(opened.state).toMatchObject({ openId: 'cake', pane: 'talk' });
    const filtered = typed(list, '/', 'ca', '[return]', '[return]');
    expect(filtered.effects).toEqual([{ do: 'open', id: 'cake', from: 'tea' }]);
    expect(screenOf(typed(list, '/', 'zz').state)).toContain('No name has that.');
    expect(typed(list, 'q').effects).toEqual([{ do: 'quit' }]);
    expect(typed(list, '?').state.panel?.title).toBe('Keys and commands');
    const next = typed(stateOf(talkOf([])), '[alt-down]');
    expect(next.effects).toEqual([{ do: 'open', id: 'cake', from: 'tea' }]);
    expect(typed(stateOf(talkOf([])), '[ctrl-d]').effects).toEqual([{ do: 'quit' }]);
  });
});
