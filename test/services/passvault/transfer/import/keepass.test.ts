import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { keePassEntry, keePassXml } from './samples.ts';

const BIN = 'YmluYmluYmluYmluYmluYg==';

function group(name: string, inside: string, uuid = 'Z3JvdXBncm91cGdyb3VwZw=='): string {
  return `<Group><UUID>${uuid}</UUID>${inside}<Name>${name}</Name></Group>`;
}

function times(modified: string): string {
  return `<Times><CreationTime>2020-01-01T00:00:00Z</CreationTime><LastModificationTime>${modified}</LastModificationTime></Times>`;
}

it('reads strings, hidden ones, folders whose names come last, tags, addresses, times, what expires', async () => {
  const entry = keePassEntry(
    {
      Title: 'A',
      UserName: 'u',
      Password: ' p ',
      URL: 'https://a.example',
      Notes: 'n',
      KP2A_URL: 'https://b.example',
      KP2A_URL_1: 'https://c.example',
      pin: '007',
      pet: 'Rex',
    },
    `<Tags>x;y, z</Tags><Times><CreationTime>2020-01-01T00:00:00Z</CreationTime><LastModificationTime>AAAAAAAAAAA=</LastModificationTime><Expires>True</Expires><ExpiryTime>ACIN1Q4AAAA=</ExpiryTime></Times>`,
    ['Password', 'pin'],
  );
  const { records } = await importText('auto', keePassXml(group('Work', group('Mail', entry))));
  expect(records).toEqual([
    {
      row: 1,
      createdAt: '2020-01-01T00:00:00.000Z',
      attachments: [],
      entry: {
        type: 'login',
        title: 'A',
        username: 'u',
        password: ' p ',
        siteUrl: 'https://a.example',
        urls: [
          { uri: 'https://b.example', match: 'domain' },
          { uri: 'https://c.example', match: 'domain' },
        ],
        notes: 'n',
        customFields: [
          { name: 'pin', value: '007', hidden: true },
          { name: 'pet', value: 'Rex', hidden: false },
          { name: 'expires', value: expect.stringMatching(/^20\d\d-/), hidden: false },
        ],
        tags: ['Work/Mail', 'x', 'y', 'z'],
        favorite: false,
        archived: false,
      },
    },
  ]);
});

it('takes histories for old passwords and never for entries', async () => {
  const old = (password: string, at: string) => keePassEntry({ Title: 'A', Password: password }, times(at));
  const history = [
    old('one', '2020-01-01T00:00:00Z'),
    old('two', '2020-02-01T00:00:00Z'),
    old('two', '2020-03-01T00:00:00Z'),
    old('now', '2020-04-01T00:00:00Z'),
  ];
  const entry = keePassEntry(
    { Title: 'A', Password: 'now' },
    `${times('2020-05-01T00:00:00Z')}<History>${history.join('')}</History>`,
  );
  const [kept, ...more] = await entriesOf('managerD_xml', keePassXml(entry));
  expect(more).toEqual([]);
  expect(kept?.passwordHistory).toEqual([
    { password: 'two', changedAt: '2020-04-01T00:00:00.000Z' },
    { password: 'one', changedAt: '2020-02-01T00:00:00.000Z' },
  ]);
});

it('skips the recycle bin by its UUID, or by its name where nothing says which it is', async () => {
  const bin = group(
    'Papierkorb',
    keePassEntry({ Title: 'gone' }) + group('inside', keePassEntry({ Title: 'gone too' })),
    BIN,
  );
  const named = keePassXml(
    bin + keePassEntry({ Title: 'kept' }),
    `<RecycleBinEnabled>True</RecycleBinEnabled><RecycleBinUUID>${BIN}</RecycleBinUUID>`,
  );
  const result = await importText('managerD_xml', named);
  expect(result.records.map(({ row, entry }) => [row, entry.title])).toEqual([[3, 'kept']]);
  expect(result.skipped.map(({ row, reason }) => [row, reason])).toEqual([
    [1, 'It is in the recycle bin.'],
    [2, 'It is in the recycle bin.'],
  ]);
  const plain = keePassXml(group('Recycle Bin', keePassEntry({ Title: 'gone' }))).replace(/<Meta>.*<\/Meta>/s, '');
  expect((await importText('managerD_xml', plain)).skipped).toHaveLength(1);
  const unset = keePassXml(
    group('Recycle Bin', keePassEntry({ Title: 'kept' })),
    '<RecycleBinUUID>AAAAAAAAAAAAAAAAAAAAAA==</RecycleBinUUID>',
  );
  expect((await importText('managerD_xml', unset)).records).toHaveLength(1);
});

it('reports encrypted values and takes no base64 for a password', async () => {
  const entry = '<Entry><String><Key>Password</Key><Value Protected="True">c2VjcmV0</Value></String></Entry>';
  const result = await importText('managerD_xml', keePassXml(entry + keePassEntry({ Title: 'B', Password: 'p' })));
  expect(result.errors.map(({ row }) => row)).toEqual([1]);
  expect(JSON.stringify(result.errors)).not.toContain('c2VjcmV0');
  expect(result.records.map(({ entry: { password } }) => password)).toEqual(['p']);
});

describe('one-time passwords', () => {
  it.each([
    [
      { otp: 'otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP&period=60' },
      'otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP&period=60',
    ],
    [{ otp: 'key=JBSWY3DPEHPK3PXP&step=30&size=6' }, 'JBSWY3DPEHPK3PXP'],
    [
      { otp: 'key=JBSWY3DPEHPK3PXP&step=60&size=8&otpHashMode=Sha256' },
      'otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&digits=8&period=60',
    ],
    [{ 'TOTP Seed': 'JBSW Y3DP EHPK 3PXP', 'TOTP Settings': '30;6' }, 'JBSW Y3DP EHPK 3PXP'],
    [
      { 'TOTP Seed': 'JBSWY3DPEHPK3PXP', 'TOTP Settings': '60;8' },
      'otpauth://totp/?secret=JBSWY3DPEHPK3PXP&digits=8&period=60',
    ],
    [{ 'TOTP Seed': 'JBSW Y3DP EHPK 3PXP', 'TOTP Settings': '30;S' }, 'steam://JBSWY3DPEHPK3PXP'],
    [
      // As KeePassXC's writeSettings() puts it.
      {
        otp: 'otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&period=30&digits=5&issuer=Steam&encoder=steam',
      },
      'otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&period=30&digits=5&issuer=Steam&encoder=steam',
    ],
    [{ 'TimeOtp-Secret': '12345678901234567890' }, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    [{ 'TimeOtp-Secret-Hex': '3132333435363738393031323334353637383930' }, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    [{ 'TimeOtp-Secret-Base64': 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=' }, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    [
      {
        'TimeOtp-Secret-Base32': 'JBSWY3DPEHPK3PXP',
        'TimeOtp-Algorithm': 'HMAC-SHA-512',
        'TimeOtp-Length': '8',
        'TimeOtp-Period': '60',
      },
      'otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA512&digits=8&period=60',
    ],
  ])('reads %j', async (strings, expected) => {
    const [entry] = await entriesOf('managerD_xml', keePassXml(keePassEntry({ Title: 'A', ...strings })));
    expect(entry?.totpSecret).toBe(expected);
    expect(entry).not.toHaveProperty('customFields');
  });

  it.each([
    [{ otp: 'otpauth://hotp/A?secret=JBSWY3DPEHPK3PXP&counter=1' }],
    [{ 'HmacOtp-Secret-Base32': 'JBSWY3DPEHPK3PXP', 'HmacOtp-Counter': '5' }],
  ])('keeps %j as fields', async (strings) => {
    const [entry] = await entriesOf(
      'managerD_xml',
      keePassXml(keePassEntry({ Title: 'A', Password: 'p', ...strings })),
    );
    expect(entry).not.toHaveProperty('totpSecret');
    expect(entry?.customFields?.map(({ name, value }) => [name, value])).toEqual(Object.entries(strings));
  });
});

it('resolves references by UUID, not for ever, and leaves placeholders', async () => {
  const uuid = (byte: number) => Buffer.alloc(16, byte);
  const reference = (field: string, byte: number) => `{REF:${field}@I:${uuid(byte).toString('hex').toUpperCase()}}`;
  const entry = (byte: number, strings: Record<string, string>) =>
    keePassEntry(strings, `<UUID>${uuid(byte).toString('base64')}</UUID>`);
  const entries = await entriesOf(
    'managerD_xml',
    keePassXml(
      [
        entry(1, { Title: 'A', UserName: 'ann', Password: 'p&1' }),
        entry(2, { Title: 'B', UserName: reference('U', 1), Password: `x${reference('P', 3)}y` }),
        entry(3, { Title: 'C', UserName: '{TITLE}', Password: reference('P', 1) }),
        entry(4, { Title: 'D', Password: reference('P', 4) }),
        entry(5, { Title: 'E', Password: reference('P', 9), UserName: '{REF:U@T:A}' }),
      ].join(''),
    ),
  );
  expect(entries.map(({ username, password }) => [username, password])).toEqual([
    ['ann', 'p&1'],
    ['ann', 'xp&1y'],
    ['{TITLE}', 'p&1'],
    [undefined, reference('P', 4)],
    ['ann', reference('P', 9)],
  ]);
});

describe('references', () => {
  const target = keePassEntry(
    { Title: 'Shared', UserName: 'ann', Password: 'p&1', URL: 'https://a.example', Notes: 'n', 'Customer {1': 'c 7' },
    `<UUID>${Buffer.alloc(16, 1).toString('base64')}</UUID>`,
  );
  const read = async (password: string, more = '') => {
    const entry = keePassEntry({ Title: 'B', UserName: 'bob', Password: password });
    const { records, notices } = await importText('managerD_xml', keePassXml(entry + target + more));
    return { password: records[0]?.entry.password, notices };
  };

  it.each([
    ['{REF:P@T:Shared}', 'p&1'],
    ['{REF:P@U:ann}', 'p&1'],
    ['{REF:U@P:p&1}', 'ann'],
    ['{REF:P@A:https://a.example}', 'p&1'],
    ['{REF:P@N:n}', 'p&1'],
    ['{REF:P@O:c 7}', 'p&1'],
    ['{ref:a@t:Shared}', 'https://a.example'],
    ['<{REF:T@U:ann}>{REF:N@U:ann}', '<Shared>n'],
    ['{REF:I@T:Shared}', '01'.repeat(16)],
  ])('by a field are resolved: %s', async (text, expected) => {
    expect(await read(text)).toEqual({ password: expected, notices: [] });
  });

  it.each([
    ['{REF:P@T:Nobody}', ''],
    ['{REF:P@T:Shared}', keePassEntry({ Title: 'Shared', Password: 'other' })],
    ['{REF:P@O:Shared}', ''],
    ['{REF:P@I:FF}', ''],
    ['{REF:X@T:Shared}', ''],
    ['{REF:P@T:Shared', ''],
    ['{REF:P@T:B}', ''],
  ])('that name no entry, or several, stay and are reported: %s', async (text, more) => {
    expect(await read(text, more)).toEqual({
      password: text,
      notices: [
        {
          row: 1,
          reason: 'It refers to a field of another entry that could not be resolved. The reference was kept as text.',
        },
      ],
    });
  });

  it('in old passwords are reported', async () => {
    const old = keePassEntry({ Title: 'A', Password: '{REF:P@T:Nobody}' }, times('2020-01-01T00:00:00Z'));
    const entry = keePassEntry({ Title: 'A', Password: 'p' }, `<History>${old}</History>`);
    const { notices } = await importText('managerD_xml', keePassXml(entry));
    expect(notices.map(({ row }) => row)).toEqual([1]);
  });
});

it('keeps attachments, compressed or not, and says which are not there', async () => {
  const meta = `<Binaries><Binary ID="0">${Buffer.from('plain').toString('base64')}</Binary><Binary ID="1" Compressed="True">${gzipSync('packed').toString('base64')}</Binary><Binary ID="2" Compressed="True">bm90IGd6aXA=</Binary></Binaries>`;
  const binary = (key: string, value: string) => `<Binary><Key>${key}</Key>${value}</Binary>`;
  const entry = keePassEntry(
    { Title: 'A' },
    binary('a.txt', '<Value Ref="0"/>') +
      binary('../b.pdf', '<Value Ref="1"/>') +
      binary('c', '<Value>aW5saW5l</Value>') +
      binary('d', '<Value Ref="2"/>') +
      binary('e', '<Value Ref="7"/>'),
  );
  const { records, notices } = await importText('managerD_xml', keePassXml(entry, meta));
  expect(
    records[0]?.attachments.map(({ filename, mimeType, bytes }) => [filename, mimeType, Buffer.from(bytes).toString()]),
  ).toEqual([
    ['a.txt', 'text/plain', 'plain'],
    ['b.pdf', 'application/pdf', 'packed'],
    ['c', 'application/octet-stream', 'inline'],
  ]);
  expect(records[0]?.entry.customFields?.map(({ value }) => value)).toEqual(['d', 'e']);
  expect(notices).toHaveLength(1);
});

it('refuses document types, and with them entities', async () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE KeePassFile [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${keePassXml(keePassEntry({ Title: '&b;' })).slice(56)}`;
  const problem = await expectProblem(importText('managerD_xml', bomb), 'IMPORT_UNREADABLE');
  expect(problem.message).toContain('document type');
});

it.each([
  ['no root', '<KeePassFile><Meta/></KeePassFile>'],
  ['no root group', '<KeePassFile><Root></Root></KeePassFile>'],
  ['two roots', '<KeePassFile><Root><Group/></Root><Root><Group/></Root></KeePassFile>'],
  ['two root groups', '<KeePassFile><Root><Group/><Group/></Root></KeePassFile>'],
  ['another root', '<html><Root><Group/></Root></html>'],
  ['no XML', 'KeePassFile'],
  ['groups too deep', `<KeePassFile><Root>${'<Group>'.repeat(100)}`],
])('refuses a file with %s', async (_, text) => {
  await expectProblem(importText('managerD_xml', text), 'IMPORT_UNREADABLE');
});

it('takes what has no UUIDs, and keeps the entries before a break', async () => {
  const text = keePassXml(
    keePassEntry({ Title: 'A', Password: 'p' }) + keePassEntry({ Title: 'B', Password: 'topsecret' }),
  );
  const result = await importText('managerD_xml', text.slice(0, text.indexOf('topsecret') + 3));
  expect(result.records.map(({ entry }) => entry.title)).toEqual(['A']);
  expect(result.errors).toEqual([{ row: 2, reason: expect.stringContaining('ends too early') }]);
});

it('reports entries that are not UTF-8 alone', async () => {
  const text = keePassXml(keePassEntry({ Title: 'A', Password: 'pä' }) + keePassEntry({ Title: 'B', Password: 'p' }));
  const result = await parseImport('managerD_xml', Buffer.from(text, 'latin1'));
  expect(result.errors).toEqual([{ row: 1, reason: 'It is not UTF-8.' }]);
  expect(result.records.map(({ entry }) => entry.title)).toEqual(['B']);
});

it('makes a note of an entry that has only notes, and skips an empty one', async () => {
  const result = await importText(
    'managerD_xml',
    keePassXml(keePassEntry({ Title: 'N', Notes: 'text' }) + keePassEntry({ Title: '', Password: '' })),
  );
  expect(result.records[0]?.entry).toMatchObject({ type: 'secure_note', content: 'text' });
  expect(result.skipped).toEqual([{ row: 2, reason: 'It is empty.' }]);
});
