import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importFormats } from '../../../../../src/services/passvault/transfer/import/record.ts';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import type { Problem } from '../../../../../src/base/problem.ts';
import { entriesOf, expectProblem } from './expect-import.ts';
import type { SampleLogin } from './samples.ts';
import { utf8, writers } from './samples.ts';
import { runs } from '../../../../support/stage.ts';

const strange = [
  '   ',
  ' 007 ',
  '1e5',
  '&#233;',
  '&amp;',
  '=cmd|/c calc',
  '@x',
  '-1',
  '+1',
  '\uFEFFpassword',
  'a\r\nb',
  'a\r\r\nb',
  '\r\r\n',
  'a\nb',
  'a\rb',
  '"',
  '""',
  '"a"',
  'a"b',
  '",',
  ',"',
  ',',
  ';',
  '\\',
  'a\\"b',
  "'",
  '\t',
  'null',
  'true',
  '0123456789012345678901234567890',
  '🔑é日本',
  '{TITLE}',
  '%s',
  '</Value>',
  ']]>',
  '${x}',
];

function login(password: string, index = 0): SampleLogin {
  return { title: `T${index}`, username: `u${index}`, password, url: `https://a${index}.example/`, notes: 'n' };
}

// Text as people and their programs write it: XML has no control characters, and no format half characters.
const anyText = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  // oxlint-disable-next-line no-control-regex -- what XML can't hold
  .filter((text) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text));

describe.each(importFormats)('%s', (format) => {
  const write = writers[format]!;

  it('brings strange passwords as they are', async () => {
    const entries = await entriesOf(format, write(strange.map(login)));
    expect(entries.map(({ password }) => password)).toEqual(strange);
    expect(entries.map(({ username }) => username)).toEqual(strange.map((_, index) => `u${index}`));
    expect(entries.filter((entry) => entry.customFields ?? entry.urls ?? entry.passwordHistory)).toEqual([]);
  });

  it('brings any password, user name and note as it is', async () => {
    const texts = fc.array(fc.tuple(anyText, anyText, anyText), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (rows) => {
        const logins = rows.map(([username, password, notes], index) => ({
          ...login(password, index),
          username,
          notes,
        }));
        const entries = await entriesOf(format, write(logins));
        expect(entries.map((entry) => [entry.username ?? '', entry.password ?? ''])).toEqual(
          rows.map(([username, password]) => [username, password]),
        );
        if (format === 'browserB_csv') return; // it has no notes
        expect(entries.map((entry) => entry.notes ?? '')).toEqual(rows.map(([, , notes]) => notes));
      }),
      { numRuns: runs(60) },
    );
  });

  it('is told by auto', async () => {
    const result = await parseImport('auto', write([login('x')]));
    expect(result.format).toBe(format);
    expect(result.records).toHaveLength(1);
  });

  it('takes a byte order mark, and UTF-16 with one', async () => {
    const bytes = write([login('pä')]);
    if (bytes[0] === 0x50) return; // an archive has no encoding
    const text = new TextDecoder().decode(bytes);
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const file of [utf8(`\uFEFF${text}`), little, big]) {
      for (const key of [format, 'auto']) {
        const [entry] = await entriesOf(key, Uint8Array.from(file));
        expect(entry?.password).toBe('pä');
      }
    }
  });

  it('refuses what is of another format', async () => {
    for (const [other, writeOther] of Object.entries(writers)) {
      const file = writeOther([login('secret-in-it')]);
      // The tables of browsers have the columns that each other's importer asks for.
      if (other === format || (format.startsWith('browser') && other !== format && other.endsWith('csv'))) continue;
      if (format === 'managerA_csv' && other.endsWith('csv')) continue;
      const problem = await expectProblem(parseImport(format, file), 'IMPORT_UNREADABLE');
      expect(problem.message).not.toContain('secret-in-it');
    }
  });

  it('counts every record once and no secret stands in a reason, whatever is cut off', async () => {
    const logins = Array.from({ length: 5 }, (_, index) => login(`hunter${index}`, index));
    const file = write(logins);
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length), async (length) => {
        const result = await parseImport(format, file.subarray(0, length)).catch((error: unknown) => error as Error);
        if (result instanceof Error) {
          expect((result as { code?: string }).code).toBe('IMPORT_UNREADABLE');
          expect(result.message).not.toMatch(/hunter|u\d/);
          return;
        }
        const rows = [...result.records, ...result.skipped, ...result.errors].map(({ row }) => row);
        expect(rows.toSorted((one, other) => one - other)).toEqual(rows.map((_, index) => index + 1));
        for (const { entry } of result.records)
          expect(entry.password ?? '').toMatch(/^(?:h|hu|hun|hunt|hunte|hunter\d?|)$/);
        for (const { reason } of [...result.errors, ...result.skipped]) expect(reason).not.toMatch(/hunter|u\d/);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe.each(importFormats)('what is said of %s', (format) => {
  it('holds nothing of the file, however it is damaged', async () => {
    // Nothing that is kept in a file stands in what is said about it, be it secret or not.
    const word = (what: string, index: number) => `canary${what}${index}`;
    const file = writers[format]!(
      Array.from({ length: 4 }, (_, index) => ({
        title: word('title', index),
        username: word('user', index),
        password: word('password', index),
        url: `https://${word('url', index)}.example/`,
        notes: word('notes', index),
      })),
    );
    const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255), fc.constantFrom('set', 'cut', 'add', 'quote'));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        let bytes = [...file];
        for (const [at, byte, how] of changes) {
          if (how === 'set') bytes[at] = byte;
          else if (how === 'cut') bytes = [...bytes.slice(0, at), ...bytes.slice(at + (byte % 16))];
          else bytes.splice(at, 0, ...(how === 'quote' ? utf8('"') : [byte, byte]));
        }
        const damaged = Uint8Array.from(bytes, (byte) => byte ?? 0);
        for (const key of [format, 'auto']) {
          const said: string[] = [];
          try {
            const { errors, skipped, notices } = await parseImport(key, damaged, { password: 'p' });
            for (const { reason } of [...errors, ...skipped, ...notices]) said.push(reason);
          } catch (error) {
            // What caused it may be logged.
            const { message, cause, fields } = error as Problem;
            said.push(message, String(cause), JSON.stringify(fields));
          }
          expect(said.join('\n')).not.toMatch(/canary|title\d|user\d|password\d|url\d|notes\d/i);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

it('says which formats there are, and when it cannot tell', async () => {
  await expectProblem(parseImport('keepass', utf8('x')), 'UNSUPPORTED_FORMAT');
  for (const text of ['', 'hello', '{}', '[]', '<a/>', 'a,b\n1,2\n', '\0\0\0']) {
    await expectProblem(parseImport('auto', utf8(text)), 'UNSUPPORTED_FORMAT');
  }
});
