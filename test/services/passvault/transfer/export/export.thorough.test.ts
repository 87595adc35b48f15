import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../../src/crypto/bytes.ts';
import { exportCsv } from '../../../../../src/services/passvault/transfer/export/bitwarden-csv.ts';
import { exportBitwardenJson } from '../../../../../src/services/passvault/transfer/export/bitwarden-json.ts';
import type { ExportedEntry } from '../../../../../src/services/passvault/transfer/export/exported-entry.ts';
import { protectExport } from '../../../../../src/services/passvault/transfer/export/protect.ts';
import type { ImportResult } from '../../../../../src/services/passvault/transfer/import/import-run.ts';
import { urlMatches } from '../../../../../src/services/passvault/transfer/import/record.ts';
import { importText, expectProblem } from '../import/expect-import.ts';
import { inStage, runs } from '../../../../support/stage.ts';

const now = Date.UTC(2026, 0, 1);

const text = fc.string({ unit: 'binary', maxLength: 12 });
const word = fc.oneof(
  text,
  fc.constantFrom('', ' ', ' 007 ', '1e5', '=cmd', '&#233;', '\uFEFF', 'a\r\r\nb', 'JBSWY3DPEHPK3PXP'),
);
const time = fc
  .date({ min: new Date(1), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const entries: fc.Arbitrary<ExportedEntry> = fc
  .record({
    type: fc.constantFrom('login' as const, 'credit_card' as const, 'secure_note' as const),
    title: word.filter((title) => title.trim() !== ''),
    username: optional(word),
    password: optional(word),
    siteUrl: optional(fc.oneof(word, fc.webUrl())),
    totpSecret: optional(word),
    urls: optional(
      fc.array(fc.record({ uri: fc.oneof(word, fc.webUrl()), match: fc.constantFrom(...urlMatches) }), {
        maxLength: 3,
      }),
    ),
    cardholderName: optional(word),
    cardNumber: optional(word),
    expirationDate: optional(fc.constantFrom('01/2030', '12/1999', '06/', '/2020', '/')),
    cvv: optional(word),
    content: optional(word),
    notes: optional(word),
    customFields: optional(fc.array(fc.record({ name: word, value: word, hidden: fc.boolean() }), { maxLength: 3 })),
    passwordHistory: optional(fc.array(fc.record({ password: word, changedAt: fc.option(time) }), { maxLength: 3 })),
    tags: fc.array(word, { maxLength: 3 }),
    favorite: fc.boolean(),
    archived: fc.boolean(),
    createdAt: optional(time),
    updatedAt: optional(time),
    passwordChangedAt: optional(time),
    attachments: fc.array(
      fc.record({ filename: word, mimeType: fc.constant('text/x'), content: fc.uint8Array({ maxLength: 9 }) }),
      { maxLength: 2 },
    ),
  })
  .map(
    (entry) =>
      Object.fromEntries(
        Object.entries(entry).filter(
          ([name, value]) => value !== undefined && (name !== 'passwordChangedAt' || entry.type === 'login'),
        ),
      ) as unknown as ExportedEntry,
  );

/** As what was exported, in the order of the file. */
function asExported({ records }: ImportResult): unknown[] {
  return records.map(({ entry, attachments, createdAt, updatedAt, passwordChangedAt }) => ({
    ...entry,
    ...(passwordChangedAt && { passwordChangedAt }),
    ...(createdAt && { createdAt }),
    ...(updatedAt && { updatedAt }),
    attachments: attachments.map(({ filename, mimeType, bytes }) => ({ filename, mimeType, content: bytes })),
  }));
}

describe('JSON of Bitwarden', () => {
  it('brings back every entry as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entries, { maxLength: 5 }), async (exported) => {
        const result = await importText('managerC_json', await exportBitwardenJson(exported, { now }));
        expect([result.errors, result.skipped]).toEqual([[], []]);
        expect(asExported(result)).toEqual(exported);
      }),
      { numRuns: inStage(20, 20, runs(300)) },
    );
  });

  it('brings back an entry with more attachments than it may have fields', async () => {
    const attachments = Array.from({ length: 1_500 }, (_, at) => ({
      filename: `${at}.txt`,
      mimeType: 'text/plain',
      content: Uint8Array.from(Buffer.from(`content ${at}`)),
    }));
    const many: ExportedEntry = {
      type: 'secure_note',
      title: 'N',
      tags: [],
      favorite: false,
      archived: false,
      attachments,
    };
    expect(asExported(await importText('auto', await exportBitwardenJson([many], { now })))).toEqual([many]);
  });

  it('needs no extension for what Bitwarden has a place for', async () => {
    const login: ExportedEntry = {
      type: 'login',
      title: 'A',
      username: 'u',
      password: 'p',
      siteUrl: 'https://a.example',
      urls: [
        { uri: 'https://a.example', match: 'exact' },
        { uri: 'https://b.example', match: 'domain' },
      ],
      totpSecret: 'JBSWY3DPEHPK3PXP',
      notes: 'n',
      customFields: [{ name: 'pin', value: '007', hidden: true }],
      passwordHistory: [{ password: 'old', changedAt: '2020-01-01T00:00:00.000Z' }],
      tags: ['Work/Mail'],
      favorite: true,
      archived: true,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2021-01-01T00:00:00.000Z',
      attachments: [],
    };
    const card: ExportedEntry = {
      type: 'credit_card',
      title: 'C',
      cardholderName: 'A',
      cardNumber: '4111',
      expirationDate: '01/2030',
      cvv: '012',
      tags: [],
      favorite: false,
      archived: false,
    };
    const note: ExportedEntry = {
      type: 'secure_note',
      title: 'N',
      content: 'text',
      tags: ['Work/Mail'],
      favorite: false,
      archived: true,
    };
    const file = JSON.parse(await exportBitwardenJson([login, card, note], { now }));
    expect(file.folders).toEqual([{ id: '00000000-0000-4000-8000-000000000001', name: 'Work/Mail' }]);
    expect(file.items.map((item: object) => 'conclave' in item)).toEqual([false, false, false]);
    expect(file.items[0]).toMatchObject({
      type: 1,
      name: 'A',
      folderId: file.folders[0].id,
      login: {
        uris: [
          { match: 3, uri: 'https://a.example' },
          { match: null, uri: 'https://b.example' },
        ],
        username: 'u',
        password: 'p',
        totp: 'JBSWY3DPEHPK3PXP',
      },
      fields: [{ name: 'pin', value: '007', type: 1 }],
      passwordHistory: [{ lastUsedDate: '2020-01-01T00:00:00.000Z', password: 'old' }],
      archivedDate: '2021-01-01T00:00:00.000Z',
    });
    expect(file.items[1].card).toMatchObject({ expMonth: '1', expYear: '2030', number: '4111', code: '012' });
    expect(file.items[2]).toMatchObject({ type: 2, notes: 'text', archivedDate: '2026-01-01T00:00:00.000Z' });
  });

  it('has secrets of Steam in the form that Bitwarden reads, and brings back the one that was there', async () => {
    const entryWith = (totpSecret: string): ExportedEntry => ({
      type: 'login',
      title: 'Steam',
      totpSecret,
      tags: [],
      favorite: false,
      archived: false,
      attachments: [],
    });
    const secrets = [
      'steam://JBSWY3DPEHPK3PXP',
      'otpauth://totp/Steam:me?secret=jbswy3dpehpk3pxp&period=30&digits=5&issuer=Steam&encoder=steam',
      'otpauth://totp/Git:me?secret=JBSWY3DPEHPK3PXP&issuer=Git',
    ];
    const written = ['steam://JBSWY3DPEHPK3PXP', 'steam://JBSWY3DPEHPK3PXP', secrets[2]];
    const exported = secrets.map((secret) => entryWith(secret));
    const json = await exportBitwardenJson(exported, { now });
    expect(JSON.parse(json).items.map(({ login }: { login: { totp: string } }) => login.totp)).toEqual(written);
    expect(asExported(await importText('auto', json))).toEqual(exported);
    const { records } = await importText('auto', await exportCsv(exported));
    expect(records.map(({ entry }) => entry.totpSecret)).toEqual(written);
  });

  it('names attachments whose content was not given, and brings none of them back', async () => {
    const entry: ExportedEntry = {
      type: 'secure_note',
      title: 'N',
      tags: [],
      favorite: false,
      archived: false,
      attachments: [{ filename: 'a.txt', mimeType: 'text/plain', sizeBytes: 7 }],
    };
    const json = await exportBitwardenJson([entry], { now });
    expect(JSON.parse(json).items[0].conclave.attachments).toEqual([
      { filename: 'a.txt', mimeType: 'text/plain', sizeBytes: 7 },
    ]);
    expect((await importText('auto', json)).records[0]?.attachments).toEqual([]);
  });

  it('is what an import of its own protected form brings', async () => {
    const exported: ExportedEntry[] = [
      {
        type: 'login',
        title: 'A',
        password: ' p ',
        tags: ['x', 'y'],
        favorite: false,
        archived: false,
        attachments: [],
      },
    ];
    const parameters = { memoryMiB: 8, passes: 1, lanes: 1 };
    const file = await protectExport(await exportBitwardenJson(exported, { now }), 'pässword', {
      random: systemRandom,
      parameters,
    });
    expect(file).not.toContain(' p ');
    expect(asExported(await importText('auto', file, { password: 'pässword' }))).toEqual(exported);
    await expectProblem(importText('auto', file, { password: 'password' }), 'IMPORT_PASSWORD_WRONG');
    expect(JSON.parse(file)).toMatchObject({ kdfType: 1, kdfMemory: 8, kdfIterations: 1, kdfParallelism: 1 });
  });

  it('says for what cost it is protected unless it is told', async () => {
    const file = JSON.parse(await protectExport('{}', 'p', { random: systemRandom }));
    expect(file).toMatchObject({
      encrypted: true,
      passwordProtected: true,
      kdfType: 1,
      kdfMemory: 64,
      kdfIterations: 3,
      kdfParallelism: 4,
    });
  });
});

describe('CSV', () => {
  it('brings back user names, passwords, notes and the first folder', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entries, { maxLength: 5 }), async (exported) => {
        const csv = await exportCsv(exported);
        const rows = parse(csv, { record_delimiter: '\r\n' });
        expect(rows.map(([, , , title]) => title)).toEqual(['name', ...exported.map(({ title }) => title)]);
        const result = await importText('managerC_csv', csv);
        expect([result.errors, result.skipped]).toEqual([[], []]);
        expect(
          result.records.map(({ entry }) => [
            entry.title,
            entry.username ?? '',
            entry.password ?? '',
            entry.favorite,
            entry.archived,
          ]),
        ).toEqual(
          exported.map(({ type, title, username = '', password = '', favorite, archived }) =>
            type === 'login' ? [title, username, password, favorite, archived] : [title, '', '', favorite, archived],
          ),
        );
      }),
      { numRuns: inStage(10, 10, runs(100)) },
    );
  });

  it('writes cards as notes with fields, and several addresses', async () => {
    const card: ExportedEntry = {
      type: 'credit_card',
      title: 'C',
      cardNumber: '4111',
      expirationDate: '01/2030',
      tags: ['F'],
      favorite: false,
      archived: false,
    };
    const login: ExportedEntry = {
      type: 'login',
      title: 'A',
      siteUrl: 'https://a.example/?a,b',
      urls: [{ uri: 'https://b.example', match: 'exact' }],
      password: '=cmd',
      tags: [],
      favorite: false,
      archived: false,
    };
    const { records } = await importText('auto', await exportCsv([card, login]));
    expect(records[0]?.entry).toMatchObject({
      type: 'secure_note',
      title: 'C',
      tags: ['F'],
      customFields: [
        { name: 'number', value: '4111' },
        { name: 'expirationDate', value: '01/2030' },
      ],
    });
    expect(records[1]?.entry).toMatchObject({
      siteUrl: 'https://a.example/?a,b',
      urls: [{ uri: 'https://b.example' }],
      password: '=cmd',
    });
  });
});

it('stops when it is told to', async () => {
  const many = Array.from({ length: 1_000 }, (): ExportedEntry => ({
    type: 'login',
    title: 'A',
    tags: [],
    favorite: false,
    archived: false,
  }));
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(exportBitwardenJson(many, { now, signal })).rejects.toThrow('enough');
  await expect(exportCsv(many, { signal })).rejects.toThrow('enough');
});
