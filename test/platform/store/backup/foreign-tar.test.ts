import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extract, pack, type Header } from 'tar-stream';
import type { Problem } from '../../../../src/base/problem.ts';
import { tarEnd, tarEntries, tarHeader, tarPadding } from '../../../../src/platform/store/backup/tar.ts';
import { runs } from '../../../support/stage.ts';
import { temporaryFolder } from '../../../support/stores.ts';

const seconds = 1_700_000_000;

interface Written {
  readonly name: string;
  readonly content: Buffer;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => await folder[Symbol.asyncDispose]());

function written(entries: readonly Written[]): Buffer {
  const parts = entries.flatMap(({ name, content }) => [
    tarHeader(name, content.length, seconds),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...parts, tarEnd]);
}

/** What tar-stream makes of an archive. */
async function readByOthers(archive: Buffer): Promise<(Written & { readonly header: Header })[]> {
  const found: (Written & { readonly header: Header })[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader)
    found.push({ name: entry.header.name, header: entry.header, content: await buffer(entry) });
  return found;
}

/** The names that are read before the first fault, and the fault. */
async function readHere(archive: Buffer): Promise<{ names: string[]; fault?: string }> {
  const file = join(folder.path, 'read.tar');
  await writeFile(file, archive);
  await using handle = await open(file, 'r');
  const names: string[] = [];
  try {
    for await (const { name } of tarEntries(handle, archive.length)) names.push(name);
  } catch (error) {
    return { names, fault: (error as Problem).code };
  }
  return { names };
}

describe('an archive that is written here', () => {
  it('is read by others as it was meant, with names of all lengths', async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'B', '0', '.', '-', '_', '/', '='),
      minLength: 1,
      maxLength: 240,
    });
    const names = fc.uniqueArray(
      // A name that ends in a slash is that of a folder.
      name.map((text) => `n${text}n`),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(names, fc.array(fc.nat(1_500), { minLength: 4, maxLength: 4 }), async (some, sizes) => {
        const entries = some.map((one, at) => ({ name: one, content: Buffer.alloc(sizes[at] ?? 0, one) }));
        const archive = written(entries);
        const found = await readByOthers(archive);
        expect(found.map(({ name: one, content }) => ({ name: one, content }))).toEqual(entries);
        for (const { header } of found)
          expect(header).toMatchObject({ type: 'file', mode: 0o600, mtime: new Date(seconds * 1_000), linkname: null });
        expect(await readHere(archive)).toEqual({ names: some });
      }),
      { numRuns: runs(100) },
    );
  });
});

/** An archive that tar-stream writes, with a sound file in front. */
async function foreign(...headers: (Partial<Header> & { name: string })[]): Promise<Buffer> {
  const packer = pack();
  for (const header of headers) packer.entry({ mtime: new Date(seconds * 1_000), mode: 0o600, ...header }, '');
  packer.finalize();
  const bytes = await buffer(packer);
  return Buffer.concat([written([{ name: 'sound', content: Buffer.from('x') }]).subarray(0, -tarEnd.length), bytes]);
}

describe('an archive of a stranger', () => {
  it.each<[string, Partial<Header> & { name: string }]>([
    ['a file like ours', { name: 'file' }],
    ['an absolute path', { name: '/etc/passwd' }],
    ['a path that leads out', { name: '../../etc/passwd' }],
    ['a symbolic link', { name: 'link', type: 'symlink', linkname: '/etc' }],
    ['a hard link', { name: 'link', type: 'link', linkname: 'sound' }],
    ['a device', { name: 'device', type: 'block-device', devmajor: 8, devminor: 0 }],
    ['a pipe', { name: 'pipe', type: 'fifo' }],
    ['a folder', { name: 'folder/', type: 'directory' }],
    ['a long name', { name: `${'long/'.repeat(60)}name` }],
    ['a name of other letters', { name: 'na\u00efve' }],
    ['pax records of its own', { name: 'file', pax: { path: '../out', size: '9' } }],
  ])('is refused at the header of %s', async (_, header) => {
    expect(await readHere(await foreign(header))).toEqual({ names: ['sound'], fault: 'BACKUP_DAMAGED' });
  });

  it.each<[string, (header: Buffer) => void]>([
    ['a long name of GNU', (header) => header.write('L', 156)],
    ['a sparse file of GNU', (header) => header.write('S', 156)],
    ['a size in base 256', (header) => header.set([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], 124)],
    ['a size below zero', (header) => header.write('-0000000001', 124)],
    ['a prefix', (header) => header.write('..', 345)],
    ['the name of an owner', (header) => header.write('root', 265)],
  ])('is refused for %s, with a sum that is right', async (_, change) => {
    const header = Buffer.from(tarHeader('file', 0, seconds));
    change(header);
    header.fill(' ', 148, 156);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const archive = Buffer.concat([header, tarEnd]);
    expect(await readHere(archive)).toEqual({ names: [], fault: 'BACKUP_DAMAGED' });
  });

  it.each(['/etc/passwd', '../../etc/passwd', 'a\\..\\b'])(
    'may name %s, and that is a name and no path',
    async (name) => {
      expect(await readHere(written([{ name, content: Buffer.from('x') }]))).toEqual({ names: [name] });
    },
  );
});
