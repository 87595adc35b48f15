import { describe, expect, it } from 'vitest';
import { inputView } from '../../../../src/cli/kit/input-view.ts';
import { lineOf } from '../../../../src/cli/kit/line.ts';
import { view } from '../../../../src/cli/chat/messenger/view.ts';
import { placeOf, idOf, linesOf, look, measure, me, own, said, screenOf, stateOf, talkOf } from './fixture.ts';

const sizes = [
  [40, 20],
  [80, 24],
  [200, 60],
  [69, 12],
  [70, 6],
  [20, 3],
] as const;

/** Names and texts that would move the cursor, turn the direction of text, or take two columns a character. */
const hostile = '\u001b[2J\u202e\u009b31m漢字👩‍👩‍👧 ';
const long = `${hostile}${'漢字'.repeat(40)}\nhttps://home.example/${'x'.repeat(120)}`;

describe('the screen of conversations', () => {
  it.each(sizes)('fills %i×%i, and shows nothing raw, whatever is on it', (columns, rows) => {
    const messages = [
      said(1, long, { senderName: hostile, replyToMessageId: idOf(9), pinned: true }),
      said(2, null, { deleted: true }),
      said(3, null, { hidden: true }),
      said(4, 'x', {
        reactionCounts: [{ emoji: '👍', count: 2 }],
        attachments: [{ id: idOf(7), filename: long, mimeType: 'a/b', size: 5_000, url: '' }],
      }),
    ];
    const pending = {
      clientId: 'p',
      text: long,
      files: [hostile],
      replyTo: undefined,
      inThread: false,
      edits: undefined,
    };
    const talk = talkOf(messages, {
      pending: [{ ...pending, state: 'refused', why: long }],
      line: lineOf(long.repeat(3)),
      doubt: long,
      isLocked: true,
      marked: idOf(1),
      purpose: { kind: 'reply', id: idOf(1) },
      files: [hostile],
    });
    const places = new Map([['tea', placeOf('tea', { title: hostile.repeat(5), mode: 'client' })]]);
    const base = stateOf(talk, { columns, rows, places, link: 'lost' });
    for (const state of [
      base,
      { ...base, note: long },
      { ...base, pane: 'list' as const, filter: hostile, isFiltering: true },
      { ...base, asking: { question: long, effect: { do: 'quit' as const } } },
      { ...base, panel: { title: hostile, text: 'A line\n'.repeat(90), top: 4 } },
    ]) {
      const { lines, cursor } = view(state, look);
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map(measure))).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll('👩‍👩‍👧', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (cursor !== undefined) {
        expect(cursor.row).toBeLessThan(rows);
        expect(cursor.column).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('has list and conversation side by side, with what is unread, or one of them where it is narrow', () => {
    const state = stateOf(talkOf([said(1, 'Cake?'), own(2, 'Tea.')]));
    expect(linesOf(state)[0]).toMatch(/^Conversations \(3\) +│ #tea$/);
    expect(screenOf(state)).toMatch(/ #cake +@1 3 │/);
    const narrow = { ...state, columns: 40, rows: 20 };
    expect(linesOf(narrow)[0]).toBe('#tea  (3)');
    expect(screenOf(narrow)).not.toContain('cake');
    expect(linesOf({ ...narrow, pane: 'list' })[0]).toMatch(/^Conversations \(3\) +$/);
    expect(linesOf({ ...narrow, pane: 'list' })[1]).toMatch(/^> #tea +$/);
  });

  it('says in the title what the person must know, however narrow it is', () => {
    const typing = [{ memberId: 'b'.repeat(24), until: look.nowMs + 1_000 }];
    const talk = talkOf([said(1, 'x')], { typing });
    const client = new Map([['tea', placeOf('tea', { mode: 'client', memberCount: 3 })]]);
    const title = (more: object) => linesOf(stateOf(talk, { columns: 40, ...more }))[0];
    expect(title({ places: client })).toBe('#tea  bob is typing  client  3 members');
    expect(title({ places: client, link: 'lost' })).toBe('#tea  not connected, trying again');
    const old = talkOf([], { typing: [{ memberId: 'b'.repeat(24), until: look.nowMs }] });
    expect(linesOf(stateOf(old, { columns: 40 }))[0]).toBe('#tea  (3)');
  });

  it('shows what was said as other commands do, and what is not sent with the reason', () => {
    const pending = {
      clientId: 'p',
      text: 'Wait',
      files: ['a.txt'],
      replyTo: idOf(1),
      inThread: false,
      edits: undefined,
      why: undefined,
    };
    const talk = talkOf(
      [
        said(1, 'Cake?', { editedAt: '2026-12-01T11:00:00.000Z' }),
        said(2, null, { deleted: true }),
        said(3, null, { hidden: true }),
        own(4, 'Mine'),
      ],
      {
        newAfter: 1,
        receipts: new Map([
          ['b'.repeat(24), 4],
          [me.id, 9],
        ]),
        pending: [
          { ...pending, state: 'waiting' },
          { ...pending, clientId: 'q', state: 'refused', why: 'You are muted here.' },
        ],
      },
    );
    const text = screenOf(stateOf(talk, { columns: 60, rows: 40 }));
    expect(text).toContain('bob  10:01  edited\n  Cake?');
    expect(text).toMatch(/─── new ─+\n/);
    expect(text).toContain('(deleted)');
    expect(text).toContain('(hidden: a block parts you)');
    expect(text).toContain('  Mine\n  read by 1\n');
    expect(text).toContain('  > bob: Cake?\n  Wait\n  + a.txt\n  not sent\n');
    expect(text).toContain('not sent: You are muted here. /retry or /discard');
  });

  it('shows the end, or what somebody scrolled to while others write', () => {
    const many = Array.from({ length: 80 }, (_, at) => said(at + 1, `Number ${at + 1}.`));
    expect(screenOf(stateOf(talkOf(many)))).toContain('Number 80.');
    const scroll = { id: idOf(40), hidden: 0 };
    const away = screenOf(stateOf(talkOf(many, { scroll, below: 3 })));
    expect(away).toContain('Number 40.');
    expect(away).not.toContain('Number 41.');
    expect(away).toContain('↓ 3 new below: End');
  });
});

describe('the line to write in', () => {
  it('is broken between characters, with the cursor where the person writes', () => {
    const at = (text: string, place: number, width = 12) => inputView({ text, at: place }, width, 3, measure);
    expect(at('', 0)).toEqual({ lines: ['> '], row: 0, column: 2 });
    expect(at('漢字漢字漢字', 3)).toEqual({ lines: ['> 漢字漢字漢', '  字'], row: 0, column: 8 });
    expect(at('0123456789', 10)).toEqual({ lines: ['> 0123456789', '  '], row: 1, column: 2 });
    expect(at('a\nb', 2)).toEqual({ lines: ['> a', '  b'], row: 1, column: 2 });
    expect(at('1\n2\n3\n4\n5', 9)).toEqual({ lines: ['  3', '  4', '  5'], row: 2, column: 3 });
    expect(at('1\n2\n3\n4\n5', 0)).toEqual({ lines: ['> 1', '  2', '  3'], row: 0, column: 2 });
    expect(at('👩‍👩‍👧x', 8)).toMatchObject({ column: 4 });
  });
});
