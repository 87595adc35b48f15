import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../../src/base/problem.ts';
import { createArchive } from '../../../../src/platform/store/backup/archive-writer.ts';
import { manifestHashLine } from '../../../../src/platform/store/backup/manifest.ts';
import { openBackup } from '../../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../../src/platform/store/backup/restore-backup.ts';
import { signManifest } from '../../../../src/platform/store/backup/signature.ts';
import { tarEntries } from '../../../../src/platform/store/backup/tar.ts';
import { writeBackup } from '../../../../src/platform/store/backup/write-backup.ts';
import { lentBlocks } from '../../../support/lent-blocks.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { fillBlocks, fillStore } from '../../../support/sample-store.ts';
import { inStage, runs } from '../../../support/stage.ts';
import { putMigratedStore, temporaryFolder } from '../../../support/stores.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';

const { identity } = deriveNodeKeys(new Uint8Array(32).fill(7));

interface Entry {
  name: string;
  content: Buffer;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let whole: Buffer;
let entries: Entry[];
let ids: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  const dataDir = join(folder.path, 'source');
  await putMigratedStore(dataDir);
  await using database = await openDatabase({ dataDir, command: 'a test' });
  await fillStore(database, 3);
  ids = await fillBlocks(lentBlocks(dataDir), 4);
  const file = join(folder.path, 'sound.tar');
  const options = { file, identity, version: '1.0.0', now: 1_700_000_000_000 };
  await writeBackup({ database, blocks: lentBlocks(dataDir) }, options);
  whole = await readFile(file);
  entries = await entriesOf(file);
});

afterAll(async () => await folder[Symbol.asyncDispose]());

async function entriesOf(file: string): Promise<Entry[]> {
  await using handle = await open(file, 'r');
  const found: Entry[] = [];
  for await (const { name, size, offset } of tarEntries(handle, (await handle.stat()).size))
    found.push({ name, content: whole.subarray(offset, offset + size) });
  return found;
}

/** An archive of these entries, as a program that knows the format would write it. */
async function archive(of: readonly Entry[]): Promise<string> {
  const file = join(folder.path, 'changed.tar');
  await using handle = await open(file, 'w');
  const writer = createArchive(handle, 1_700_000_000_000);
  for (const { name, content } of of) await writer.append(name, content.length, once(content));
  await writer.finish();
  return file;
}

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield Uint8Array.from(content);
}

/** A manifest with changes, and the hash that belongs to it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests reach into JSON of every shape
function withManifest(change: (manifest: Record<string, any>) => void): Entry[] {
  const at = entries.findIndex(({ name }) => name === 'manifest.json');
  const manifest = JSON.parse(entries[at]!.content.toString('utf8'));
  change(manifest);
  const content = Buffer.from(JSON.stringify(manifest));
  const hash = Buffer.from(manifestHashLine(createHash('sha3-512').update(content).digest('hex')));
  return [
    ...entries.slice(0, at - 1),
    { name: 'manifest.json.signature', content: Buffer.from(signManifest(identity, content)) },
    { name: 'manifest.json', content },
    { name: 'manifest.json.sha3-512', content: hash },
  ];
}

async function check(file: string): Promise<void> {
  await using backup = await openBackup(file);
  await backup.checkContents(() => {});
}

async function outcome(content: Uint8Array): Promise<string> {
  const file = join(folder.path, 'damaged.tar');
  await writeFile(file, content);
  return await check(file).then(
    () => 'sound',
    (error: unknown) => (error as Problem).code,
  );
}

describe('a damaged backup', () => {
  it('is sound when it is not damaged', async () => {
    expect(await outcome(whole)).toBe('sound');
    expect(await outcome(await readFile(await archive(entries)))).toBe('sound');
  });

  it.each<[string, number]>([
    ['in the database', 25],
    ['elsewhere', inStage(100, 100, 250)],
  ])('is noticed whichever bit changed %s', async (where, tried) => {
    const start = whole.indexOf('SQLite format 3');
    const { length } = entries.find(({ name }) => name === 'store.db')!.content;
    const position =
      where === 'in the database'
        ? fc.nat(length - 1).map((at) => start + at)
        : fc.nat(whole.length - length - 1).map((at) => (at < start ? at : at + length));
    await fc.assert(
      fc.asyncProperty(position, fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1 << bit;
        expect(await outcome(changed)).toMatch(at < 512 ? /^BACKUP_(?:DAMAGED|NOT_A_BACKUP)$/ : /^BACKUP_DAMAGED$/);
      }),
      { numRuns: runs(tried) },
    );
  });

  it('is noticed when it is cut off, or goes on behind its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 512, max: whole.length - 1 }), async (length) => {
        expect(await outcome(whole.subarray(0, length))).toBe('BACKUP_DAMAGED');
      }),
      { numRuns: runs(60) },
    );
    for (const length of [512, 1_024, whole.length - 1, whole.length - 512, whole.length - 1_024])
      expect(await outcome(whole.subarray(0, length))).toBe('BACKUP_DAMAGED');
    for (const more of [Buffer.alloc(1), Buffer.alloc(512), Buffer.alloc(10_240), Buffer.from('more')])
      expect(await outcome(Buffer.concat([whole, more]))).toBe('BACKUP_DAMAGED');
  });

  it('is no backup when it is something else', async () => {
    for (const other of [Buffer.alloc(0), Buffer.from('hello'), Buffer.alloc(5_000, 'x'), entries.at(-4)!.content])
      expect(await outcome(other)).toBe('BACKUP_NOT_A_BACKUP');
    await expect(check(join(folder.path, 'nothing'))).rejects.toMatchObject({
      kind: 'missing',
      code: 'BACKUP_MISSING',
    });
    await expect(check(folder.path)).rejects.toMatchObject({ kind: 'invalid' });
  });

  const block = (at: number) => entries.findIndex(({ name }) => name === `blocks/${ids.toSorted()[at]}`);
  const without = (at: number) => entries.filter((_, index) => index !== at);
  const swapped = (one: number, other: number) =>
    entries.map((entry, index) => (index === one ? entries[other]! : index === other ? entries[one]! : entry));
  const renamed = (from: string, to: string) =>
    entries.map((entry) => (entry.name === from ? { ...entry, name: to } : entry));
  const withEntry = (name: string, at = 2) => entries.toSpliced(at, 0, { name, content: Buffer.from('content') });
  const hashOfContent = createHash('sha3-512').update('content').digest('hex');

  it.each<[string, () => Entry[], RegExp]>([
    ['a block is missing', () => without(block(1)), /the block [0-9a-f]{128} is missing/],
    ['a block is there twice', () => entries.toSpliced(2, 0, entries[block(1)]!), /twice/],
    [
      'a block is not on the list',
      () => withEntry(`blocks/${hashOfContent}`),
      new RegExp(`${hashOfContent} is not on its list`),
    ],
    ['blocks changed places', () => swapped(block(0), block(1)), /out of order/],
    [
      'a block has another name',
      () => renamed(entries[block(2)]!.name, `blocks/${'0'.repeat(128)}`),
      /not on its list/,
    ],
    ['a block leads out of its folder', () => withEntry('blocks/../../escaped'), /not the name of a block/],
    ['a file leads out of the folder', () => withEntry('../escaped'), /does not belong/],
    ['a file is absolute', () => withEntry('/etc/passwd'), /does not belong/],
    ['there is one file more', () => withEntry('node.secret'), /does not belong/],
    ['a file stands behind the manifest', () => withEntry('behind', entries.length), /manifest is not at its end/],
    ['the database is missing', () => entries.filter(({ name }) => name !== 'store.db'), /store\.db is missing/],
    [
      'the database is there twice',
      () => [entries[0]!, entries.find(({ name }) => name === 'store.db')!, ...entries.slice(1)],
      /out of order|does not belong/,
    ],
    [
      'the list of blocks comes first',
      () => [entries.at(-3)!, ...entries.slice(0, -3), ...entries.slice(-2)],
      /out of order/,
    ],
    ['the manifest is missing', () => entries.filter(({ name }) => !name.startsWith('manifest')), /no manifest/],
    ['the manifest has no hash', () => entries.slice(0, -1), /manifest is not at its end/],
    ['the manifest is not JSON', () => changedManifest('{'), /not JSON/],
    [
      'the manifest is another shape',
      () => withManifest((manifest) => (manifest['tables'] = 'none')),
      /manifest is wrong at tables/,
    ],
    [
      'the manifest counts other blocks',
      () => withManifest((manifest) => (manifest['blocks'].count = 9)),
      /counts other blocks/,
    ],
    [
      'the manifest knows another size',
      () => withManifest((manifest) => (manifest['files'][1].size += 1)),
      /store\.db has/,
    ],
    [
      'the manifest knows another hash',
      () => withManifest((manifest) => (manifest['files'][1].sha3_512 = '0'.repeat(128))),
      /content of store\.db/,
    ],
    [
      'the manifest names another file',
      () => withManifest((manifest) => manifest['files'].push({ ...manifest['files'][0], name: 'x' })),
      /names files that are not in it/,
    ],
  ])('is refused when %s', async (_what, change, message) => {
    const checking = check(await archive(change()));
    await expect(checking).rejects.toMatchObject({ kind: 'invalid', code: 'BACKUP_DAMAGED' });
    await expect(checking).rejects.toThrow(message);
  });

  function changedManifest(text: string): Entry[] {
    const content = Buffer.from(text);
    const hash = Buffer.from(manifestHashLine(createHash('sha3-512').update(content).digest('hex')));
    return [
      ...entries.slice(0, -2),
      { name: 'manifest.json', content },
      { name: 'manifest.json.sha3-512', content: hash },
    ];
  }

  it.each<[string, (manifest: object) => void]>([
    ['format', (manifest) => Object.assign(manifest, { formatVersion: 3, tables: 'in another way', version: '9.0.0' })],
    ['schema', (manifest) => Object.assign(manifest, { schemaVersion: 9_999, version: '9.0.0' })],
  ])('is refused when its %s is newer than this program', async (_what, change) => {
    const checking = check(await archive(withManifest(change)));
    await expect(checking).rejects.toMatchObject({ kind: 'conflict', code: 'BACKUP_TOO_NEW' });
    await expect(checking).rejects.toThrow('version 9.0.0');
  });

  it('touches nothing when it is restored', async () => {
    const dataDir = join(folder.path, 'target');
    await putMigratedStore(dataDir);
    {
      await using database = await openDatabase({ dataDir, command: 'a test' });
      await fillStore(database, 2, 'old');
      await fillBlocks(lentBlocks(dataDir), 2, 'old');
    }
    const before = await snapshotOf(dataDir);
    const changed = Buffer.from(whole);
    changed[whole.indexOf('SQLite format 3') + 5_000]! ^= 1;
    const file = join(folder.path, 'damaged.tar');
    await writeFile(file, changed);
    await using backup = await openBackup(file);
    await expect(restoreBackup(backup, { dataDir, force: true })).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    expect(await snapshotOf(dataDir)).toEqual(before);
  });

  it('is refused when its database is not sound, though every hash is right', async () => {
    const at = entries.findIndex(({ name }) => name === 'store.db');
    const content = Buffer.from(entries[at]!.content);
    // The second page is the first table's; its beginning says what kind of page it is.
    content[4_096] = 0x55;
    const sha3_512 = createHash('sha3-512').update(content).digest('hex');
    const changed = withManifest((manifest) => (manifest['files'][1].sha3_512 = sha3_512));
    changed[at] = { name: 'store.db', content };
    await using backup = await openBackup(await archive(changed));
    const dataDir = join(folder.path, 'fresh');
    await mkdir(dataDir);
    await expect(restoreBackup(backup, { dataDir, force: true })).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

async function snapshotOf(path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    found[file] = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(file))
          .digest('hex')
      : 'a folder';
  }
  return found;
}
