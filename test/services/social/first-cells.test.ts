import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvCell } from '../../../src/services/social/transfer/csv.ts';
import { firstCells, type CsvLine } from '../../../src/services/social/transfer/first-cells.ts';
import { runs } from '../../support/stage.ts';

async function cellsOf(csv: string, most = 20_000): Promise<CsvLine[]> {
  return await firstCells(Buffer.from(csv), most);
}

it('reads the first cells of CSV of all kinds', async () => {
  const csv = '\ufeff"a""b",1\r\n\r\n c ;2\n"two\nlines",x\n"open,3\nd';
  expect(await cellsOf(csv)).toEqual([
    { line: 1, text: 'a"b' },
    { line: 3, text: 'c' },
    { line: 4, text: 'two\nlines' },
    { line: 6, text: '"open' },
    { line: 7, text: 'd' },
  ]);
  expect(await cellsOf(`"'-ada@x",true`)).toEqual([{ line: 1, text: '-ada@x' }]);
});

it.each<[string, string, [line: number, text: string][]]>([
  ['nothing', '', []],
  ['a mark alone', '\ufeff', []],
  [
    'line ends of all kinds, and empty lines',
    '\ufeff\n\r\n\ra\rb\r\n\nc',
    [
      [4, 'a'],
      [5, 'b'],
      [7, 'c'],
    ],
  ],
  [
    'line ends of all kinds inside of quotes',
    'a,"\r\n\n\r"\r\nb',
    [
      [1, 'a'],
      [5, 'b'],
    ],
  ],
  [
    'a quote that is not closed',
    'a\n\n"b',
    [
      [1, 'a'],
      [3, '"b'],
    ],
  ],
  [
    'a quote that is not closed in a later cell of a record with more lines',
    '"a\nb","c,""d\ne',
    [
      [1, 'a\nb'],
      [3, 'e'],
    ],
  ],
  [
    'a quote that is not closed, and those in pairs behind it',
    'a;"b\n"""",1\n""x,2\nc',
    [
      [1, 'a'],
      [2, '"'],
      [3, '""x'],
      [4, 'c'],
    ],
  ],
  [
    'quotes that do not fit, whose line alone is another text',
    '"ada"@x,1\nb"o"b\nc',
    [
      [1, '"ada"@x'],
      [2, 'b"o"b'],
      [3, 'c'],
    ],
  ],
  [
    'spaces around quotes',
    '"ada@x" ,1\n "bob@x",2',
    [
      [1, 'ada@x'],
      [2, 'bob@x'],
    ],
  ],
  ['tabs, which separate nothing', 'a\tb,c', [[1, 'a\tb']]],
  [
    'no more and no fewer cells than others',
    'a\nb,,,,,\nc,1',
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ],
  ],
  ['a title once', 'Account Address,Show boosts\naccount address', [[2, 'account address']]],
])('takes %s', async (_, csv, expected) => {
  expect(await cellsOf(csv)).toEqual(expected.map(([line, text]) => ({ line, text })));
});

it('reads what another reader does, across every border of a piece', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r\n', '\u{1f33b}'), maxLength: 6 });
  const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(40), fc.constantFrom('\n', '\r\n'), async (some, before, end) => {
      // In front, so that quotes of the content are not those around a cell.
      const text = some.map(([one, other]) => `"-${doubled(one)}-","${doubled(other)}"${end}`).join('');
      const csv = `${'x'.repeat(8 * 1024 - before)}${end}${text}`;
      const expected = parse(text, { record_delimiter: end }).map(([first]) => first);
      expect((await cellsOf(csv)).slice(1).map(({ text: one }) => one)).toEqual(expected);
    }),
    { numRuns: runs(150) },
  );
});

function doubled(text: string): string {
  return text.replaceAll('"', '""');
}

it('reads what is exported', async () => {
  const name = fc.string({ unit: fc.constantFrom('a', '=', '-', '+', '@', '%', '|', ',', '.'), minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (names) => {
      const csv = names.map((one) => `${csvCell(one)},true\r\n`).join('');
      expect((await cellsOf(csv)).map(({ text }) => text)).toEqual(names);
    }),
    { numRuns: runs(100) },
  );
});

it('stops at the first record that is too many, and counts the empty ones', async () => {
  expect(await cellsOf('Account address\na\n\n\nb\n', 2)).toHaveLength(2);
  for (const csv of ['a\nb\nc\n"', 'Account address\na\nb\nc', ',\n,\n""\n'])
    await expect(cellsOf(csv, 2)).rejects.toMatchObject({ code: 'IMPORT_UNREADABLE' });
});

it('takes a cell as long as the file, and lets others work meanwhile', async () => {
  let turns = 0;
  let immediate = setImmediate(function turn() {
    turns += 1;
    immediate = setImmediate(turn);
  });
  const [cell] = await cellsOf(`"${'a\n'.repeat(512 * 1024 - 1)}"`);
  clearImmediate(immediate);
  expect(cell?.text).toHaveLength(1024 * 1024 - 3);
  expect(turns).toBeGreaterThan(100);
});

it('reads whatever comes', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '"', ',', ';', ' ', '\n', '\r', '\0', '\ufeff'),
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(text, async (csv) => {
      const lines = (await cellsOf(csv)).map(({ line }) => line);
      expect(lines).toEqual([...new Set(lines)].toSorted((one, other) => one - other));
      expect(lines.every((line) => line >= 1 && line <= csv.split(/\r\n|\n|\r/).length)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});
