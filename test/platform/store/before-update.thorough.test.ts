import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execaNode } from 'execa';
import { describe, expect, it } from 'vitest';
import { copyBeforeUpdate, forgetUpdates } from '../../../src/platform/store/before-update.ts';
import { storeFull } from '../../../src/platform/store/full-disk.ts';
import { latestVersion, migrate, migrations, schemaVersion } from '../../../src/platform/store/migrations.ts';
import { openDatabase, type StoreUpdate } from '../../../src/platform/store/open.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { insertJobOfBefore, jobRow } from '../../support/jobs.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { inStage } from '../../support/stage.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';

const now = Date.parse('2026-03-04T05:06:07.890Z');
const old = latestVersion() - 1;

/** A store as the program of before left it. */
async function makeOld(dataDir: string, version = old): Promise<void> {
  await using database = await openSqljsDatabase(dataDir);
  await migrate(database, () => now, migrations.slice(0, version));
  await insertJobOfBefore(database.db, 'of before');
}

/** Opens it as a server does. */
async function serve(dataDir: string, url?: string) {
  const updates: StoreUpdate[] = [];
  const database = await openDatabase({ dataDir, url, now: () => now, onUpdate: (update) => updates.push(update) });
  return { database, updates, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

describe('a server of a newer version', () => {
  it('copies an older store, for nobody else to read, and brings it up to date', async () => {
    await using folder = await temporaryFolder();
    await makeOld(folder.path);
    const copies = join(folder.path, 'before-update');
    const copy = join(copies, `store-${old}-2026-03-04T050607Z.db`);
    {
      await using served = await serve(folder.path);
      expect(served.updates).toEqual([{ from: old, to: latestVersion(), copy }]);
      expect(await schemaVersion(served.database)).toBe(latestVersion());
      await served.database.db.insertInto('jobs').values(jobRow('of now')).execute();
    }
    expect([(await stat(copies)).mode & 0o777, (await stat(copy)).mode & 0o777]).toEqual([0o700, 0o600]);
    {
      await using again = await serve(folder.path);
      expect(again.updates).toEqual([]);
    }
    // Back to the program of before, as docs/self-hosting.md has it.
    await rm(join(folder.path, 'store.db-wal'), { force: true });
    await rename(copy, join(folder.path, 'store.db'));
    await using before = await openSqljsDatabase(folder.path);
    expect(await schemaVersion(before)).toBe(old);
    expect(await before.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: 'of before' }]);
  });

  it.each(inStage([5], [5], [1, 5, 10]))(
    'may be killed when %i migrations have run: the next start runs them all',
    async (ran) => {
      await using folder = await temporaryFolder();
      const far = latestVersion() - 10;
      await makeOld(folder.path, far);
      const killed = await execaNode(await sharedBundle('test/support/dying-update.ts'), [folder.path, String(ran)], {
        reject: false,
      });
      expect(killed).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      const copies = join(folder.path, 'before-update');
      expect(await readdir(copies)).toHaveLength(1);
      // The one of the start that was killed is whole, and so is the one of the next.
      for (const from of [far, latestVersion()]) {
        const [copy = ''] = await readdir(copies);
        await using elsewhere = await temporaryFolder();
        await copyFile(join(copies, copy), join(elsewhere.path, 'store.db'));
        await using before = await openSqljsDatabase(elsewhere.path);
        expect(await schemaVersion(before)).toBe(far);
        expect(await before.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: 'of before' }]);
        await using served = await serve(folder.path);
        expect(served.updates.map((update) => update.from)).toEqual(from === far ? [far] : []);
        expect(await schemaVersion(served.database)).toBe(latestVersion());
        expect(await served.database.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: 'of before' }]);
      }
    },
  );

  it('keeps the newest copy alone, for 30 days', async () => {
    await using folder = await temporaryFolder();
    await makeOld(folder.path);
    const copies = join(folder.path, 'before-update');
    await mkdir(copies);
    for (const name of ['store-1-2025-01-01T000000Z.db', 'store-2-2025-01-01T000000Z.db.new'])
      await writeFile(join(copies, name), 'an earlier one');
    await (await serve(folder.path))[Symbol.asyncDispose]();
    const [name = '', ...others] = await readdir(copies);
    expect([name, others]).toEqual([expect.stringContaining(`store-${old}-`), []]);
    const day = 86_400_000;
    await utimes(join(copies, name), now / 1000, now / 1000);
    await forgetUpdates(folder.path, now + 30 * day);
    expect(await readdir(copies)).toEqual([name]);
    await forgetUpdates(folder.path, now + 30 * day + 1_000);
    expect(await readdir(copies)).toEqual([]);
    await forgetUpdates(join(folder.path, 'elsewhere'), now);
  });

  it('leaves the store as it is when there can be no copy, and so does a command', async () => {
    await using folder = await temporaryFolder();
    await makeOld(folder.path);
    await writeFile(join(folder.path, 'before-update'), 'a file where the folder should be');
    await expect(serve(folder.path)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('(EEXIST), so it stays as it is'),
    });
    await expect(openDatabase({ dataDir: folder.path })).rejects.toMatchObject({ code: 'STORE_TOO_OLD' });
    await using before = await openSqljsDatabase(folder.path);
    expect(await schemaVersion(before)).toBe(old);
  });

  it('says that the disk is full, whether the copy or the store has no room', async () => {
    await using folder = await temporaryFolder();
    await makeOld(folder.path);
    await using database = await openSqljsDatabase(folder.path);
    for (const error of [storeFull(), Object.assign(new Error('made by a test'), { code: 'ENOSPC' })]) {
      const full = { ...database, snapshot: async () => await Promise.reject(error) };
      const copying = copyBeforeUpdate(full, folder.path, { version: old, now });
      await expect(copying).rejects.toMatchObject({ kind: 'unavailable', code: 'STORE_FULL' });
      expect(await readdir(join(folder.path, 'before-update'))).toEqual([]);
    }
  });

  it.runIf(bothEngines.includes('postgres'))(
    'leaves a store on PostgreSQL to its operator, since others may serve it',
    async () => {
      await using folder = await temporaryFolder();
      await using place = await createPostgresDatabase({ migrated: false });
      {
        await using database = await openPostgresDatabase(place.url);
        await migrate(database, () => now, migrations.slice(0, old));
      }
      await expect(serve(folder.path, place.url)).rejects.toMatchObject({ kind: 'conflict', code: 'STORE_TOO_OLD' });
      expect(await readdir(folder.path)).toEqual([]);
    },
  );
});
