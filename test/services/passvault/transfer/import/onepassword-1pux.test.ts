import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { entriesOf, expectProblem } from './expect-import.ts';
import { onePux, onePuxLogin, onePuxOf, utf8 } from './samples.ts';

const login = { title: '🚀 Site', username: 'u', password: 'p', url: 'https://a.example', notes: 'n' };

function item(changes: Record<string, unknown>, details: Record<string, unknown> = {}): Record<string, unknown> {
  const base = onePuxLogin(login) as Record<string, Record<string, unknown>>;
  return { ...base, ...changes, details: { ...base.details, ...details } };
}

function section(fields: Record<string, unknown>[], title = ''): Record<string, unknown> {
  return { sections: [{ title, name: 's', fields }] };
}

describe('1PUX', () => {
  it('reads all accounts and all vaults, each vault as a tag where there are several', async () => {
    const vault = (name: string) => ({ attrs: { name }, items: [item({})] });
    const file = onePuxOf([{ vaults: [vault('One'), vault('Two')] }, { vaults: [vault('Three')] }]);
    const entries = await entriesOf('managerA_1pux', file);
    expect(entries.map(({ tags }) => tags)).toEqual([['One'], ['Two'], ['Three']]);
  });

  it('maps times, favourites, tags, addresses, history', async () => {
    const overview = {
      title: '🚀 Site',
      url: 'https://a.example',
      urls: [
        { label: 'website', url: 'https://a.example' },
        { label: 'more', url: 'https://b.example' },
      ],
      tags: ['x', 'y/z'],
    };
    const passwordHistory = [
      { value: 'older', time: 1_500_000_000 },
      { value: 'old', time: 1_600_000_000 },
    ];
    const file = onePux([item({ overview, favIndex: 1 }, { passwordHistory })]);
    const { records } = await parseImport('auto', file);
    expect(records[0]).toMatchObject({
      createdAt: '2020-09-13T12:26:40.000Z',
      updatedAt: '2020-09-13T12:26:41.000Z',
      entry: {
        type: 'login',
        title: '🚀 Site',
        siteUrl: 'https://a.example',
        urls: [{ uri: 'https://b.example', match: 'domain' }],
        tags: ['x', 'y/z'],
        favorite: true,
        archived: false,
        notes: 'n',
        passwordHistory: [
          { password: 'old', changedAt: '2020-09-13T12:26:40.000Z' },
          { password: 'older', changedAt: '2017-07-14T02:40:00.000Z' },
        ],
      },
    });
  });

  it('imports what is archived, skips what is in the trash, takes items without uuid or state', async () => {
    const { uuid: _, state: __, ...bare } = item({});
    const file = onePux([item({ state: 'archived' }), item({ trashed: true }), item({ state: 'trashed' }), bare]);
    const result = await parseImport('managerA_1pux', file);
    expect(result.records.map(({ row, entry }) => [row, entry.archived])).toEqual([
      [1, true],
      [4, false],
    ]);
    expect(result.skipped.map(({ row }) => row)).toEqual([2, 3]);
  });

  it('takes the first one-time password and keeps the others as hidden fields', async () => {
    const fields = [
      { title: 'one', id: 'TOTP_1', value: { totp: 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP' } },
      { title: 'two', id: 'TOTP_2', value: { totp: 'GEZDGNBVGY3TQOJQ' } },
      { title: 'bad', id: 'TOTP_3', value: { totp: '1nvalid!' } },
    ];
    const [entry] = await entriesOf('managerA_1pux', onePux([item({}, section(fields))]));
    expect(entry?.totpSecret).toBe('otpauth://totp/x?secret=JBSWY3DPEHPK3PXP');
    expect(entry?.customFields).toEqual([
      { name: 'one-time password', value: 'GEZDGNBVGY3TQOJQ', hidden: true },
      { name: 'one-time password', value: '1nvalid!', hidden: true },
    ]);
  });

  it('keeps every kind of field', async () => {
    const fields = [
      { title: 'pin', id: 'a', value: { concealed: '0007' } },
      { title: 'text', id: 'b', value: { string: '' } },
      { title: 'email', id: 'c', value: { email: { email_address: 'a@b.example', provider: null } } },
      { title: 'old email', id: 'd', value: { email: 'c@d.example' } },
      {
        title: 'home',
        id: 'e',
        value: { address: { street: 'S 1', city: 'C', state: '', zip: '01234', country: 'de' } },
      },
      { title: 'born', id: 'f', value: { date: -86_400 } },
      { title: 'valid', id: 'g', value: { monthYear: 203_012 } },
      {
        title: 'key',
        id: 'h',
        value: { sshKey: { privateKey: 'PRIV', metadata: { publicKey: 'PUB', keyType: 'ed25519' } } },
      },
      { title: 'sso', id: 'i', value: { ssoLogin: { provider: 'google', item: null } } },
      { title: 'new kind', id: 'j', value: { surprise: { deep: ['x', 'y'] } } },
      { title: 'number', id: 'k', value: { phone: '+49 1' } },
      { title: 'none', id: 'l', value: { date: null } },
    ];
    const [entry] = await entriesOf('managerA_1pux', onePux([item({}, section(fields, 'More'))]));
    expect(entry?.customFields?.map(({ name, value, hidden }) => [name, value, hidden])).toEqual([
      ['More / pin', '0007', true],
      ['More / email', 'a@b.example', false],
      ['More / old email', 'c@d.example', false],
      ['More / home.street', 'S 1', false],
      ['More / home.city', 'C', false],
      ['More / home.zip', '01234', false],
      ['More / home.country', 'de', false],
      ['More / born', '1969-12-31', false],
      ['More / valid', '12/2030', false],
      ['More / key', 'PRIV', true],
      ['More / key.metadata.publicKey', 'PUB', false],
      ['More / key.metadata.keyType', 'ed25519', false],
      ['More / sso.provider', 'google', false],
      ['More / new kind.deep.1', 'x', false],
      ['More / new kind.deep.2', 'y', false],
      ['More / number', '+49 1', false],
    ]);
  });

  it('reads cards by the ids of their fields', async () => {
    const fields = [
      { title: 'Karteninhaber', id: 'cardholder', value: { string: 'A. Person' } },
      { title: 'type', id: 'type', value: { creditCardType: 'visa' } },
      { title: 'Nummer', id: 'ccnum', value: { creditCardNumber: '4111111111111111' } },
      { title: 'cvv', id: 'cvv', value: { concealed: '012' } },
      { title: 'expiry', id: 'expiry', value: { monthYear: 203_001 } },
      { title: 'valid from', id: 'validFrom', value: { monthYear: 202_001 } },
    ];
    const card = item({ categoryUuid: '002', overview: { title: 'Card' } }, { ...section(fields), loginFields: [] });
    const [entry] = await entriesOf('managerA_1pux', onePux([card]));
    expect(entry).toMatchObject({
      type: 'credit_card',
      cardholderName: 'A. Person',
      cardNumber: '4111111111111111',
      cvv: '012',
      expirationDate: '01/2030',
      customFields: [
        { name: 'type', value: 'visa', hidden: false },
        { name: 'valid from', value: '01/2020', hidden: false },
      ],
    });
  });

  it('takes the password of category 005 from its details, and makes notes of other kinds with all they have', async () => {
    const password = item({ categoryUuid: '005' }, { loginFields: [], password: 'p5' });
    const licence = item(
      { categoryUuid: '103', overview: { title: 'Licence' } },
      { ...section([{ title: 'number', id: 'n', value: { string: 'D1' } }]), loginFields: [] },
    );
    const mail = item({ categoryUuid: '111', overview: { title: 'Mail' } });
    const entries = await entriesOf('managerA_1pux', onePux([password, licence, mail]));
    expect(entries[0]).toMatchObject({ type: 'login', password: 'p5' });
    expect(entries[1]).toMatchObject({
      type: 'secure_note',
      content: 'n',
      customFields: [
        { name: 'category', value: 'Driver License', hidden: false },
        { name: 'number', value: 'D1', hidden: false },
      ],
    });
    expect(entries[2]?.customFields).toContainEqual({ name: 'password', value: 'p', hidden: true });
    expect(entries[2]?.customFields).toContainEqual({ name: 'username', value: 'u', hidden: false });
  });

  it('keeps attachments, and takes no path from their names', async () => {
    const documentAttributes = { fileName: '../../etc/passwd', documentId: 'doc1', decryptedSize: 3 };
    const field = {
      title: 'file',
      id: 'f',
      value: { file: { fileName: 'a/b.png', documentId: 'doc2', decryptedSize: 2 } },
    };
    const wrapped = {
      item: item({ categoryUuid: '006' }, { sections: null }),
      file: { attrs: { documentId: 'doc3', fileName: 'c.txt' } },
    };
    const file = onePux(
      [
        item({ categoryUuid: '006' }, { ...section([field]), documentAttributes }),
        wrapped,
        item({}, { documentAttributes: { documentId: 'gone', fileName: 'g' } }),
      ],
      {
        'files/doc1__../../etc/passwd': Uint8Array.of(1, 2, 3),
        'files/doc2__a/b.png': Uint8Array.of(4, 5),
        'files/doc3__c.txt': Uint8Array.of(6),
        'files/avatar.png': Uint8Array.of(7),
      },
    );
    const result = await parseImport('managerA_1pux', file);
    expect(result.errors).toEqual([]);
    expect(
      result.records.map(({ attachments }) =>
        attachments.map(({ filename, mimeType, bytes }) => [filename, mimeType, [...bytes]]),
      ),
    ).toEqual([
      [
        ['b.png', 'image/png', [4, 5]],
        ['passwd', 'application/octet-stream', [1, 2, 3]],
      ],
      [['c.txt', 'text/plain', [6]]],
      [],
    ]);
    expect(result.notices).toEqual([{ row: 3, reason: 'It has a file that is not in the archive.' }]);
  });

  const string = (id: string, value: string) => ({ title: id, id, value: { string: value } });
  const hidden = (id: string, value: string) => ({ title: id, id, value: { concealed: value } });

  it.each([
    [
      '102',
      'Database',
      [string('hostname', 'db.example'), string('port', '5432'), string('username', 'u'), hidden('password', 'p')],
    ],
    ['110', 'Server', [string('url', 'https://s.example'), string('username', 'u'), hidden('password', 'p')]],
    [
      '109',
      'Wireless Router',
      [string('network_name', 'u'), string('server', '192.0.2.1'), hidden('wireless_password', 'p')],
    ],
    ['112', 'API Credential', [string('username', 'u'), hidden('credential', 'p'), string('hostname', 'api.example')]],
  ])('makes a login of category %s, %s', async (categoryUuid, name, fields) => {
    const one = item(
      { categoryUuid, overview: { title: 'T' } },
      { ...section(fields), loginFields: [], notesPlain: 'n' },
    );
    const bare = item({ categoryUuid, overview: { title: 'T' } }, { loginFields: [], sections: null });
    const [entry, note] = await entriesOf('managerA_1pux', onePux([one, bare]));
    expect(entry).toMatchObject({ type: 'login', username: 'u', password: 'p', notes: 'n' });
    expect(entry?.siteUrl).toMatch(/example|192/);
    expect(entry?.customFields).toContainEqual({ name: 'category', value: name, hidden: false });
    expect(entry?.customFields?.some(({ value }) => value === 'p' || value === 'u')).toBe(false);
    expect(note?.type).toBe('secure_note');
  });

  it('keeps what numbers look like', async () => {
    const text = JSON.stringify({
      accounts: [{ vaults: [{ items: [item({}, section([{ title: 'n', id: 'n', value: { string: 0 } }]))] }] }],
    });
    const file = zipSync({ 'export.data': utf8(text.replace('"string":0', '"string":12345678901234567890.10')) });
    const [entry] = await entriesOf('managerA_1pux', file);
    expect(entry?.customFields).toEqual([{ name: 'n', value: '12345678901234567890.10', hidden: false }]);
  });

  it('reports a broken item alone', async () => {
    const file = onePux([item({}), 'nonsense', null, item({}, { loginFields: [{ value: { secret: 'topsecret' } }] })]);
    const result = await parseImport('managerA_1pux', file);
    expect(result.records.map(({ row }) => row)).toEqual([1]);
    expect(result.errors.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(JSON.stringify(result.errors)).not.toContain('topsecret');
  });

  it('refuses archives that are something else', async () => {
    await expectProblem(parseImport('managerA_1pux', zipSync({ 'a.txt': utf8('a') })), 'IMPORT_UNREADABLE');
    await expectProblem(parseImport('auto', zipSync({ 'a.txt': utf8('a') })), 'UNSUPPORTED_FORMAT');
    await expectProblem(parseImport('managerA_1pux', zipSync({ 'export.data': utf8('[]') })), 'IMPORT_UNREADABLE');
    await expectProblem(parseImport('managerA_1pux', utf8('PK\u0003\u0004')), 'IMPORT_UNREADABLE');
  });
});
