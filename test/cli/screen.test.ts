import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fit, loadMeasure, measured } from '../../src/cli/kit/display-width.ts';
import { escapeForTerminal, escapedJson } from '../../src/cli/kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../../src/cli/kit/screen.ts';
import { details, table } from '../../src/cli/kit/table.ts';
import { paintFor } from '../../src/cli/kit/terminal.ts';

const plain = (_: unknown, text: string) => text;
const measure = await loadMeasure();
const terminal = (width: number): Screen => ({ width, paint: plain, measure });
const pipe: Screen = terminal(Number.POSITIVE_INFINITY);

describe('what somebody else wrote', () => {
  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['a\nb\tc\rd', 'a\\x0ab\\x09c\\x0dd'],
    ['\u009b31m', '\\x9b31m'],
    ['abc\u202egnp.exe', 'abc\\u{202e}gnp.exe'],
    ['\u2066x\u2069\u200b\ufeff', '\\u{2066}x\\u{2069}\\u{200b}\\u{feff}'],
    ['\ud800', '\\u{d800}'],
    ['Zoë 日本 👍🏽 naïve', 'Zoë 日本 👍🏽 naïve'],
  ])('%j does nothing to a terminal', (text, shown) => {
    expect(escapeForTerminal(text)).toBe(shown);
  });

  it('does nothing in JSON either, and is still the same text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\u009b', '\u001b', '\u202e', '\ud800', '\n', '\u{e0041}', '"', '\\') }),
        (text) => {
          const json = escapedJson({ text });
          // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
          expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
          expect(JSON.parse(json)).toEqual({ text });
        },
      ),
    );
  });
});

const column = { title: 'T', of: (row: string) => row };

describe('texts of several lines', () => {
  const rules = [
    ['Rules', 'Be kind.\r\nNo \u001bads.', 'prose'],
    ['Id', '7'],
  ] as const;

  it('go on below themselves in details, and look like no other pair', () => {
    expect(details(terminal(40), rules)).toBe('Rules  Be kind.\n       No \\x1bads.\nId     7');
    expect(details(pipe, rules)).toBe('Rules\tBe kind.\n\tNo \\x1bads.\nId\t7');
  });

  it('are one line in a table, and line ends of names are visible', () => {
    expect(table(pipe, ['a \n\n b'], [{ ...column, prose: true }, column])).toBe('a b\ta \\x0a\\x0a b');
  });
});

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['ｗ', 2],
    ['e\u0301', 1],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['', 0],
  ])('%s takes %i columns', (text, columns) => {
    expect(measure(text)).toBe(columns);
  });

  it('add up, whatever stands beside what', () => {
    const unit = fc.constantFrom(
      ...Array.from('aé ÿ…—жЩωΩ日本かカ한©®'),
      '\u00ad',
      'e\u0301',
      '👍🏽',
      '1\ufe0f\u20e3',
      'カ\u3099',
    );
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        expect(measure(parts.join(''))).toBe(parts.reduce((sum, part) => sum + measure(part), 0));
      }),
    );
  });

  it('need nothing but the length where all is ASCII, and are measured again where something is not', async () => {
    const drawings = async (rows: string[]) => {
      const widths: number[] = [];
      const text = await measured((given) => {
        widths.push(given('日本'));
        return table({ ...terminal(20), measure: given }, rows, [{ title: 'T', of: (row) => row }]);
      });
      return { text, widths };
    };
    const ascii = await measured((given) =>
      table({ ...terminal(9), measure: given }, ['abc', 'x'.repeat(20)], [column]),
    );
    expect(ascii).toBe('T\nabc\nxxxxxxxx…');
    expect(await drawings(['日本語', 'abc'])).toEqual({ text: 'T\n日本語\nabc', widths: [2, 4] });
  });

  it('of what is joined across the end of ASCII are those of the whole', () => {
    expect(measure('a\u0301b 1\ufe0f\u20e3 Zoë')).toBe(9);
    expect(fit('a\u0301'.repeat(9), 5, measure)).toBe(`${'a\u0301'.repeat(4)}…`);
  });

  it('fit is never wider than asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        expect(measure(fit(text, columns, measure))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('a table', () => {
  const columns = [
    { title: 'NAME', of: (row: string[]) => row[0]! },
    { title: 'NOTE', of: (row: string[]) => row[1]! },
    { title: 'ID', of: (row: string[]) => row[2]!, whole: true },
  ];
  const rows = [
    ['alice', 'short', '0123456789'],
    ['日本', 'a very long note that has to be cut somewhere\u001b[31m', 'abcdef'],
  ];

  it('fits the terminal, and keeps what must be whole', () => {
    expect(table(terminal(40), rows, columns).split('\n')).toEqual([
      'NAME   NOTE                   ID',
      'alice  short                  0123456789',
      '日本   a very long note tha…  abcdef',
    ]);
  });

  it('gives the room to what the rows are about, and leaves out what is spare', () => {
    const known = [
      { title: 'TITLE', of: (row: string[]) => row[0]!, main: true },
      { title: 'ADDRESS', of: (row: string[]) => row[1]! },
      { title: 'ID', of: (row: string[]) => row[2]!, spare: true },
    ];
    const entries = [['a title of thirty characters..', 'an-address-that-is-longer-than-the-title.example', 'abcdef']];
    const lines = (width: number) => table(terminal(width), entries, known).split('\n');
    expect(lines(60)).toEqual([
      'TITLE                           ADDRESS',
      'a title of thirty characters..  an-address-that-is-longer-t…',
    ]);
    expect(lines(40)[1]).toMatch(/^a title of thirty character…\s+an-addres…$/);
    expect(lines(120)[0]).toMatch(/TITLE +ADDRESS +ID/);
    expect(table(pipe, entries, known)).toContain('\tabcdef');
  });

  it('is as wide as it must be where even that is too much', () => {
    expect(table(terminal(10), rows, columns)).toContain('0123456789');
  });

  it('is tab-separated, whole and without a heading elsewhere', () => {
    expect(table(pipe, rows, columns).split('\n')[1]).toBe(
      '日本\ta very long note that has to be cut somewhere\\x1b[31m\tabcdef',
    );
    expect(
      details(pipe, [
        ['A', '1'],
        ['Long', '2'],
      ]),
    ).toBe('A\t1\nLong\t2');
  });

  it('has facts in two columns', () => {
    expect(
      details(terminal(80), [
        ['A', '1'],
        ['Long', '2'],
      ]),
    ).toBe('A     1\nLong  2');
  });

  it('has long facts on several lines, and keys and hashes whole', () => {
    const key = 'ab'.repeat(40);
    const drawn = details(terminal(40), [
      ['Long', '日本 words that go on and on, over \u001bthe end of the line'],
      ['Key', `${key} and more`],
      ['Fits', 'x'.repeat(34)],
    ]);
    expect(drawn.split('\n')).toEqual([
      'Long  日本 words that go on and on, over',
      '      \\x1bthe end of the line',
      `Key   ${key}`,
      '      and more',
      `Fits  ${'x'.repeat(34)}`,
    ]);
    // Where nothing helps, the terminal itself breaks the lines.
    expect(details(terminal(20), [['Long name', 'a b c d e f g h i j k']])).toBe('Long name  a b c d e f g h i j k');
    expect(details(pipe, [['Long', 'word '.repeat(40).trim()]])).toBe(`Long\t${'word '.repeat(40).trim()}`);
  });
});

describe('values', () => {
  it('are sizes and moments for people, and exact elsewhere', () => {
    expect([0, 1023, 1024, 151_552, 5 * 1024 ** 3].map(bytes)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.0 KiB',
      '148 KiB',
      '5.0 GiB',
    ]);
    expect(moment(pipe, '2026-01-02T03:04:05.678Z')).toBe('2026-01-02T03:04:05.678Z');
    expect(moment(terminal(80), '2026-01-02T03:04:05.678Z')).toMatch(/^2026-01-0\d \d\d:\d\d$/);
    expect(moment(terminal(80), undefined)).toBe('-');
  });

  it('have colours on a terminal alone, unless NO_COLOR', () => {
    const tty = { isTTY: true } as never;
    const file = { isTTY: false } as never;
    const red = (output: never, env: NodeJS.ProcessEnv) => paintFor(output, env)('red', 'x') !== 'x';
    expect(red(tty, {})).toBe(true);
    expect(red(tty, { NO_COLOR: '1' })).toBe(false);
    expect(red(tty, { TERM: 'dumb' })).toBe(false);
    expect(red(file, {})).toBe(false);
    expect(red(file, { FORCE_COLOR: '1' })).toBe(true);
  });
});
