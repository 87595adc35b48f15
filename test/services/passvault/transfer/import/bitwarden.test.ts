import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { csvOf, utf8 } from './samples.ts';

function exportOf(items: unknown[], more: object = {}): string {
  return JSON.stringify({ encrypted: false, folders: [{ id: 'f1', name: 'A/B' }], items, ...more });
}

describe('JSON', () => {
  it('reads a login with all that it has', async () => {
    const item = {
      id: 'i1',
      organizationId: null,
      folderId: 'f1',
      type: 1,
      reprompt: 1,
      name: ' Login ',
      notes: 'n',
      favorite: true,
      fields: [
        { name: 'text', value: 'a', type: 0 },
        { name: 'hidden', value: 'b', type: 1 },
        { name: 'boolean', value: 'true', type: 2 },
        { name: 'linked', value: null, type: 3, linkedId: 100 },
        { name: null, value: null, type: 0 },
      ],
      login: {
        uris: [
          { match: 3, uri: 'https://a.example/x' },
          { match: null, uri: 'https://b.example' },
          { match: 4, uri: '^https://.*$' },
          { match: 5, uri: 'https://c.example' },
        ],
        username: 'u',
        password: 'p',
        totp: 'steam://A1C',
        fido2Credentials: [{ keyValue: 'k', counter: 0 }],
      },
      passwordHistory: [{ lastUsedDate: '2021-01-02T03:04:05.678Z', password: 'old' }],
      creationDate: '2020-01-01T00:00:00.000Z',
      revisionDate: '2021-01-01T00:00:00.000Z',
      deletedDate: null,
      archivedDate: '2022-01-01T00:00:00.000Z',
      key: '2.a|b|c',
      newThing: { inside: 1 },
    };
    const { format, records } = await importText('auto', exportOf([item]));
    expect(format).toBe('managerC_json');
    expect(records).toEqual([
      {
        row: 1,
        createdAt: '2020-01-01T00:00:00.000Z',
        updatedAt: '2021-01-01T00:00:00.000Z',
        attachments: [],
        entry: {
          type: 'login',
          title: ' Login ',
          username: 'u',
          password: 'p',
          siteUrl: 'https://a.example/x',
          urls: [
            { uri: 'https://a.example/x', match: 'exact' },
            { uri: 'https://b.example', match: 'domain' },
            { uri: 'https://c.example', match: 'never' },
          ],
          notes: 'n',
          customFields: [
            { name: 'url (regular expression)', value: '^https://.*$', hidden: false },
            { name: 'passkey', value: '{"keyValue":"k","counter":"0"}', hidden: true },
            { name: 'text', value: 'a', hidden: false },
            { name: 'hidden', value: 'b', hidden: true },
            { name: 'boolean', value: 'true', hidden: false },
            { name: 'linked', value: 'linked to 100', hidden: false },
            { name: 'reprompt', value: '1', hidden: false },
            { name: 'newThing.inside', value: '1', hidden: false },
            { name: 'one-time password', value: 'steam://A1C', hidden: true },
          ],
          passwordHistory: [{ password: 'old', changedAt: '2021-01-02T03:04:05.678Z' }],
          tags: ['A/B'],
          favorite: true,
          archived: true,
        },
      },
    ]);
  });

  it('reads cards, of whose dates half may be missing', async () => {
    const card = (expMonth: unknown, expYear: unknown) => ({
      type: 3,
      name: 'C',
      card: { cardholderName: 'A', brand: 'Visa', number: '4111', expMonth, expYear, code: '012' },
    });
    const entries = await entriesOf(
      'managerC_json',
      exportOf([card('1', '2030'), card(null, '2030'), card('12', null), card(1, 2030), card('13', '')]),
    );
    expect(entries.map(({ expirationDate }) => expirationDate)).toEqual([
      '01/2030',
      '/2030',
      '12/',
      '01/2030',
      undefined,
    ]);
    expect(entries[0]).toMatchObject({ type: 'credit_card', cardholderName: 'A', cardNumber: '4111', cvv: '012' });
    expect(entries[4]?.customFields).toContainEqual({ name: 'expMonth', value: '13', hidden: false });
  });

  it('makes notes of identities, keys and what is newer, with all their fields', async () => {
    const entries = await entriesOf(
      'managerC_json',
      exportOf([
        { type: 2, name: 'N', notes: 'text', secureNote: { type: 0 } },
        { type: 4, name: 'I', notes: null, identity: { firstName: 'Ada', ssn: '123', middleName: null } },
        { type: 5, name: 'S', sshKey: { privateKey: 'PRIV', publicKey: 'PUB', keyFingerprint: 'F' } },
        { type: 6, name: 'B', bankAccount: { accountNumber: '42' } },
        { type: 99, name: 'X', future: { a: [true, 'b'] } },
      ]),
    );
    expect(entries.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'secure_note'));
    expect(entries[0]).toMatchObject({ content: 'text' });
    expect(
      entries.slice(1).map(({ customFields }) => customFields?.map(({ name, value, hidden }) => [name, value, hidden])),
    ).toEqual([
      [
        ['type', 'identity', false],
        ['firstName', 'Ada', false],
        ['ssn', '123', false],
      ],
      [
        ['type', 'sshKey', false],
        ['privateKey', 'PRIV', true],
        ['publicKey', 'PUB', false],
        ['keyFingerprint', 'F', false],
      ],
      [
        ['type', 'bankAccount', false],
        ['accountNumber', '42', false],
      ],
      [
        ['type', 'type 99', false],
        ['future.a.1', 'true', false],
        ['future.a.2', 'b', false],
      ],
    ]);
  });

  it('takes logins that are null, empty or without a type', async () => {
    const entries = await entriesOf(
      'managerC_json',
      exportOf([
        { type: 1, name: 'A', login: null },
        { type: 1, name: 'B', login: {} },
        { name: 'C', login: { password: 'p' } },
        { name: 'D', notes: 'n' },
        { type: 1, name: null, notes: null, fields: null, login: { uris: null, username: 'u' } },
      ]),
    );
    expect(entries.map(({ type, title }) => [type, title])).toEqual([
      ['login', 'A'],
      ['login', 'B'],
      ['login', 'C'],
      ['secure_note', 'D'],
      ['login', 'u'],
    ]);
  });

  it('skips the trash and reports what is no item', async () => {
    const result = await importText(
      'managerC_json',
      exportOf([
        { type: 1, name: 'A', deletedDate: '2020-01-01T00:00:00Z' },
        7,
        { type: 1, name: { x: 1 } },
        { type: 1, name: 'B' },
      ]),
    );
    expect(result.skipped).toEqual([{ row: 1, reason: 'It is in the trash.' }]);
    expect(result.errors.map(({ row }) => row)).toEqual([2, 3]);
    expect(result.records.map(({ row }) => row)).toEqual([4]);
  });

  it('takes the names of collections of an organisation', async () => {
    const text = JSON.stringify({
      encrypted: false,
      collections: [
        { id: 'c1', organizationId: 'o', name: 'Team', externalId: null },
        { id: 'c2', name: 'Other' },
      ],
      items: [{ type: 1, name: 'A', collectionIds: ['c1', 'c2', 'c3'], organizationId: 'o', login: { password: 'p' } }],
    });
    const [entry] = await entriesOf('auto', text);
    expect(entry?.tags).toEqual(['Team', 'Other']);
    expect(entry).not.toHaveProperty('customFields');
  });

  it('reads the zip with attachments', async () => {
    const data = exportOf([
      { id: 'i1', type: 1, name: 'A', login: { password: 'p' } },
      { id: 'i2', type: 1, name: 'B' },
    ]);
    const file = zipSync({
      'data.json': utf8(data),
      'attachments/i1/a.txt': utf8('one'),
      'attachments/i1/../../b.txt': utf8('two'),
      'attachments/none/c.txt': utf8('three'),
    });
    const { format, records } = await parseImport('auto', file);
    expect(format).toBe('managerC_json');
    expect(
      records.map(({ attachments }) =>
        attachments.map(({ filename, mimeType, bytes }) => [filename, mimeType, new TextDecoder().decode(bytes)]),
      ),
    ).toEqual([
      [
        ['a.txt', 'text/plain', 'one'],
        ['b.txt', 'text/plain', 'two'],
      ],
      [],
    ]);
  });

  it('keeps numbers as they are written, and refuses half characters', async () => {
    const text = exportOf([]).replace(
      '"items":[]',
      String.raw`"items":[{"type":1,"name":"A","login":{"username":1e5,"password":0123456789012345678901}},{"type":1,"name":"B","login":{"password":"a\ud800b"}}]`,
    );
    const result = await importText('managerC_json', text);
    expect(result.records[0]?.entry).toMatchObject({ username: '1e5', password: '0123456789012345678901' });
    expect(result.errors).toEqual([{ row: 2, reason: 'One of its fields is not well-formed Unicode.' }]);
  });

  it('keeps the good items of a file that breaks off', async () => {
    const text = exportOf([1, 2, 3].map((index) => ({ type: 1, name: `T${index}`, login: { password: 'topsecret' } })));
    const result = await importText('managerC_json', text.slice(0, text.lastIndexOf('topsecret') + 3));
    expect(result.records).toHaveLength(2);
    expect(result.errors).toEqual([{ row: 3, reason: 'The file ends too early or is damaged here.' }]);
  });

  it('takes the one address of old versions, once, and when the password was set', async () => {
    const login = { password: 'p', uri: 'https://a.example', passwordRevisionDate: '2020-01-01T00:00:00.000Z' };
    const items = [
      { type: 1, name: 'A', login },
      { type: 1, name: 'B', login: { ...login, uris: [{ uri: 'https://a.example', match: 3 }] } },
    ];
    const { records } = await importText('auto', JSON.stringify({ items, folders: [] }));
    expect(records.map(({ entry: { siteUrl, urls } }) => [siteUrl, urls])).toEqual([
      ['https://a.example', undefined],
      ['https://a.example', [{ uri: 'https://a.example', match: 'exact' }]],
    ]);
    expect(records.map(({ passwordChangedAt }) => passwordChangedAt)).toEqual(
      Array.from({ length: 2 }, () => '2020-01-01T00:00:00.000Z'),
    );
  });

  it('says so when records may be missing, also where the file ends between two', async () => {
    const items = Array.from({ length: 5 }, (_, at) => `{"type":1,"name":"T${at}","login":{"password":"secret${at}"}}`);
    const file = `{"encrypted":false,"folders":[],"items":[${items.join(',')}],"more":{}}`;
    expect((await importText('managerC_json', file)).notices).toEqual([]);
    for (let length = file.indexOf('"items"') + 9; length < file.length; length += 1) {
      const { errors, notices } = await importText('managerC_json', file.slice(0, length));
      const said = [...errors, ...notices].map(({ reason }) => reason);
      expect(
        said.some((reason) => reason.includes('ends too early')),
        file.slice(0, length),
      ).toBe(true);
      expect(said.join()).not.toContain('secret');
    }
    const damaged = await importText('managerE_json', '{"AUTHENTIFIANT":[{"title":"A"}] "SECURENOTE":[{"title":"B"}]}');
    expect(damaged.notices).toEqual([{ row: 0, reason: expect.stringContaining('may be missing') }]);
  });

  it('ignores what an extension of our own has in another shape', async () => {
    const conclave = {
      title: ['x'],
      tags: 'x',
      urls: [{ uri: true }, 'x'],
      createdAt: 'yesterday',
      type: 'login',
      __proto__: { a: 1 },
      constructor: 'x',
    };
    const [entry] = await entriesOf('managerC_json', exportOf([{ type: 2, name: 'A', notes: 'n', conclave }]));
    expect(entry).toEqual({
      type: 'secure_note',
      title: 'A',
      content: 'n',
      urls: [],
      tags: [],
      favorite: false,
      archived: false,
    });
  });
});

describe('CSV', () => {
  const header = [
    'folder',
    'favorite',
    'type',
    'name',
    'notes',
    'fields',
    'reprompt',
    'login_uri',
    'login_username',
    'login_password',
    'login_totp',
  ];

  it('reads lists of addresses, fields and an organisation', async () => {
    const text = csvOf([
      [...header, 'archivedDate'],
      [
        'F',
        '1',
        'login',
        'A',
        'n',
        'pin: 12: 34\nkey: line 1\nline 2',
        '1',
        'https://a.example,"https://b.example/?a,b""c",https://c.example',
        'u',
        'p',
        'JBSWY3DPEHPK3PXP',
        '2025-01-01',
      ],
      ['', '', 'note', 'N', 'text', '', '0', '', '', '', '', ''],
    ]);
    const { format, records } = await importText('auto', text);
    expect(format).toBe('managerC_csv');
    expect(records[0]?.entry).toMatchObject({
      tags: ['F'],
      favorite: true,
      archived: true,
      siteUrl: 'https://a.example',
      urls: [
        { uri: 'https://b.example/?a,b"c', match: 'domain' },
        { uri: 'https://c.example', match: 'domain' },
      ],
      customFields: [
        { name: 'pin: 12', value: '34', hidden: false },
        { name: 'key', value: 'line 1\nline 2', hidden: false },
        { name: 'reprompt', value: '1', hidden: false },
      ],
      totpSecret: 'JBSWY3DPEHPK3PXP',
    });
    expect(records[1]?.entry).toMatchObject({ type: 'secure_note', content: 'text' });
    const [member] = await entriesOf(
      'auto',
      csvOf([
        ['collections', ...header.slice(2)],
        ['Team,"a, b"', 'login', 'A', '', '', '0', '', 'u', 'p', ''],
      ]),
    );
    expect(member?.tags).toEqual(['Team', 'a, b']);
  });
});

it('refuses an export that is bound to an account', async () => {
  const text = JSON.stringify({
    encrypted: true,
    encKeyValidation_DO_NOT_EDIT: '2.a|b|c',
    folders: [],
    items: [],
    data: '',
  });
  const problem = await expectProblem(importText('auto', text), 'IMPORT_UNREADABLE');
  expect(problem.message).toContain('account');
});
