import { expect, it } from 'vitest';
import { entriesOf, importText } from './expect-import.ts';
import { csvOf } from './samples.ts';

const header = ['url', 'username', 'password', 'totp', 'extra', 'name', 'grouping', 'fav'];

function note(extra: string): string {
  return csvOf([header, ['http://sn', '', '', '', extra, 'N', 'Work\\Keys', '1']]);
}

it('reads logins with nested groups, favourites and one-time passwords, in any order of columns', async () => {
  const text = csvOf([
    ['username', 'url', 'extra', 'password', 'name', 'grouping', 'fav', 'totp'],
    ['u', 'https://a.example', 'two\nlines', 'p', 'A', 'Work\\Mail', '1', 'JBSWY3DPEHPK3PXP'],
    ['v', '', '', 'q', 'B', '(none)', '0', ''],
  ]);
  const { format, records } = await importText('auto', text);
  expect(format).toBe('managerB_csv');
  expect(records.map(({ entry }) => entry)).toMatchObject([
    {
      tags: ['Work/Mail'],
      favorite: true,
      totpSecret: 'JBSWY3DPEHPK3PXP',
      notes: 'two\nlines',
      siteUrl: 'https://a.example',
    },
    { tags: [], favorite: false, username: 'v', password: 'q' },
  ]);
});

it('reads files of older versions, which had no one-time passwords', async () => {
  const [entry] = await entriesOf(
    'auto',
    'url,username,password,extra,name,grouping,fav\nhttps://a.example,u,p,,A,,0\n',
  );
  expect(entry).toMatchObject({ type: 'login', title: 'A', password: 'p' });
});

it('takes http://sn for a secure note', async () => {
  const [entry] = await entriesOf('managerB_csv', note('just: text\nNotes:x'));
  expect(entry).toMatchObject({
    type: 'secure_note',
    content: 'just: text\nNotes:x',
    tags: ['Work/Keys'],
    favorite: true,
  });
  expect(entry).not.toHaveProperty('siteUrl');
});

it.each([
  ['June,2020', '06/2020'],
  ['June,', '06/'],
  [',2020', '/2020'],
  [',', undefined],
])('reads a card that expires %s', async (date, expected) => {
  const extra = `NoteType:Credit Card\nLanguage:en-US\nName on Card:A. Person\nType:Visa\nNumber:4111\nSecurity Code:012\nStart Date:,\nExpiration Date:${date}\nNotes:first\nsecond: with colon`;
  const [entry] = await entriesOf('managerB_csv', note(extra));
  expect(entry).toMatchObject({
    type: 'credit_card',
    cardholderName: 'A. Person',
    cardNumber: '4111',
    cvv: '012',
    notes: 'first\nsecond: with colon',
  });
  expect(entry?.expirationDate).toBe(expected);
  expect(entry?.customFields?.map(({ name }) => name)).toEqual(['Language', 'Type']);
});

it('keeps every field of other types, splits at the first colon, and joins lines that have none', async () => {
  const extra =
    'NoteType:SSH Key\nLanguage:en\nBit Strength:2048\nPrivate Key:-----BEGIN-----\nabc\n-----END-----\nPhone:{"num":"1:2"}\nNotes:';
  const [entry] = await entriesOf('managerB_csv', note(extra));
  expect(entry?.type).toBe('secure_note');
  expect(entry?.customFields).toEqual([
    { name: 'NoteType', value: 'SSH Key', hidden: false },
    { name: 'Language', value: 'en', hidden: false },
    { name: 'Bit Strength', value: '2048', hidden: false },
    { name: 'Private Key', value: '-----BEGIN-----\nabc\n-----END-----', hidden: true },
    { name: 'Phone', value: '{"num":"1:2"}', hidden: false },
  ]);
});

it('leaves HTML entities as they are, and says so once', async () => {
  const text = csvOf([
    header,
    ['https://a.example', 'u', 'a&amp;b', '', '', 'A', '', '0'],
    ['https://b.example', 'u', '&#233;', '', '', 'B', '', '0'],
  ]);
  const { records, notices } = await importText('managerB_csv', text);
  expect(records.map(({ entry }) => entry.password)).toEqual(['a&amp;b', '&#233;']);
  expect(notices).toEqual([{ row: 0, reason: expect.stringContaining('HTML') }]);
});

it('reports rows that an unquoted note broke, and keeps the good ones', async () => {
  const text =
    'url,username,password,extra,name,grouping,fav\nhttps://a.example,u,p,,A,,0\nhttp://sn,,,a,b,c,d,e,f,g\nhttps://b.example,u,q,,B,,0\n';
  const { records, errors } = await importText('managerB_csv', text);
  expect(records.map(({ entry }) => entry.password)).toEqual(['p', 'q']);
  expect(errors).toHaveLength(1);
});

it('reads profiles of forms as cards or notes', async () => {
  const text = csvOf([
    ['profilename', 'profilelanguage', 'title', 'firstname', 'ccname', 'ccnum', 'ccexp', 'cccsc', 'notes'],
    ['Mine', 'en-US', 'ms', 'Ada', 'A. Person', '4111', '2030-01', '012', 'n'],
    ['Home', 'en-US', '', 'Ada', '', '', '', '', ''],
  ]);
  const { format, records } = await importText('auto', text);
  expect(format).toBe('managerB_csv');
  expect(records.map(({ entry }) => entry)).toMatchObject([
    { type: 'credit_card', title: 'Mine', cardNumber: '4111', expirationDate: '01/2030', cvv: '012', notes: 'n' },
    { type: 'secure_note', title: 'Home' },
  ]);
  expect(records[1]?.entry.customFields).toContainEqual({ name: 'firstname', value: 'Ada', hidden: false });
});

it('reports rows that are too short, each as one record, instead of making logins of them', async () => {
  const text =
    'url,username,password,extra,name,grouping,fav\nhttps://a.example,u,p,,A,,0\nhttp://sn,,,NoteType:Server\nUsername:root\nPassword:hunter2\nNotes:,Box,,0\nhttps://b.example,u,q,,B,,0\n';
  const { records, errors, skipped, notices } = await importText('managerB_csv', text);
  expect(records.map(({ entry }) => entry.title)).toEqual(['A', 'B']);
  expect(errors).toEqual([2, 3, 4, 5].map((row) => ({ row, reason: 'It has fewer cells than there are columns.' })));
  expect([skipped, notices]).toEqual([[], []]);
});

it('counts the columns that have names, and takes a line of nothing for none', async () => {
  const text =
    'url,username,password,extra,name,grouping,fav,\nhttps://a.example,u,p,,A,,0\n   \nhttps://b.example,u,p,,B,,0,\n';
  const { records, errors, skipped } = await importText('managerB_csv', text);
  expect(records.map(({ entry }) => entry.title)).toEqual(['A', 'B']);
  expect(errors).toEqual([]);
  expect(skipped).toEqual([{ row: 2, reason: 'The line is empty.' }]);
});

const encrypted = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  'DEK-Info: AES-128-CBC,8D1A',
  '',
  'abc+/=',
  'def',
  '-----END RSA PRIVATE KEY-----',
].join('\n');

it('keeps an encrypted PEM block whole and hidden, whatever its field is called', async () => {
  for (const name of ['Private Key', 'Data']) {
    const [entry] = await entriesOf(
      'managerB_csv',
      note(`NoteType:SSH Key\nLanguage:en\n${name}:${encrypted}\nHostname:h\nNotes:`),
    );
    expect(entry?.customFields?.slice(2)).toEqual([
      { name, value: encrypted, hidden: true },
      { name: 'Hostname', value: 'h', hidden: false },
    ]);
  }
});

it('takes a PEM block that is never closed for none, so that it hides no field', async () => {
  const [entry] = await entriesOf(
    'managerB_csv',
    note('NoteType:SSH Key\nPrivate Key:-----BEGIN X-----\nabc\nPassphrase:p\nNotes:n'),
  );
  expect(entry?.customFields?.map(({ name }) => name)).toEqual(['NoteType', 'Private Key', 'Passphrase']);
  expect(entry?.content).toBe('n');
});

it.each(['\n', '\r\n', '\r'])('keeps empty lines inside of a value, and none at its end (%j)', async (lineEnd) => {
  const value = ['first', '', 'third'].join(lineEnd);
  const [entry] = await entriesOf(
    'managerB_csv',
    note(['NoteType:Address', `Address:${value}`, '', 'City:C', 'Notes:'].join(lineEnd)),
  );
  expect(entry?.customFields).toEqual([
    { name: 'NoteType', value: 'Address', hidden: false },
    { name: 'Address', value, hidden: false },
    { name: 'City', value: 'C', hidden: false },
  ]);
});

it('takes CR CR LF for one line end, also inside of notes', async () => {
  const [card, plain] = await entriesOf(
    'auto',
    csvOf(
      [
        header,
        ['http://sn', '', '', '', 'NoteType:Address\r\r\nAddress:one\r\r\ntwo\r\r\nNotes:a\r\r\nb', 'N', '', '0'],
        ['https://a.example', 'u', 'p\r\r\nq', '', 'a\r\r\nb', 'A', '', '0'],
      ],
      '\r\r\n',
    ),
  );
  expect(card?.customFields?.[1]?.value).toBe('one\r\ntwo');
  expect(card?.content).toBe('a\r\nb');
  expect(plain).toMatchObject({ notes: 'a\r\nb', password: 'p\r\r\nq' });
});
