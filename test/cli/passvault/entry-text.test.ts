import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, overlap } from '../../../src/cli/passvault/entries/entry-changes.ts';
import { editableOf, formatEntry, type EditableEntry } from '../../../src/cli/passvault/entries/entry-text.ts';
import { parseEntry } from '../../../src/cli/passvault/entries/entry-text-parser.ts';
import type { Entry } from '../../../src/contract/passvault/entry.ts';
import { runs } from '../../support/stage.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(' ', '\n', '\r', '\t', '|', '#', ':', '=', '"', '\\', 'a', '\u2028', '\u0000', '\u202e'),
    maxLength: 12,
  }),
);
const text = anyText.filter((one) => one !== '');
const maybe = fc.option(text, { nil: undefined });
const editable = fc
  .record({
    title: text.filter((one) => one.trim() !== ''),
    username: maybe,
    password: maybe,
    siteUrl: maybe,
    totpSecret: maybe,
    notes: maybe,
    tags: fc.array(anyText, { maxLength: 4 }),
    favorite: fc.boolean(),
    archived: fc.boolean(),
    urls: fc.array(fc.record({ uri: text, match: fc.constantFrom('domain', 'host', 'startsWith', 'exact', 'never') }), {
      maxLength: 3,
    }),
    customFields: fc.array(fc.record({ name: anyText, value: anyText, hidden: fc.boolean() }), { maxLength: 4 }),
  })
  .map(
    (entry) =>
      Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as unknown as EditableEntry,
  );

describe('an entry as text', () => {
  it('is read as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(editable, fc.constantFrom('\n', '\r\n'), (entry, lineEnd) => {
        const written = formatEntry(entry, 'login', 'x');
        expect(parseEntry(written.replaceAll('\n', lineEnd))).toEqual(entry);
      }),
      { numRuns: runs(300) },
    );
  });

  it('looks like this', () => {
    const entry: EditableEntry = {
      title: 'GitHub',
      username: 'alice',
      password: ' 007 ',
      notes: 'one\n\ntwo',
      tags: ['work', 'code'],
      favorite: true,
      archived: false,
      urls: [{ uri: 'https://gist.github.com', match: 'host' }],
      customFields: [
        { name: 'API token', value: 'x', hidden: true },
        { name: 'a: b', value: '', hidden: false },
      ],
    };
    expect(formatEntry(entry, 'login', 'GitHub in \u001bWork').split('\n')).toEqual([
      '# GitHub in \\x1bWork',
      expect.stringMatching(/^# /),
      expect.stringMatching(/^# /),
      'title: GitHub',
      'username: alice',
      'password= " 007 "',
      'url:',
      'totp-secret:',
      'notes:',
      '  | one',
      '  |',
      '  | two',
      'address host: https://gist.github.com',
      'hidden API token: x',
      'text "a: b":',
      'tags: work, code',
      'favorite: yes',
      'archived: no',
      '',
    ]);
  });

  it.each([
    ['title: x\nhunter2', 2],
    ['title: x\npassword= hunter2', 2],
    ['title: x\nhunter2: x', 2],
    ['title: x\nfavorite: hunter2', 2],
    ['title: x\n\ntitle: hunter2', 3],
    ['address hunter2: x', 1],
  ])('%j is refused by its line', (wrong, line) => {
    const message = expect.stringMatching(new RegExp(`^Line ${line} `));
    expect(() => parseEntry(wrong)).toThrow(expect.objectContaining({ code: 'ENTRY_TEXT_INVALID', message }));
  });

  it('needs a title', () => {
    expect(() => parseEntry('username: x')).toThrow(/title/);
  });
});

describe('changes', () => {
  const entry: Entry = {
    id: '0'.repeat(32),
    vaultId: '1'.repeat(32),
    type: 'login',
    title: 'GitHub',
    username: 'alice',
    password: 'a',
    tags: [],
    favorite: false,
    archived: false,
    attachments: [],
    version: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };

  it('are what became another; what is gone is sent empty', () => {
    const { username: _, ...rest } = editableOf(entry);
    expect(changesBetween(editableOf(entry), { ...rest, password: 'b', tags: ['x'] })).toEqual({
      username: '',
      password: 'b',
      tags: ['x'],
    });
    expect(changesBetween(editableOf(entry), editableOf(entry))).toEqual({});
  });

  it('overlap with what somebody else changed meanwhile', () => {
    const now = { ...entry, password: 'c', notes: 'new', version: 2 };
    expect(overlap({ username: 'bob', password: 'b' }, entry, now)).toEqual(['password']);
    expect(overlap({ username: 'bob' }, entry, now)).toEqual([]);
  });
});
