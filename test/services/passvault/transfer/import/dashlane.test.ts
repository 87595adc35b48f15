import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { expectProblem, importText } from './expect-import.ts';
import { csvOf, utf8 } from './samples.ts';

it('reads the sections of the old export', async () => {
  const text = JSON.stringify({
    AUTHCATEGORY: [{ categoryName: 'Work' }],
    AUTHENTIFIANT: [
      {
        title: 'A',
        domain: 'a.example',
        url: 'https://a.example/login',
        login: 'u',
        secondaryLogin: 's',
        email: 'e@a.example',
        password: 'p',
        note: 'n',
        category: 'Work',
        otpSecret: 'JBSWY3DPEHPK3PXP',
        otpUrl: 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP',
      },
      {
        title: 'B',
        domain: 'b.example',
        login: '',
        secondaryLogin: '',
        email: 'e@b.example',
        password: 'q',
        otpSecret: '',
      },
      'nonsense',
    ],
    SECURENOTE: [{ title: 'N', content: 'text' }],
    PAYMENTMEANS_CREDITCARD: [
      {
        name: 'Card',
        bank: 'Bank',
        owner: 'A. Person',
        cardNumber: '4111',
        securityCode: '012',
        expireMonth: '1',
        expireYear: '2030',
      },
    ],
    IDENTITY: [{ fullName: 'Ada L', pseudo: 'ada' }],
    NEWTHING: [{ title: 'X', depth: { a: 1 } }],
  });
  const { format, records, errors } = await importText('auto', text);
  expect(format).toBe('managerE_json');
  expect(errors).toEqual([{ row: 3, reason: 'It is not an item.' }]);
  expect(records.map(({ entry }) => entry)).toMatchObject([
    {
      title: 'A',
      username: 'u',
      password: 'p',
      siteUrl: 'https://a.example/login',
      totpSecret: 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP',
      notes: 'n',
      tags: ['Work'],
      customFields: [
        { name: 'secondaryLogin', value: 's' },
        { name: 'email', value: 'e@a.example' },
      ],
    },
    { title: 'B', username: 'e@b.example', siteUrl: 'b.example' },
    { type: 'secure_note', title: 'N', content: 'text' },
    {
      type: 'credit_card',
      title: 'Card',
      cardholderName: 'A. Person',
      cardNumber: '4111',
      cvv: '012',
      expirationDate: '01/2030',
      customFields: [{ name: 'bank', value: 'Bank' }],
    },
    {
      type: 'secure_note',
      title: 'Ada L',
      customFields: [
        { name: 'type', value: 'IDENTITY' },
        { name: 'pseudo', value: 'ada' },
      ],
    },
    {
      type: 'secure_note',
      title: 'X',
      customFields: [
        { name: 'type', value: 'NEWTHING' },
        { name: 'depth.a', value: '1' },
      ],
    },
  ]);
  expect(records[0]?.entry).not.toHaveProperty('urls');
});

it('refuses JSON without any section that is known', async () => {
  await expectProblem(importText('managerE_json', '{"A":[{}]}'), 'IMPORT_UNREADABLE');
});

it('reads the zip of tables that it exports today', async () => {
  const file = zipSync({
    'credentials.csv': utf8(
      csvOf([
        ['username', 'username2', 'username3', 'title', 'password', 'note', 'url', 'category', 'otpUrl'],
        [
          '',
          'second',
          'third',
          'A',
          ' p ',
          'n',
          'https://a.example',
          'Work',
          'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP',
        ],
      ]),
    ),
    'securenotes.csv': utf8(
      csvOf([
        ['title', 'note', 'category'],
        ['N', 'text', ''],
      ]),
    ),
    'payments.csv': utf8(
      csvOf([
        [
          'type',
          'account_name',
          'account_holder',
          'cc_number',
          'code',
          'expiration_month',
          'expiration_year',
          'routing_number',
          'name',
          'note',
        ],
        ['payment_card', 'Visa', 'A. Person', '4111', '012', '01', '2030', '', '', ''],
        ['bank', 'Bank', 'A. Person', '', '', '', '', '99', '', ''],
      ]),
    ),
    'ids.csv': utf8(
      csvOf([
        ['type', 'number', 'name'],
        ['passport', 'C01', 'Ada'],
      ]),
    ),
  });
  const { format, records } = await parseImport('auto', file);
  expect(format).toBe('managerE_json');
  expect(records.map(({ entry }) => entry)).toMatchObject([
    {
      type: 'login',
      username: 'second',
      password: ' p ',
      tags: ['Work'],
      customFields: [{ name: 'username2', value: 'third' }],
    },
    { type: 'credit_card', title: 'Visa', cardNumber: '4111', expirationDate: '01/2030' },
    { type: 'secure_note', title: 'Bank' },
    { type: 'secure_note', title: 'N', content: 'text' },
    { type: 'secure_note', title: 'Ada' },
  ]);
});

const credentials = csvOf([
  ['username', 'username2', 'username3', 'title', 'password', 'note', 'url', 'category', 'otpUrl'],
  ['u', '', '', 'A', 'p', '', 'https://a.example', '', ''],
]);

it('reads tables by their names without regard to case, in whatever folder', async () => {
  const file = zipSync({
    'Export/CREDENTIALS.CSV': utf8(credentials),
    'export/PersonalInfo.csv': utf8('title,note\nMe,n\n'),
    'ids.Csv': utf8('type,number,name\npassport,C01,Ada\n'),
  });
  const { format, records, notices } = await parseImport('auto', file);
  expect(format).toBe('managerE_json');
  expect(records.map(({ entry }) => entry.title)).toEqual(['A', 'Ada', 'Me']);
  expect(notices).toEqual([]);
});

it('names the tables that it does not know', async () => {
  const file = zipSync({
    'credentials.csv': utf8(credentials),
    'wifi.csv': utf8('a,b\n1,2\n'),
    'notes/new thing.csv': utf8('a,b\n1,2\n'),
    '__MACOSX/._credentials.csv': utf8('x'),
  });
  const { records, notices } = await parseImport('dashlane', file);
  expect(records).toHaveLength(1);
  expect(notices).toEqual([
    { row: 0, reason: 'The archive holds files that were not imported: wifi.csv, new thing.csv.' },
  ]);
});
