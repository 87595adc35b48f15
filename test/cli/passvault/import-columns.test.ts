import { describe, expect, it } from 'vitest';
import { parseColumns } from '../../../src/cli/passvault/transfer/import-columns.ts';
import { headerOf } from '../../../src/cli/passvault/table-header.ts';

describe('--columns', () => {
  it('takes the names that entries have for their fields, once or several times', () => {
    expect(parseColumns([])).toBeUndefined();
    expect(parseColumns(['title=Name,username= Login ', 'number=Card', 'url=a=b', 'tags=Group'])).toEqual({
      title: 'Name',
      username: 'Login',
      cardNumber: 'Card',
      siteUrl: 'a=b',
      tags: 'Group',
    });
  });

  it('leaves commas in names', () => {
    expect(parseColumns(['title=Last, first,password=Pass'])).toEqual({ title: 'Last, first', password: 'Pass' });
  });

  it.each([['title'], ['colour=Blue'], ['title='], ['title=A,title=B']])('refuses %s', (text) => {
    expect(() => parseColumns([text])).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('the header of a table', () => {
  it.each([
    ['commas', 'Name,"Pass, word",Note\n1,2,3'],
    ['semicolons', 'Name;"Pass, word";Note\r\n'],
    ['tabs', '\uFEFFName\tPass, word\tNote'],
    ['a line that says so', 'sep=;\r\nName;Pass, word;Note\n'],
  ])('is read with %s', (_, text) => {
    expect(headerOf(Buffer.from(text))).toEqual(['Name', 'Pass, word', 'Note']);
  });

  it('is read of UTF-16, and with quotes in quotes', () => {
    expect(headerOf(Buffer.from('\uFEFFA,B', 'utf16le'))).toEqual(['A', 'B']);
    expect(headerOf(Buffer.from('"A ""x""",B'))).toEqual(['A "x"', 'B']);
  });

  it.each(['', 'one', '{"a":1}', 'A,a', ',,'])('is none of %j', (text) => {
    expect(headerOf(Buffer.from(text))).toBeUndefined();
  });
});
