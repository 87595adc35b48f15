import { execa } from 'execa';
import { zipSync } from 'fflate';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFormats } from '../../../../../src/services/passvault/transfer/import/record.ts';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { Problem } from '../../../../../src/base/problem.ts';
import { bundle } from '../../../../support/bundle.ts';
import { expectProblem } from './expect-import.ts';
import { csvOf, keePassXml, onePux, utf8 } from './samples.ts';

const MEGABYTE = 1024 ** 2;
/** What took hours has not ended by then, on any machine. */
const HUNG_MS = 100_000;

/**
 * Files of which a small part makes for much work: what is compared with everything, looked at with every record, or inflated. Never
 * so much that somebody would take it for hung; before there were bounds, these took up to hours.
 */
async function expectCheap(format: string, bytes: Uint8Array) {
  // Stops what would go on for hours, between two of its turns.
  const signal = AbortSignal.timeout(HUNG_MS);
  const result = await parseImport(format, bytes, { signal }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(Problem);
    return error as Problem;
  });
  expect(signal.aborted, 'the import hangs').toBe(false);
  return result;
}

const distinct = (separator: string) => Array.from({ length: 100_000 }, (_, at) => `t${at}`).join(separator);
const onePassword = ['title', 'url', 'username', 'password', 'otpauth', 'tags', 'urls'];
const entry = (strings: string, id = 1) =>
  `<Entry><UUID>${Buffer.alloc(16, id).toString('base64')}</UUID>${strings}</Entry>`;
const reference = `{REF:N@I:${Buffer.alloc(16, 1).toString('hex')}}`;

const files: Record<string, () => [format: string, bytes: Uint8Array]> = {
  'many tags': () => ['managerA_csv', utf8(csvOf([onePassword, ['a', '', 'u', 'p', '', distinct(';')]]))],
  'many addresses': () => ['managerA_csv', utf8(csvOf([onePassword, ['a', '', 'u', 'p', '', '', distinct('\n')]]))],
  'many collections': () => [
    'managerC_csv',
    utf8(
      csvOf([
        ['collections', 'name', 'login_uri', 'login_password'],
        [distinct(','), 'a', '', 'p'],
      ]),
    ),
  ],
  'many tags of KeePass': () => ['managerD_xml', utf8(keePassXml(`<Entry><Tags>${distinct(';')}</Tags></Entry>`))],
  'many addresses of an item': () => [
    'managerA_1pux',
    onePux([{ overview: { title: 'a', urls: Array.from({ length: 30_000 }, (_, at) => ({ url: `t${at}` })) } }]),
  ],
  'a long name of a column': () => [
    'managerA_csv',
    utf8(`title,username,password,url,scope,"${' 1'.repeat(120_000)}"\n${'a,b,c,d,e,f\n'.repeat(20_000)}`),
  ],
  'a group of much else': () => [
    'managerD_xml',
    utf8(keePassXml(`<Group>${'<a/>'.repeat(60_000)}${'<Entry/>'.repeat(30_000)}</Group>`)),
  ],
  'references to an entry of many strings': () => [
    'managerD_xml',
    utf8(
      keePassXml(
        entry('<String/>'.repeat(25_000)) +
          entry(`<String><Key>Notes</Key><Value>${reference.repeat(6_000)}</Value></String>`, 2),
      ),
    ),
  ],
  'one attachment that is a bomb, again and again': () => {
    const packed = gzipSync(Buffer.alloc(101 * MEGABYTE));
    const twice = [packed, lyingGzip(packed)].map(
      (bytes, at) => `<Binary ID="${at}" Compressed="True">${bytes.toString('base64')}</Binary>`,
    );
    const users = ['0', '1'].map((id) => `<Entry><Binary><Key>k</Key><Value Ref="${id}"/></Binary></Entry>`);
    return ['managerD_xml', utf8(keePassXml(users.join('').repeat(2_000), `<Binaries>${twice.join('')}</Binaries>`))];
  },
  'one large attachment, again and again': () => {
    const user = '<Entry><Binary><Key>k</Key><Value Ref="0"/></Binary></Entry>';
    const meta = `<Binaries><Binary ID="0">${'A'.repeat(2 * MEGABYTE)}</Binary></Binaries>`;
    return ['managerD_xml', utf8(keePassXml(user.repeat(8_000), meta))];
  },
  'a damaged document, again and again': () => {
    const item = { details: { documentAttributes: { documentId: 'd', fileName: 'f' } }, overview: { title: 'x' } };
    const items = Array.from({ length: 3_000 }, () => item);
    return [
      'managerA_1pux',
      withWrongSum(onePux(items, { 'files/d__f': new Uint8Array(20 * MEGABYTE) }), 'files/d__f'),
    ];
  },
};

describe.each(Object.keys(files))('a file with %s', (name) => {
  it('costs no more than others', async () => {
    const [format, bytes] = files[name]!();
    await expectCheap(format, bytes);
  });
});

describe('archives', () => {
  it.each([
    ['managerA_1pux', 'export.data', (text: string) => `{"accounts":[{"vaults":[{"items":[${text}]}]}]}`, ' ', '{}'],
    ['managerA_1pux', 'export.data', (text: string) => `{"accounts":[{"vaults":[{"items":[[${text}]]}]}]}`, '1,', '1'],
    ['managerC_json', 'data.json', (text: string) => `{"items":[${text}]}`, '{"name":"a"} ', ''],
    ['managerE_json', 'credentials.csv', (text: string) => `username,username2,title,password\n${text}`, ',', '\n'],
    ['managerE_json', 'credentials.csv', (text: string) => `username,username2,title,password\n"${text}`, '"', ''],
  ])('of %s that are read cost no more, however much they shrank: %s', async (format, path, around, fill, end) => {
    const text = utf8(around(fill.repeat((39 * MEGABYTE) / fill.length) + end));
    const bytes = zipSync({ [path]: text }, { level: 1 });
    await expectCheap(format, bytes);
  });

  it('that inflate to much more than they are, and than exports of people, are refused', async () => {
    const none = new Uint8Array();
    const names = { 'export.data': none, 'data.json': none, 'credentials.csv': none };
    const bytes = overlapping(zipSync({ one: new Uint8Array(70 * MEGABYTE), ...names }, { level: 1 }), 'one', '');
    for (const format of ['managerA_1pux', 'managerC_json', 'managerE_json', 'auto']) {
      const problem = await expectCheap(format, bytes);
      expect(problem).toMatchObject({
        code: 'IMPORT_UNREADABLE',
        message: expect.stringContaining('too large when unpacked'),
      });
    }
  });

  it('in archives are no exports, and cost nothing', async () => {
    let bytes = zipSync({ 'export.data': utf8('{}') });
    for (let depth = 0; depth < 8; depth += 1) {
      bytes = zipSync({ 'export.data': bytes, 'data.json': bytes, 'credentials.csv': bytes, 'files/a__b.zip': bytes });
    }
    for (const format of [...importFormats, 'auto']) {
      const result = await expectCheap(format, bytes);
      expect(result).toBeInstanceOf(Problem);
    }
  });

  it('that stand where a table should are none, even where bytes of theirs are a line end', async () => {
    const inner = Buffer.from('PK\x03\x04\x14\0,title,password\nPK,a,b\n');
    const problem = await expectCheap('managerE_json', zipSync({ 'credentials.csv': inner }));
    expect(problem).toMatchObject({ message: 'The zip archive is not an export of Dashlane.' });
  });

  it('whose entries all are the same bytes cost no more than what is read of them', async () => {
    // As the bombs of D. Fifield: thousands of names for one stream of 1 MB.
    const attachments = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`attachments/i/${at}`, new Uint8Array()]),
    );
    const bytes = overlapping(
      zipSync({
        'data.json': utf8('{"items":[{"id":"i","name":"a"}]}'),
        one: new Uint8Array(MEGABYTE),
        ...attachments,
      }),
      'one',
      'attachments/',
    );
    await expectProblem(parseImport('managerC_json', bytes), 'IMPORT_UNREADABLE');
    await expectCheap('auto', bytes);
  });
});

describe('JSON', () => {
  it('of large values says the same of each, whatever was read around it', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"${'x'.repeat(5_000)}"${']'.repeat(depth)}`;
    const item = (title: string, more: string) =>
      `{"overview":{"title":"${title}"},"details":{"notesPlain":"${'n'.repeat(5_000)}"${more}}}`;
    const items = [
      item('plain', ''),
      item('deep', `,"x":${nested(61)}`),
      item('too deep', `,"x":${nested(63)}`),
      item('many', `,"x":[${'1,'.repeat(900)}1]`),
      item('too many', `,"x":[${'1,'.repeat(100_000)}1]`),
      item('quotes', String.raw`,"x":"\\\"]}"`),
      '"no item"',
    ];
    const data = `{"accounts":[{"vaults":[{"items":[${items.join(' , ')}]},{"items":[${items[0]}]}]},{"vaults":[{"items":[${items[0]}]}]}]}`;
    const whole = await parseImport('managerA_1pux', zipSync({ 'export.data': utf8(data) }));
    expect(whole.records.map(({ row, entry: { title } }) => `${row} ${title}`)).toEqual([
      '1 plain',
      '2 deep',
      '4 many',
      '6 quotes',
      '8 plain',
      '9 plain',
    ]);
    expect(whole.errors.map(({ row }) => row)).toEqual([3, 5, 7]);
    expect(whole.records[3]?.entry.customFields).toEqual([{ name: 'x', value: '\\"]}', hidden: false }]);
    // The same, broken off in its sixth item.
    const cut = await parseImport(
      'managerA_1pux',
      zipSync({ 'export.data': utf8(data.slice(0, data.indexOf('quotes'))) }),
    );
    expect(cut.records.map(({ row }) => row)).toEqual([1, 2, 4]);
    expect(cut.errors.map(({ row, reason }) => `${row} ${reason.includes('ends too early')}`)).toEqual([
      '3 false',
      '5 false',
      '6 true',
    ]);
  });
});

describe('XML', () => {
  it('of millions of elements is refused before it takes all memory', async () => {
    await using program = await bundle('test/support/xml-import-process.ts');
    // All elements would need more than twice that heap, and V8 would end the process.
    const words = ['--max-old-space-size=450', program.path, '6000000'];
    const said = await execa(process.execPath, words, { env: { NODE_OPTIONS: '' }, reject: false });
    expect(said).toMatchObject({ exitCode: 0, stdout: 'IMPORT_UNREADABLE' });
  });

  it('is not kept where it is neither of an entry nor about the file', async () => {
    const junk = '<a/>'.repeat(300_000);
    const text = keePassXml(`${junk}<Entry><String><Key>Title</Key><Value>A</Value></String></Entry>${junk}`.repeat(4));
    const result = await parseImport('managerD_xml', utf8(text));
    expect(result.records.map(({ entry: { title } }) => title)).toEqual(['A', 'A', 'A', 'A']);
  });
});

/** Says that it holds 90 MB, and holds more. */
function lyingGzip(packed: Buffer): Buffer {
  const bytes = Buffer.from(packed);
  bytes.writeUInt32LE(90 * MEGABYTE, bytes.length - 4);
  return bytes;
}

/** Where each entry of a zip is described in its directory, by its name. */
function directoryOf(bytes: Buffer): Map<string, number> {
  const found = new Map<string, number>();
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    found.set(bytes.toString('utf8', at + 46, nameEnd), at);
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return found;
}

function withWrongSum(zip: Uint8Array, name: string): Uint8Array {
  const bytes = Buffer.from(zip);
  const at = directoryOf(bytes).get(name)!;
  bytes.writeUInt8(bytes.readUInt8(at + 16) ^ 1, at + 16);
  return bytes;
}

/** All entries whose names begin so get the content of one. */
function overlapping(zip: Uint8Array, one: string, prefix: string): Uint8Array {
  const bytes = Buffer.from(zip);
  const directory = directoryOf(bytes);
  const source = directory.get(one)!;
  for (const [name, at] of directory) {
    if (!name.startsWith(prefix)) continue;
    // Method, sum and sizes, and where the content begins.
    bytes.copy(bytes, at + 10, source + 10, source + 12);
    bytes.copy(bytes, at + 16, source + 16, source + 28);
    bytes.copy(bytes, at + 42, source + 42, source + 46);
  }
  return bytes;
}
