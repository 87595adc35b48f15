import { expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { entriesOf, importText } from './expect-import.ts';
import { csvOf } from './samples.ts';

it('takes the other names that Chromium does, and the first of several columns for notes', async () => {
  const text = 'origin,login,login_password,comment,note\nhttps://a.example,u,p,second,first\n';
  const [entry] = await entriesOf('browserA_csv', text);
  expect(entry).toMatchObject({ siteUrl: 'https://a.example', username: 'u', password: 'p', notes: 'first' });
  expect(entry?.customFields).toEqual([{ name: 'comment', value: 'second', hidden: false }]);
});

it('keeps the address of an app and calls it by its package', async () => {
  const [entry] = await entriesOf(
    'browserA_csv',
    'name,url,username,password\n,android://aGFzaA==@com.example.app/,u,p\n',
  );
  expect(entry).toMatchObject({ title: 'com.example.app', siteUrl: 'android://aGFzaA==@com.example.app/' });
});

it('reads four columns as older versions wrote them, without a last line end', async () => {
  const result = await importText('auto', 'name,url,username,password\na,https://a.example,u,p');
  expect(result).toMatchObject({ format: 'browserA_csv', records: [{ row: 1 }] });
});

const firefox = [
  [
    'url',
    'username',
    'password',
    'httpRealm',
    'formActionOrigin',
    'guid',
    'timeCreated',
    'timeLastUsed',
    'timePasswordChanged',
  ],
  [
    'https://www.a.example',
    'u',
    'p',
    '',
    'https://www.a.example',
    '{1}',
    '1600000000000',
    '1600000002000',
    '1600000001000',
  ],
  ['chrome://FirefoxAccounts', 'me', 'a long key', 'Firefox Accounts credentials', '', '{2}', '1', '1', '1'],
  ['https://b.example', 'v', 'q', 'Staff only', '', '{3}', 'x', '', '99999999999999999'],
];

it('takes the host for a title, times and the realm, and leaves out what is of Firefox itself', async () => {
  const result = await importText('auto', csvOf(firefox, '\r\n'));
  expect(result.format).toBe('browserB_csv');
  expect(result.skipped).toEqual([{ row: 2, reason: 'It is an entry of Firefox itself.' }]);
  const [first, second] = result.records;
  expect(first).toMatchObject({
    createdAt: '2020-09-13T12:26:40.000Z',
    updatedAt: '2020-09-13T12:26:41.000Z',
    entry: {
      title: 'a.example',
      customFields: [{ name: 'timeLastUsed', value: '2020-09-13T12:26:42.000Z', hidden: false }],
    },
  });
  expect(second?.entry.customFields).toEqual([{ name: 'httpRealm', value: 'Staff only', hidden: false }]);
  expect(second).not.toHaveProperty('createdAt');
});

it('keeps what two browsers have for one site', async () => {
  const result = await parseImport('browserB_csv', Buffer.from(csvOf([firefox[0]!, firefox[1]!, firefox[1]!])));
  expect(result.records).toHaveLength(2);
});
