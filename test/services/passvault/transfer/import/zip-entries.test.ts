import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openZip } from '../../../../../src/services/passvault/transfer/import/zip-entries.ts';
import { utf8 } from './samples.ts';

const damaged = { code: 'IMPORT_UNREADABLE', message: 'The zip archive is damaged.' };

/** The only entry of an archive, with a number of its directory changed. */
function withField(zip: Uint8Array, at: number, change: (value: number) => number): Uint8Array {
  const bytes = Buffer.from(zip);
  const entry = bytes.indexOf('PK\u0001\u0002');
  bytes.writeUInt32LE(change(bytes.readUInt32LE(entry + at)) >>> 0, entry + at);
  return bytes;
}

describe.each([
  ['stored', 0],
  ['deflated', 6],
] as const)('an entry of a zip that is %s', (_, level) => {
  const zip = zipSync({ 'a.txt': utf8('what was written, and again what was written') }, { level });

  it('is read as it was written', async () => {
    expect(Buffer.from((await openZip(zip).read('a.txt'))!).toString()).toMatch(/^what was written, and again/);
    expect(await openZip(zip).read('b.txt')).toBeUndefined();
  });

  it('with another check sum than its content has is refused', async () => {
    const wrong = withField(zip, 16, (crc) => crc ^ 1);
    await expect(openZip(wrong).read('a.txt')).rejects.toMatchObject(damaged);
    await expect(openZip(wrong).readRecords('a.txt')).rejects.toMatchObject(damaged);
  });

  it('with another size than it says is refused', async () => {
    for (const change of [-1, 1])
      await expect(openZip(withField(zip, 24, (size) => size + change)).read('a.txt')).rejects.toMatchObject(damaged);
  });
});

it('refuses content of which a bit was changed on its way', async () => {
  const zip = Buffer.from(zipSync({ 'a.txt': utf8('a secret') }, { level: 0 }));
  const at = zip.indexOf('a secret');
  zip[at] = zip[at]! ^ 1;
  await expect(openZip(zip).read('a.txt')).rejects.toMatchObject(damaged);
});
