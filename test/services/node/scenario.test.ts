import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { node } from '../../../src/contract/node.ts';
import { copyStore } from '../../../src/services/node/copy.ts';
import { migrateStore } from '../../../src/services/node/migrate.ts';
import { restoreStore } from '../../../src/services/node/restore.ts';
import { latestVersion, migrate, migrations } from '../../../src/platform/store/migrations.ts';
import { idOf } from '../../../src/platform/store/blocks/folder-id.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { openHouse } from '../../support/house.ts';
import { contentOf, fillBlocks, signedOut } from '../../support/sample-store.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';

const passphrase = 'a long passphrase';

describe.each(bothEngines)('the life of a node on %s', (engine) => {
  it(
    'goes from an old store over a backup to a new machine, and from there to another store',
    { tags: 'thorough' },
    async () => {
      await using folder = await temporaryFolder();
      await using created = engine === 'postgres' ? await createPostgresDatabase({ migrated: false }) : undefined;
      const dataDir = join(folder.path, 'new-machine');
      const env = created === undefined ? {} : { CONCLAVE_DATABASE: created.url };
      const loaded = await loadConfig({ flags: { 'data-dir': dataDir }, env, home: dataDir, cwd: folder.path });

      const secret = new Uint8Array(32).fill(7);
      await using house = await openHouse(engine, { secret });
      await writeFile(join(house.ctx.config.dataDir, 'node.secret'), secret, { mode: 0o600 });
      await house.administrator();
      await house.register();
      await fillBlocks(house.ctx.blocks, 2);
      await idOf(house.ctx.store, house.ctx.random);
      const operator = [await house.operatorToken(), { trusted: true }] as const;
      expect((await house.perform(node.status, {}, ...operator)).body).toMatchObject({
        engine,
        members: 2,
        sessions: 2,
      });
      expect((await house.perform(node.storeStatus, {}, ...operator)).body).toMatchObject({ engine, blocks: 2 });
      expect((await house.perform(node.verifyStore, {}, ...operator)).body).toMatchObject({ ok: true });
      const path = join(folder.path, 'backup.tar');
      const written = await house.perform(node.backUpStore, { path, passphrase }, ...operator);
      expect(written.body).toMatchObject({ path, withSecrets: true, damagedBlocks: [] });
      const content = signedOut(await contentOf(house.ctx.store));

      // The store that is replaced is of an old version.
      await mkdir(dataDir, { mode: 0o700 });
      {
        const old = created === undefined ? openSqljsDatabase(dataDir) : openPostgresDatabase(created.url);
        await using database = await old;
        await migrate(database, () => 0, migrations.slice(0, 1));
      }
      expect(await migrateStore(loaded)).toMatchObject({ from: 1, to: latestVersion() });
      const restored = await restoreStore(loaded, { file: path, passphrase, force: true });
      expect(restored).toMatchObject({ engine, secret: 'restored', blocks: 2, endedSessions: 2 });
      {
        await using database = await openDatabase({ dataDir, url: created?.url, command: 'a test' });
        expect(await contentOf(database)).toEqual(content);
      }

      const other = join(folder.path, 'other');
      expect(await copyStore(loaded, { to: { dataDir: other } })).toMatchObject({ from: { engine } });
      await using copy = await openDatabase({ dataDir: other, command: 'a test' });
      expect(await contentOf(copy)).toEqual(content);
    },
  );
});
