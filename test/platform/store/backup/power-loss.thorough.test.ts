import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { openBackup } from '../../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../../../src/platform/store/backup/write-backup.ts';
import { lentBlocks } from '../../../support/lent-blocks.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { losingDisk, type Loss } from '../../../support/losing-disk.ts';
import { contentOf, fillBlocks, fillStore, signedOut } from '../../../support/sample-store.ts';
import { testRandom } from '../../../support/seeded.ts';
import { inStage } from '../../../support/stage.ts';
import { putMigratedStore, temporaryFolder } from '../../../support/stores.ts';

const [oldSecret, newSecret] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

async function contentIn(dataDir: string) {
  await using database = await openDatabase({ dataDir, command: 'a test' });
  return await contentOf(database);
}

describe('a loss of power during a restore', () => {
  const ofEachKind: [string, (random: () => number) => Loss, boolean][] = [
    ['takes all that was not flushed', () => 'nothing', true],
    ['takes all but the latest change of names', () => 'latest', true],
    // SQLite flushes the database when it changes something in it: here nothing has to be.
    ['takes all content of a database that nothing was changed in', () => 'names', false],
  ];
  const others: typeof ofEachKind = [
    ['takes all content that was not flushed, and leaves names', () => 'names', true],
    ['takes what chance decides', (random) => random, true],
  ];

  it.each([...ofEachKind, ...inStage([], [], others)])(
    '%s, and leaves the old store or the new one, whole, with its secret',
    async (_, lossOf, withSessions) => {
      await using place = await temporaryFolder();
      const source = join(place.path, 'source');
      const file = join(place.path, 'backup.tar');
      const root = join(place.path, 'data');
      await putMigratedStore(source);
      await mkdir(root);
      const blocks = lentBlocks(source);
      const ids = await fillBlocks(blocks, 2);
      let expected: unknown;
      {
        await using database = await openDatabase({ dataDir: source, command: 'a test' });
        await fillStore(database, 3);
        if (!withSessions)
          await database.transaction(async (db) => {
            for (const table of ['sessions', 'idempotency_keys'] as const) await db.deleteFrom(table).execute();
          });
        expected = signedOut(await contentOf(database));
        const options = {
          file,
          identity: deriveNodeKeys(new Uint8Array(32).fill(7)).identity,
          version: '1.2.3',
          now: Date.UTC(2026, 0, 15),
        };
        await writeBackup({ database, blocks }, options);
      }
      const live = join(place.path, 'live');
      await putMigratedStore(live);
      let old: unknown;
      {
        await using database = await openDatabase({ dataDir: live, command: 'a test' });
        await fillStore(database, 2, 'old');
        old = await contentOf(database);
        // With a log that was never moved into the database, as a killed server leaves it.
        for (const name of ['store.db', 'store.db-wal']) await cp(join(live, name), join(root, name));
      }
      await lentBlocks(root).put(oldSecret);
      await writeFile(join(root, 'node.secret'), oldSecret);

      const random = testRandom();
      const losing = losingDisk(root);
      const crashes: { folder: string; done: boolean }[] = [];
      let changes = 0;
      let switching = false;
      let done = false;
      const crash = () => {
        const folder = join(place.path, `crash-${crashes.length}`);
        losing.loseInto(folder, lossOf(random));
        crashes.push({ folder, done });
      };
      losing.onChange = () => {
        changes += 1;
        // Each step from where the store changes, and some before.
        if (switching || changes % 25 === 0) crash();
      };
      await using backup = await openBackup(file);
      await restoreBackup(backup, {
        dataDir: root,
        force: true,
        inStep: () => [{ name: 'node.secret', content: newSecret }],
        beforeSwitch: async () => void (switching = true),
        files: losing.files,
        disk: losing.disk,
      });
      done = true;
      crash();

      const outcomes = new Set<string>();
      expect(crashes.length).toBeGreaterThan(8);
      for (const { folder, done: over } of crashes) {
        const content = await contentIn(folder);
        const isNew = (await readFile(join(folder, 'node.secret'))).equals(newSecret);
        outcomes.add(isNew ? 'new' : 'old');
        if (over) expect(isNew).toBe(true);
        expect(content).toEqual(isNew ? expected : old);
        if (isNew) for (const id of ids) expect(await lentBlocks(folder).verify(id)).toBe(true);
      }
      expect(outcomes).toEqual(new Set(['old', 'new']));
    },
  );
});
