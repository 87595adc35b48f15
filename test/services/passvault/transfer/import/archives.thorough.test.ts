import { zipSync } from 'fflate';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { importText } from './expect-import.ts';
import { keePassEntry, keePassXml, onePux, onePuxOf, utf8 } from './samples.ts';
import { inStage } from '../../../../support/stage.ts';

const MEGABYTE = 1024 ** 2;
const large = new Uint8Array(25 * MEGABYTE + 1);
const allowed = new Uint8Array(inStage(MEGABYTE, MEGABYTE, 25 * MEGABYTE));

function bitwardenZip(files: Record<string, Uint8Array>): Uint8Array {
  const items = ['a', 'b'].map((id) => ({ id, type: 1, name: id, login: { username: 'u' } }));
  return zipSync({ 'data.json': utf8(JSON.stringify({ encrypted: false, items })), ...files }, { level: 1 });
}

function pux(id: string, name: string): object {
  return { overview: { title: name }, details: { documentAttributes: { documentId: id, fileName: name } } };
}

describe('what an archive holds beside records', () => {
  it('is named, of Bitwarden', async () => {
    const file = bitwardenZip({
      'attachments/a/x.txt': utf8('x'),
      'attachments/gone/y.txt': utf8('y'),
      'other.csv': utf8('z'),
    });
    const { records, notices } = await parseImport('auto', file);
    expect(records.map(({ attachments }) => attachments.map(({ filename }) => filename))).toEqual([['x.txt'], []]);
    expect(notices).toEqual([{ row: 0, reason: 'The archive holds files that were not imported: y.txt, other.csv.' }]);
  });

  it('is named, of 1Password, but for what describes the export', async () => {
    const file = onePux([pux('d', 'A')], {
      'files/d__A': utf8('x'),
      'files/e__left.txt': utf8('y'),
      'files/avatar.png': utf8('z'),
      'more.data': utf8('w'),
    });
    const { records, notices } = await parseImport('auto', file);
    expect(records).toHaveLength(1);
    expect(notices).toEqual([
      { row: 0, reason: 'The archive holds files that were not imported: e__left.txt, more.data.' },
    ]);
  });

  it('is named briefly where it is much, and never as a path', async () => {
    const names = Array.from({ length: 12 }, (_, at) => [`../../etc/${'n'.repeat(200)}${at}\n`, utf8('')] as const);
    const { notices } = await parseImport('auto', bitwardenZip(Object.fromEntries(names)));
    expect(notices[0]?.reason).toMatch(
      /^The archive holds files that were not imported: (?:n{80}, ){9}n{80} and 2 more\.$/,
    );
  });

  it('is found without regard to case', async () => {
    const data = utf8(JSON.stringify({ encrypted: false, items: [{ id: 'a', name: 'A' }] }));
    expect((await parseImport('auto', zipSync({ 'Data.JSON': data }))).records).toHaveLength(1);
    const export1 = utf8(JSON.stringify({ accounts: [{ vaults: [{ items: [pux('d', 'A')] }] }] }));
    const again = await parseImport('auto', zipSync({ 'EXPORT.DATA': export1, 'Files/d__A': utf8('x') }));
    expect(again.records[0]?.attachments).toHaveLength(1);
    expect(onePuxOf([])).toBeInstanceOf(Uint8Array);
  });
});

describe('an attachment above the limit', () => {
  const reason = 'Its attachment "big.bin" has 25.0 MiB; an attachment has at most 25 MiB.';

  it('is an error of its record that names it, of Bitwarden', { tags: 'thorough' }, async () => {
    const result = await parseImport(
      'auto',
      bitwardenZip({ 'attachments/a/big.bin': large, 'attachments/b/ok.bin': allowed }),
    );
    expect(result.errors).toEqual([{ row: 1, reason }]);
    expect(result.records.map(({ entry, attachments }) => [entry.title, attachments.length])).toEqual([['b', 1]]);
    expect(result.skipped).toEqual([]);
  });

  it('is one of 1Password', { tags: 'soak' }, async () => {
    const file = onePux([pux('d', 'big.bin'), pux('e', 'ok.bin')], {
      'files/d__big.bin': large,
      'files/e__ok.bin': allowed,
    });
    const result = await parseImport('auto', file);
    expect(result.errors).toEqual([{ row: 1, reason }]);
    expect(result.records.map(({ attachments }) => attachments.length)).toEqual([1]);
  });

  it('is one of KeePass, and of any that are too many together', { tags: 'soak' }, async () => {
    const binary = (ref: string) => `<Binary><Key>big.bin</Key><Value Ref="${ref}"/></Binary>`;
    const packed = (id: number, bytes: Uint8Array) =>
      `<Binary ID="${id}" Compressed="True">${gzipSync(bytes).toString('base64')}</Binary>`;
    const entries = ['0', '1', '1', '1', '1', '1'].map((ref, at) => keePassEntry({ Title: `T${at}` }, binary(ref)));
    const meta = `<Binaries>${packed(0, large)}${packed(1, allowed)}</Binaries>`;
    const result = await importText('managerD_xml', keePassXml(entries.join(''), meta));
    expect(result.errors).toEqual([
      { row: 1, reason },
      {
        row: 6,
        reason: 'Its attachment "big.bin" was left out: the attachments of a file have at most 100 MB together.',
      },
    ]);
    expect(result.records.map(({ row }) => row)).toEqual([2, 3, 4, 5]);
  });
});

it('takes no attachment of an archive whose entries share their bytes', async () => {
  const bytes = Buffer.from(bitwardenZip({ 'attachments/a/x': new Uint8Array(3 * MEGABYTE) }));
  // The directory says of each entry that it is as long as the archive.
  for (let at = bytes.indexOf('PK\u0001\u0002'); at >= 0; at = bytes.indexOf('PK\u0001\u0002', at + 4))
    if (bytes.toString('latin1', at + 46, at + 57) === 'attachments') bytes.writeUInt32LE(bytes.length, at + 20);
  await expect(parseImport('auto', bytes)).rejects.toMatchObject({
    code: 'IMPORT_UNREADABLE',
    message: expect.stringContaining('overlap'),
  });
});
