import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/bytes.ts';
import { blockFolderFault, blockFolderFile, settleBlockFolder } from '../../../src/platform/store/blocks/folder-id.ts';
import { proveSharedFolder } from '../../../src/platform/store/blocks/shared-folder.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { eventually } from '../../support/eventually.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { fillStore, referToBlock } from '../../support/sample-store.ts';
import { bothEngines, openTestStore, temporaryFolder } from '../../support/stores.ts';

const EVERY_MS = 20;

async function settle(store: Database, dataDir: string): Promise<string | undefined> {
  return await settleBlockFolder({ store, dataDir, blocks: lentBlocks(dataDir) }, systemRandom);
}

/** A store that refers to a block, which is in the folder. */
async function filled(store: Database, dataDir: string): Promise<void> {
  await fillStore(store, 1);
  await store.db.deleteFrom('block_folder').execute();
  const { id } = await lentBlocks(dataDir).put(Buffer.from('a block'));
  await referToBlock(store, id);
}

describe.each(bothEngines)('the folder of blocks of a store on %s', (engine) => {
  it('is named after the store, and so is one from before that has its blocks', async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    expect(await settle(store, folder.path)).toBeUndefined();
    const named = await readFile(blockFolderFile(folder.path), 'utf8');
    expect(named).toMatch(/^[0-9a-f]{32}\n$/);
    expect(await settle(store, folder.path)).toBeUndefined();
    await rm(blockFolderFile(folder.path));
    expect(await settle(store, folder.path)).toBeUndefined();
    expect(await readFile(blockFolderFile(folder.path), 'utf8')).toBe(named);
  });

  it('is refused when it is that of another store, also of one that has no name yet', async () => {
    await using folder = await temporaryFolder();
    await using one = await openTestStore(engine);
    await using other = await openTestStore(engine);
    await settle(one, folder.path);
    const refused = { kind: 'conflict', code: 'BLOCKS_OF_OTHER_STORE', message: /has the blocks of another store/ };
    for (let time = 0; time < 2; time += 1) {
      await expect(settle(other, folder.path)).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(refused.message),
      });
      await using elsewhere = await temporaryFolder();
      await settle(other, elsewhere.path);
    }
  });

  it('is missed when none of its blocks are there', async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    await filled(store, folder.path);
    await rename(join(folder.path, 'blocks'), join(folder.path, 'away'));
    await mkdir(join(folder.path, 'blocks'));
    const fault = await settle(store, folder.path);
    expect(fault).toMatch(/^The blocks of this store are not in /);
    expect(await readdir(join(folder.path, 'blocks'))).toEqual([]);
    await rm(join(folder.path, 'blocks'), { recursive: true });
    await rename(join(folder.path, 'away'), join(folder.path, 'blocks'));
    expect(await settle(store, folder.path)).toBeUndefined();
    expect(await blockFolderFault({ store, dataDir: folder.path, blocks: lentBlocks(folder.path) })).toBeUndefined();
  });
});

describe.each(bothEngines)('processes on one database on %s', (engine) => {
  const clock = { at: 1_700_000_000_000, now: () => clock.at };

  async function process(store: Database, dataDir: string, onFault: (message: string) => void = () => undefined) {
    return await proveSharedFolder({ store, dataDir, clock, random: systemRandom, everyMs: EVERY_MS, onFault });
  }

  it('see one folder, and leave nothing behind', async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    {
      await using _ = await process(store, folder.path);
      await using other = await process(store, folder.path);
      expect(other).toBeDefined();
      expect(await readdir(join(folder.path, 'blocks', 'processes'))).toHaveLength(2);
    }
    expect(await readdir(join(folder.path, 'blocks', 'processes'))).toEqual([]);
    expect(await store.db.selectFrom('block_processes').selectAll().execute()).toEqual([]);
  });

  it('are refused with another folder, until the other process is gone', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    await using store = await openTestStore(engine);
    const faults: string[] = [];
    const first = await process(store, folder.path, (message) => faults.push(message));
    const refused = process(store, other.path);
    await expect(refused).rejects.toMatchObject({ kind: 'conflict', code: 'BLOCKS_NOT_SHARED' });
    await expect(refused).rejects.toThrow(/keeps its blocks in another folder/);
    expect(await readdir(join(other.path, 'blocks', 'processes'))).toEqual([]);
    // A copy of the folder has not what is written now.
    const [name] = await readdir(join(folder.path, 'blocks', 'processes'));
    await writeFile(join(other.path, 'blocks', 'processes', name!), `${'0'.repeat(32)}\n`);
    await expect(process(store, other.path)).rejects.toMatchObject({ code: 'BLOCKS_NOT_SHARED' });
    // They said nothing in the database, so nobody takes them for a server.
    expect(faults).toEqual([]);
    await first[Symbol.asyncDispose]();
    await using _ = await process(store, other.path);
  });

  it('forget one that ended without a word', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    await using store = await openTestStore(engine);
    const row = { id: 'a'.repeat(32), nonce: 'b'.repeat(32), seen_at: clock.at };
    await store.db.insertInto('block_processes').values(row).execute();
    await expect(process(store, other.path)).rejects.toMatchObject({ code: 'BLOCKS_NOT_SHARED' });
    clock.at += EVERY_MS * 6;
    await using _ = await process(store, folder.path);
    expect(await store.db.selectFrom('block_processes').select('id').execute()).toHaveLength(1);
  });

  it('notice one that comes later with another folder', async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    const faults: string[] = [];
    await using _ = await process(store, folder.path, (message) => faults.push(message));
    const row = { id: 'a'.repeat(32), nonce: 'b'.repeat(32), seen_at: clock.at };
    await store.db.insertInto('block_processes').values(row).execute();
    await eventually(() => expect(faults[0]).toMatch(/keeps its blocks in another folder/));
  });
});
