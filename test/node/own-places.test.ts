import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockFolderFile } from '../../src/platform/store/blocks/folder-id.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../support/stores.ts';

/** Starts, does something, and stops. */
async function once(
  dataDir: string,
  work: (node: RunningNode) => Promise<void> = async () => undefined,
): Promise<void> {
  await using node = await startNode({ dataDir, services: [] });
  await work(node);
}

describe('a server', () => {
  it('does not start with a copy of the erasure keys from before something was erased', async () => {
    await using folder = await temporaryFolder();
    const keys = join(folder.path, 'erasure.keys');
    await once(folder.path, async ({ engine }) => {
      const { erasure } = engine.context;
      const { slot } = await erasure.take();
      await copyFile(keys, `${keys}.copy`);
      await erasure.erase([slot]);
    });
    await copyFile(keys, `${keys}.newest`);
    await copyFile(`${keys}.copy`, keys);
    await expect(once(folder.path)).rejects.toMatchObject({ kind: 'unavailable', code: 'ERASURE_KEYS_STALE' });
    await copyFile(`${keys}.newest`, keys);
    await once(folder.path, async ({ log }) => expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]));
  });

  it('starts without erasure keys, and says what cannot be opened', async () => {
    await using folder = await temporaryFolder();
    const keys = join(folder.path, 'erasure.keys');
    await once(folder.path, async ({ engine }) => void (await engine.context.erasure.take()));
    await copyFile(keys, `${keys}.away`);
    await writeFile(keys, 'nothing');
    await once(folder.path, async ({ log }) => {
      const said = log.lines.find(({ level }) => level === 'error');
      expect(said).toMatchObject({
        message: 'files of the file vault cannot be opened',
        reason: expect.stringContaining('the file of erasure keys is damaged'),
      });
    });
  });

  it('does not start with the blocks of another store', async () => {
    await using folder = await temporaryFolder();
    await once(folder.path);
    await writeFile(blockFolderFile(folder.path), `${'0'.repeat(32)}\n`);
    await expect(once(folder.path)).rejects.toMatchObject({ kind: 'conflict', code: 'BLOCKS_OF_OTHER_STORE' });
  });
});

describe.runIf(bothEngines.includes('postgres'))('servers on one postgres', () => {
  it('have one folder of blocks, or the second one does not start', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using one = await temporaryFolder();
    await using two = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url, CONCLAVE_NODE_SECRET_FILE: join(one.path, 'secret') };
    {
      await using _ = await startNode({ env, dataDir: one.path, services: [] });
      await using other = await startNode({ env, dataDir: one.path, services: [] });
      expect(other.dataDir).toBe(one.path);
      await expect(startNode({ env, dataDir: two.path, services: [] })).rejects.toMatchObject({
        kind: 'conflict',
        code: 'BLOCKS_NOT_SHARED',
      });
    }
    await using _ = await startNode({ env, dataDir: one.path, services: [] });
  });
});
