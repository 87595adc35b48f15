import { expect, it } from 'vitest';
import * as contract from '../../../../../src/contract/passvault/transfer.ts';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { importFormats, importNames } from '../../../../../src/services/passvault/transfer/import/record.ts';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { csvOf, utf8, writers } from './samples.ts';

const login = { title: 'A', username: 'u', password: 'p', url: 'https://a.example', notes: 'n' };

it.each(Object.entries(importNames).flatMap(([name, formats]) => formats.map((format) => [name, format] as const)))(
  '%s is a name of %s',
  async (name, format) => {
    const result = await parseImport(name, writers[format]!([login]));
    expect([result.format, result.records.length]).toEqual([format, 1]);
    expect(contract.importNameOf[format]).toBe(name);
  },
);

it('has the names that the contract has', () => {
  expect(Object.keys(importNames)).toEqual(contract.importNames);
  expect(Object.values(importNames).flat().toSorted()).toEqual(importFormats.toSorted());
});

it.each(['keepass', '1password', 'bitwarden'])('%s refuses a file of another kind', async (name) => {
  const text = name === 'keepass' ? 'a,b\n' : '<a/>';
  await expectProblem(parseImport(name, utf8(text)), 'UNSUPPORTED_FORMAT');
});

it('warns about secrets that cannot be, and takes them as they stand', async () => {
  const text = csvOf([
    [
      'Title',
      'Url',
      'Username',
      'Password',
      'OTPAuth',
      'Favorite',
      'Archived',
      'Tags',
      'Notes',
      'number(ccnum)',
      'Type',
    ],
    ['A', '', 'u', 'p', 'not base 32!', '', '', '', '', '', 'Login'],
    ['B', '', 'u', 'p', 'JBSWY3DPEHPK3PXP', '', '', '', '', '', 'Login'],
    ['C', '', '', '', '', '', '', '', '', '4111 1111 1111 1112', 'Credit Card'],
    ['D', '', '', '', '', '', '', '', '', '4111-1111-1111-1111', 'Credit Card'],
  ]);
  const { records, notices, errors } = await importText('managerA_csv', text);
  expect(errors).toEqual([]);
  expect(records[0]?.entry.customFields).toEqual([{ name: 'one-time password', value: 'not base 32!', hidden: true }]);
  expect(records[2]?.entry.cardNumber).toBe('4111 1111 1111 1112');
  expect(notices).toEqual([
    { row: 1, reason: 'Its one-time code secret is not valid.' },
    { row: 3, reason: 'The check digit of its card number does not match: a digit may be wrong or missing.' },
  ]);
  const [none] = await entriesOf(
    'browserA_csv',
    csvOf([
      ['name', 'url', 'username', 'password', 'otp'],
      ['A', '', 'u', 'p', ''],
    ]),
  );
  expect(none?.customFields).toBeUndefined();
});
