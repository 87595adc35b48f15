import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackup } from '../../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../../../src/platform/store/backup/write-backup.ts';
import type { BlockStore } from '../../../../src/platform/store/blocks/blocks.ts';
import { lentBlocks } from '../../../support/lent-blocks.ts';
import type { Database } from '../../../../src/platform/store/database.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { bundle, type Bundle } from '../../../support/bundle.ts';
import { jobRow } from '../../../support/jobs.ts';
import { blockIds, contentOf, fillBlocks, fillStore, signedOut } from '../../../support/sample-store.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../../../support/small-disk.ts';
import { bothEngines, openTestStore, temporaryFolder } from '../../../support/stores.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';

const { identity } = deriveNodeKeys(new Uint8Array(32).fill(7));

const MiB = 2 ** 20;
const full = { kind: 'unavailable', code: 'STORE_FULL' };
const options = { identity, version: '1.0.0', now: 0 };

/** What makes a store larger than the disk. */
const parts = ['database', 'blocks'] as const;

async function enlarge(part: (typeof parts)[number], database: Database, blocks: BlockStore): Promise<void> {
  if (part === 'blocks') {
    for (let count = 0; count < 6; count += 1) await blocks.put(randomBytes(MiB));
    return;
  }
  const payload = 'x'.repeat(MiB);
  await database.transaction(async (db) => {
    for (let count = 0; count < 6; count += 1)
      await db
        .insertInto('jobs')
        .values(jobRow(`large ${count}`, { payload }))
        .execute();
  });
}

async function contentIn(dataDir: string) {
  await using database = await openDatabase({ dataDir, command: 'a test' });
  return await contentOf(database);
}

async function smallDisk(): Promise<SmallDisk> {
  const disk = await mountSmallDisk('4m');
  if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
  return disk;
}

const mountable = await canMount();

describe.runIf(mountable).each(bothEngines)(
  'a backup of %s to a disk that is too small',
  { tags: 'needs-mount' },
  (engine) => {
    it.each(parts)('for its %s says which one, leaves nothing there, and the store as it was', async (part) => {
      await using folder = await temporaryFolder();
      await using disk = await smallDisk();
      await using source = await openTestStore(engine);
      const blocks = lentBlocks(folder.path);
      await fillStore(source, 3);
      await enlarge(part, source, blocks);
      const before = await contentOf(source);
      const file = join(disk.path, 'home.backup');
      const writing = writeBackup({ database: source, blocks }, { ...options, file });
      await expect(writing).rejects.toMatchObject(full);
      await expect(writing).rejects.toThrow(`${disk.path} is on a full disk. Nothing was kept.`);
      expect(await readdir(disk.path)).toEqual([]);
      expect(await contentOf(source)).toEqual(before);
      await disk.resize('64m');
      await writeBackup({ database: source, blocks }, { ...options, file });
      await using backup = await openBackup(file);
      await backup.checkContents(() => {});
    });
  },
);

/** A data directory with an old store, beside what a restore may not leave behind. */
async function fillOld(dataDir: string) {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await using database = await openDatabase({ dataDir, migrate: true, command: 'a test' });
  await fillStore(database, 2, 'old');
  const ids = await fillBlocks(lentBlocks(dataDir), 2, 'old');
  return { content: await contentOf(database), ids };
}

async function expectUntouched(dataDir: string, old: Awaited<ReturnType<typeof fillOld>>): Promise<void> {
  expect((await readdir(dataDir)).filter((name) => name.startsWith('restore'))).toEqual([]);
  expect(await readdir(join(dataDir, 'blocks', 'tmp'))).toEqual([]);
  expect(await contentIn(dataDir)).toEqual(old.content);
  expect(await blockIds(lentBlocks(dataDir))).toEqual(old.ids.toSorted());
  for (const id of old.ids) expect(await lentBlocks(dataDir).verify(id)).toBe(true);
}

/** A backup that doesn't fit, and what is in it. */
async function makeBackup(folder: string, part: (typeof parts)[number]) {
  const dataDir = join(folder, part);
  await mkdir(dataDir);
  await using database = await openDatabase({ dataDir, migrate: true, command: 'a test' });
  const blocks = lentBlocks(dataDir);
  await fillStore(database, 3);
  await enlarge(part, database, blocks);
  const file = join(folder, `${part}.backup`);
  await writeBackup({ database, blocks }, { ...options, file });
  return { file, dataDir, content: signedOut(await contentOf(database)) };
}

describe('restoring a backup', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let backups: Record<(typeof parts)[number], Awaited<ReturnType<typeof makeBackup>>>;
  let program: Bundle;
  beforeAll(async () => {
    folder = await temporaryFolder();
    backups = {
      database: await makeBackup(folder.path, 'database'),
      blocks: await makeBackup(folder.path, 'blocks'),
    };
    program = await bundle('test/support/backup-process.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it.runIf(mountable).each(parts)(
    'to a disk that is too small for its %s leaves the old store, and works when there is room',
    { tags: 'needs-mount' },
    async (part) => {
      await using disk = await smallDisk();
      const dataDir = join(disk.path, 'data');
      const old = await fillOld(dataDir);
      const restore = async () => {
        await using backup = await openBackup(backups[part].file);
        return await restoreBackup(backup, { dataDir, force: true });
      };
      await expect(restore()).rejects.toMatchObject(full);
      await expectUntouched(dataDir, old);
      await disk.resize('64m');
      await restore();
      expect(await contentIn(dataDir)).toEqual(backups[part].content);
    },
  );

  /** @param limit of the size of a file, in units of 512 bytes */
  async function limited(limit: number, ...line: string[]): Promise<unknown> {
    const shell = ['-c', `ulimit -S -f ${limit}; exec "$0" "$@"`, process.execPath, program.path, ...line];
    return JSON.parse((await execa('/bin/sh', shell)).stdout);
  }

  it('beyond the limit on the size of files leaves the old store', async () => {
    const dataDir = join(folder.path, 'limited');
    const old = await fillOld(dataDir);
    expect(await limited(6_000, 'restore', dataDir, backups.database.file)).toMatchObject(full);
    await expectUntouched(dataDir, old);
  });

  it('is possible only with a whole one: beyond the limit on the size of files, none is written', async () => {
    const target = join(folder.path, 'target');
    await mkdir(target);
    const said = await limited(6_000, 'write', backups.blocks.dataDir, join(target, 'home.backup'));
    expect(said).toMatchObject({ ...full, message: expect.stringContaining('cannot hold a file of this size') });
    expect(await readdir(target)).toEqual([]);
  });
});
