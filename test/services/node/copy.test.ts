import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { copyStore } from '../../../src/services/node/copy.ts';
import { migrateStore } from '../../../src/services/node/migrate.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { latestVersion, migrate, migrations } from '../../../src/platform/store/migrations.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { blockIds, contentOf, fillBlocks, fillStore, memberRow } from '../../support/sample-store.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';

async function load(dataDir: string, env: Record<string, string> = {}) {
  return await loadConfig({ flags: { 'data-dir': dataDir }, env, home: dataDir, cwd: dataDir });
}

async function make(dataDir: string, members = 8) {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'node.secret'), Buffer.alloc(32, 1), { mode: 0o600 });
  await putMigratedStore(dataDir);
  await using database = await openDatabase({ dataDir, command: 'a test' });
  await fillStore(database, members);
  await fillBlocks(lentBlocks(dataDir), 3);
  return await contentOf(database);
}

async function contentIn(dataDir: string, url?: string) {
  await using database = await openDatabase({ dataDir, url, command: 'a test' });
  return await contentOf(database);
}

describe.runIf(bothEngines.includes('postgres'))('moving a store to PostgreSQL and back', () => {
  it('keeps every row, reports each table, and leaves the blocks where they are', async () => {
    await using folder = await temporaryFolder();
    await using created = await createPostgresDatabase({ migrated: false });
    const [home, other] = [join(folder.path, 'home'), join(folder.path, 'other')];
    const content = await make(home);
    const there = await copyStore(await load(home), { to: { url: created.url } });
    expect(there.from).toEqual({ engine: 'sqljs', location: join(home, 'store.db') });
    expect(there.to.engine).toBe('postgres');
    expect(JSON.stringify(there)).not.toContain(new URL(created.url).password);
    expect(there.schemaVersion).toBe(latestVersion());
    expect(there.blocks).toEqual({ copied: 0, present: 3 });
    expect(there.tables.map(({ name, rows }) => [name, rows])).toEqual(
      Object.entries(content).map(([name, rows]) => [name, rows.length]),
    );
    expect(await contentIn(home, created.url)).toEqual(content);
    // Moving is no reason to sign everybody out.
    expect(content['sessions']).toHaveLength(8);
    expect(there.notes).toContain('The old store is marked as moved. Conclave does not open it any more.');

    const onPostgres = await load(home, { CONCLAVE_DATABASE: created.url });
    const back = await copyStore(onPostgres, { to: { dataDir: other } });
    expect(back.tables).toEqual(there.tables);
    expect(back.blocks).toEqual({ copied: 3, present: 0 });
    expect(back.notes.join(' ')).toContain(join(other, 'node.secret'));
    expect(await contentIn(other)).toEqual(content);
    expect(await blockIds(lentBlocks(other))).toEqual(await blockIds(lentBlocks(home)));
    await expect(copyStore(onPostgres, { to: { url: created.url } })).rejects.toMatchObject({ code: 'SAME_STORE' });
  });

  it('leaves an old store that says where it moved, unless it is to stay', { tags: 'soak' }, async () => {
    await using folder = await temporaryFolder();
    await using created = await createPostgresDatabase({ migrated: false });
    const home = join(folder.path, 'home');
    const content = await make(home);
    const loaded = await load(home);
    const stayed = await copyStore(loaded, { to: { url: created.url }, stay: true });
    // What it means that both stores have the sessions is said.
    expect(stayed.notes.join(' ')).toContain('A member who signs out of one is still signed in to the other');
    expect(await contentIn(home)).toEqual(content);

    const request = { to: { url: created.url }, force: true };
    const { to } = await copyStore(loaded, request);
    const uses = [() => contentIn(home), () => migrateStore(loaded), () => copyStore(loaded, request)];
    for (const use of uses) {
      await expect(use()).rejects.toMatchObject({ code: 'STORE_MOVED', message: expect.stringContaining(to.location) });
    }
    expect(await contentIn(home, created.url)).toEqual(content);
  });

  it('reads PostgreSQL as it was at one moment, whoever writes meanwhile', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    await using created = await createPostgresDatabase({ migrated: true });
    await mkdir(join(folder.path, 'home'));
    await using database = await openDatabase({ dataDir: folder.path, url: created.url });
    await fillStore(database, 5);
    const before = await contentOf(database);
    let added = 0;
    const onProgress = (): void => {
      added += 1;
      void database.db
        .insertInto('members')
        .values(memberRow(`late ${added}`))
        .execute();
    };
    const loaded = await load(join(folder.path, 'home'), { CONCLAVE_DATABASE: created.url });
    await copyStore(loaded, { to: { dataDir: join(folder.path, 'copy') }, onProgress });
    expect(added).toBeGreaterThan(2);
    expect(await contentIn(join(folder.path, 'copy'))).toEqual(before);
  });

  it('has no place for a URL that is not one, and does not repeat it', async () => {
    await using folder = await temporaryFolder();
    await make(join(folder.path, 'home'), 1);
    const copying = copyStore(await load(join(folder.path, 'home')), { to: { url: 'mysql://ada:hush@host/db' } });
    await expect(copying).rejects.toMatchObject({ kind: 'invalid', code: 'STORE_URL' });
    await expect(copying).rejects.not.toThrow('hush');
  });
});

describe('copying a store to another data directory', () => {
  it('replaces what is there only when told to', async () => {
    await using folder = await temporaryFolder();
    const [home, other] = [join(folder.path, 'home'), join(folder.path, 'other')];
    const content = await make(home);
    const otherContent = await make(other, 2);
    const loaded = await load(home);
    await expect(copyStore(loaded, { to: { dataDir: other } })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'STORE_EXISTS',
    });
    expect(await contentIn(other)).toEqual(otherContent);
    const report = await copyStore(loaded, { to: { dataDir: other }, force: true });
    expect(report.blocks).toEqual({ copied: 0, present: 3 });
    expect(await contentIn(other)).toEqual(content);
    expect(await contentIn(home)).toEqual(content);
  });

  it('is refused onto itself, from nothing, and while a server runs', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'home');
    await mkdir(home);
    const loaded = await load(home);
    const to = { dataDir: join(folder.path, 'other') };
    await expect(copyStore(loaded, { to })).rejects.toMatchObject({ kind: 'missing', code: 'STORE_MISSING' });
    await make(home, 1);
    await expect(copyStore(loaded, { to: { dataDir: join(home, '..', 'home') } })).rejects.toMatchObject({
      code: 'SAME_STORE',
    });
    await using running = await openDatabase({ dataDir: home, command: 'conclave serve' });
    expect(running.engine).toBe('sqljs');
    await expect(copyStore(loaded, { to })).rejects.toMatchObject({ code: 'STORE_IN_USE' });
  });
});

describe('migrating a store', () => {
  it('says from where to where', async () => {
    await using folder = await temporaryFolder();
    const loaded = await load(folder.path);
    await expect(migrateStore(loaded)).rejects.toMatchObject({ kind: 'missing', code: 'STORE_MISSING' });
    expect(await readdir(folder.path)).not.toContain('store.db');
    {
      await using database = await openSqljsDatabase(folder.path);
      await migrate(database, () => 0, migrations.slice(0, 1));
    }
    expect(await migrateStore(loaded)).toEqual({
      from: 1,
      to: latestVersion(),
      applied: migrations.slice(1).map(({ name }) => name),
    });
    expect(await migrateStore(loaded)).toEqual({ from: latestVersion(), to: latestVersion(), applied: [] });
    await using running = await openDatabase({ dataDir: folder.path, command: 'conclave serve' });
    expect(running.engine).toBe('sqljs');
    await expect(migrateStore(loaded)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
  });

  it.runIf(bothEngines.includes('postgres'))('says so of PostgreSQL too', { tags: 'soak' }, async () => {
    await using folder = await temporaryFolder();
    await using created = await createPostgresDatabase({ migrated: true });
    await using empty = await createPostgresDatabase({ migrated: false });
    const loaded = await load(folder.path, { CONCLAVE_DATABASE: created.url });
    expect(await migrateStore(loaded)).toMatchObject({ from: latestVersion(), applied: [] });
    await expect(migrateStore(await load(folder.path, { CONCLAVE_DATABASE: empty.url }))).rejects.toMatchObject({
      code: 'STORE_MISSING',
    });
  });
});
