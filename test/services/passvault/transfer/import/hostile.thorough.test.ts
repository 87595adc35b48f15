import { zipSync } from 'fflate';
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFormats } from '../../../../../src/services/passvault/transfer/import/record.ts';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { Problem } from '../../../../../src/base/problem.ts';
import { expectProblem } from './expect-import.ts';
import { keePassXml, utf8, writers } from './samples.ts';
import { inStage, runs } from '../../../../support/stage.ts';

const keys = [...importFormats, 'auto'];
const MEGABYTE = 1024 ** 2;

/** Whatever the bytes are: a result that counts every record once, or a Problem. */
async function expectSurvives(format: string, bytes: Uint8Array): Promise<void> {
  try {
    const { records, skipped, errors } = await parseImport(format, bytes, { password: 'p' });
    const rows = [...records, ...skipped, ...errors].map(({ row }) => row).toSorted((one, other) => one - other);
    expect(rows.every((row, index) => row === index + 1)).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).code).toMatch(/^(?:UNSUPPORTED_FORMAT|IMPORT_PASSWORD_WRONG|IMPORT_UNREADABLE)$/);
  }
}

describe.each(keys)('%s survives', (format) => {
  it('any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => await expectSurvives(format, bytes)),
      { numRuns: runs(50) },
    );
  });

  it('its own files with bytes changed', async () => {
    const own = writers[format] ?? writers.managerC_json!;
    const file = own(
      [1, 2, 3].map((n) => ({
        title: `T${n}`,
        username: 'u',
        password: `p"${n}`,
        url: 'https://a.example',
        notes: 'n\nm',
      })),
    );
    const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255), fc.constantFrom('set', 'cut', 'add'));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        let bytes = [...file];
        for (const [at, byte, how] of changes) {
          if (how === 'set') bytes[at] = byte;
          else if (how === 'cut') bytes = [...bytes.slice(0, at), ...bytes.slice(at + (byte % 16))];
          else bytes.splice(at, 0, byte, byte);
        }
        await expectSurvives(
          format,
          Uint8Array.from(bytes, (byte) => byte ?? 0),
        );
      }),
      { numRuns: runs(30) },
    );
  });

  it('text that looks like what is read', async () => {
    const piece = fc.constantFrom(
      '"',
      '""',
      ',',
      '\n',
      '\r',
      '\t',
      '{',
      '}',
      '[',
      ']',
      ':',
      '\\',
      '<',
      '>',
      '</',
      '&',
      '|',
      '2.',
      ' ',
      'name',
      'url',
      'username,password',
      '"items":[',
      '"data":"',
      '"encrypted":true',
      '<KeePassFile>',
      '<Root>',
      '<Group>',
      '<Entry>',
      '</Entry>',
      '1e5',
      'null',
      'é',
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        await expectSurvives(format, utf8(pieces.join('')));
        await expectSurvives(format, utf8(`name,url,username,password,note\n${pieces.join('')}`));
        await expectSurvives(format, utf8(`{"encrypted":false,"folders":[],"items":[${pieces.join('')}`));
      }),
      { numRuns: runs(30) },
    );
  });
});

const SIZE = MEGABYTE / 2;
const table = 'name,url,username,password,note\n';

/** Half a megabyte each, of what makes careless readers slow. */
const heavy: Record<string, () => string> = {
  'quotes alone': () => '"'.repeat(SIZE),
  'quotes inside of cells': () => table + 'a"'.repeat(SIZE / 2),
  'quotes that close badly': () => `${table}"${'a"b'.repeat(SIZE / 3)}`,
  'rows of broken quotes': () => table + `"a"b,"c"d,,,\n`.repeat(24_500),
  'rows of three quotes': () => table + `"""a",,,,\n`.repeat(24_500),
  'a row of three quotes': () => `${table}${'"""a",'.repeat(SIZE / 6)}`,
  'a million columns': () => ','.repeat(SIZE),
  'a million named columns': () => Array.from({ length: 150_000 }, (_, index) => `c${index}`).join(','),
  'a million columns in a row': () => `${table}${','.repeat(SIZE)}`,
  'rows of different lengths': () => table + 'a,b,c\na,b,c,d,e,f\n'.repeat(12_000),
  'line ends alone': () => table + '\r\r\n\n\r'.repeat(SIZE / 5),
  'one long cell': () => `${table}${'x'.repeat(SIZE)}`,
  'lists of addresses': () =>
    `folder,type,name,login_uri,login_password,login_totp\n,login,a,"${',""'.repeat(SIZE / 3)}",p,\n`,
  'lines of fields': () =>
    `folder,type,name,fields,login_uri,login_password,login_totp\n,login,a,"${'x\n'.repeat(SIZE / 2)}",,p,\n`,
  'lines of a note': () =>
    `url,username,password,extra,name,grouping,fav\nhttp://sn,,,"NoteType:X\n${':\n'.repeat(SIZE / 2)}",n,,0\n`,
  'backslashes of the Mac': () => `title,type,number(ccnum),password\n"${String.raw`\"\\`.repeat(SIZE / 4)}",,,\n`,
  'open lists': () => '['.repeat(SIZE),
  'open objects': () => '{"a":'.repeat(SIZE / 5),
  'items too deep': () => `{"items":[${'['.repeat(SIZE / 2)}${']'.repeat(SIZE / 2)}],"folders":[]}`,
  'empty items': () => `{"items":[${'{},'.repeat(22_500)}{}],"folders":[]}`,
  'too many items': () => `{"items":[${'1,'.repeat(SIZE / 2)}1],"folders":[]}`,
  'an item of many members': () => `{"items":[{${'"a":1,'.repeat(SIZE / 6)}"b":1}],"folders":[]}`,
  'a name that is repeated': () =>
    `{"items":[{"${'n'.repeat(9_000)}":{${Array.from({ length: 900 }, (_, index) => `"${index}":1`).join(',')}}}],"folders":[]}`,
  escapes: () => `{"items":[{"name":"${String.raw`\"`.repeat(SIZE / 2)}"}],"folders":[]}`,
  backslashes: () => `{"items":[{"name":"${'\\'.repeat(SIZE)}"}],"folders":[]}`,
  digits: () => `{"items":[{"name":${'1'.repeat(SIZE)}}],"folders":[]}`,
  'many names': () => `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'a protected file of bars': () =>
    `{"encrypted":true,"passwordProtected":true,"salt":"s","kdfType":0,"kdfIterations":1,"encKeyValidation_DO_NOT_EDIT":"${'|'.repeat(SIZE)}","data":""}`,
  'open groups': () => `<KeePassFile><Root>${'<Group>'.repeat(SIZE / 7)}`,
  'groups side by side': () => keePassXml('<Group/>'.repeat(SIZE / 8)),
  'empty entries': () => keePassXml('<Entry/>'.repeat(24_500)),
  attributes: () => `<KeePassFile ${Array.from({ length: 80_000 }, (_, index) => `a${index}="1"`).join(' ')}>`,
  'one attribute': () => `<KeePassFile a="${'x'.repeat(SIZE)}">`,
  ampersands: () => keePassXml('&amp;'.repeat(SIZE / 5)),
  comments: () => keePassXml('<!---->'.repeat(SIZE / 7)),
  'a document type': () => `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(SIZE / 15)}]><KeePassFile/>`,
  'references to references': () => {
    const uuid = Buffer.alloc(16, 1);
    const reference = `{REF:N@I:${uuid.toString('hex')}}`;
    const value = `<String><Key>Notes</Key><Value>${reference.repeat(20_000)}</Value></String>`;
    return keePassXml(`<Entry><UUID>${uuid.toString('base64')}</UUID>${value}</Entry>`);
  },
  'references to a long text': () => {
    const uuid = Buffer.alloc(16, 1);
    const string = (text: string) => `<String><Key>Notes</Key><Value>${text}</Value></String>`;
    const long = `<Entry><UUID>${uuid.toString('base64')}</UUID>${string('x'.repeat(SIZE / 2))}</Entry>`;
    return keePassXml(long + `<Entry>${string(`{REF:N@I:${uuid.toString('hex')}}`)}</Entry>`.repeat(4_000));
  },
  sections: () => `{"AUTHENTIFIANT":[],${Array.from({ length: 50_000 }, (_, index) => `"S${index}":[{}]`).join(',')}}`,
};

describe.each(Object.keys(heavy))('a file of %s', (name) => {
  it('costs no more than others', { tags: 'soak' }, async () => {
    const bytes = utf8(heavy[name]!());
    const start = new TextDecoder().decode(bytes.subarray(0, 1));
    const ending = { '{': '_json', '[': '_json', '<': '_xml' }[start] ?? '_csv';
    for (const format of keys.filter((key) => key === 'auto' || key.endsWith(ending)))
      await expectSurvives(format, bytes);
  });
});

describe('archives', () => {
  const packed = deflateRawSync(Buffer.alloc(101 * MEGABYTE), { level: 9 });
  it.each([
    ['say how much', 101 * MEGABYTE],
    ['say less than they hold', 1_000],
  ])('that inflate to more than is read, and %s, are refused before they do', async (_, size) => {
    for (const name of inStage(['export.data'], ['export.data'], ['export.data', 'data.json'])) {
      const file = bomb(packed, name, size);
      expect(file.length).toBeLessThan(MEGABYTE / 4);
      const before = process.memoryUsage().arrayBuffers;
      await expectProblem(parseImport('auto', file), 'IMPORT_UNREADABLE');
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MEGABYTE);
    }
  });

  it('whose numbers lead outside are refused', async () => {
    const file = zipSync({ 'export.data': utf8('{}') });
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 4), fc.constantFrom(0xffffffff, 0x7fffffff, 0, 1), async (at, value) => {
        const changed = Uint8Array.from(file);
        new DataView(changed.buffer).setUint32(at, value, true);
        await expectSurvives('managerA_1pux', changed);
      }),
      { numRuns: runs(150) },
    );
  });
});

/** An archive of one entry of 101 MB, `packed`, of which its headers say `size`. */
function bomb(packed: Buffer, name: string, size: number): Uint8Array {
  const entry = Buffer.alloc(26);
  entry.writeUInt16LE(20, 0);
  entry.writeUInt16LE(8, 4);
  entry.writeUInt32LE(packed.length, 14);
  entry.writeUInt32LE(size, 18);
  entry.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), entry, Buffer.from(name), packed]);
  const directory = Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), entry, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}
