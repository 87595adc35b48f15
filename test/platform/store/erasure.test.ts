import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { concat, systemRandom, utf8 } from '../../../src/crypto/bytes.ts';
import { sha256 } from '../../../src/crypto/hash.ts';
import { encodeCover } from '../../../src/crypto/puncturable-prf.ts';
import { decodeKeyFile } from '../../../src/platform/store/erasure/key-file.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { readErasureKeys } from '../../../src/platform/store/erasure-keys.ts';
import { openErasure, type Erasure } from '../../../src/platform/store/erasure.ts';
import { bothEngines, openTestStore, temporaryFolder } from '../../support/stores.ts';

const stale = expect.objectContaining({ kind: 'unavailable', code: 'ERASURE_KEYS_STALE' }) as unknown;
const missing = expect.objectContaining({ kind: 'unavailable', code: 'ERASURE_KEYS_MISSING' }) as unknown;

describe.each(bothEngines)('erasure keys and their database on %s', (engine) => {
  const open: AsyncDisposable[] = [];
  afterAll(async () => {
    for (const one of open.reverse()) await one[Symbol.asyncDispose]();
  });

  async function begin(): Promise<{ store: Database; folder: string; path: string; erasure: Erasure }> {
    const [folder, store] = [await temporaryFolder(), await openTestStore(engine)];
    open.push(folder, store);
    const path = join(folder.path, 'erasure.keys');
    return { store, folder: folder.path, path, erasure: openErasure({ path, store, random: systemRandom }) };
  }

  const rowIn = async ({ db }: Database) => await db.selectFrom('file_erasure').selectAll().executeTakeFirstOrThrow();

  it('count each erasure in both, and refuse a copy of the file from before', async () => {
    const { store, path, erasure } = await begin();
    expect(await erasure.check()).toBeUndefined();
    const [first, second] = [await erasure.take(), await erasure.take()];
    await copyFile(path, `${path}.copy`);
    await erasure.erase([first.slot]);
    await erasure.erase([first.slot]);
    expect(await rowIn(store)).toMatchObject({ generation: 1, unfinished: 0, lost: 0 });
    expect((await readErasureKeys(path)).generation).toBe(1);
    expect(await erasure.keyOf(first.slot)).toBeUndefined();

    await copyFile(path, `${path}.newest`);
    await copyFile(`${path}.copy`, path);
    for (const use of [
      async () => await erasure.keyOf(first.slot),
      async () => await erasure.keyOf(second.slot),
      async () => await erasure.take(),
      async () => await erasure.erase([second.slot]),
      async () => await erasure.check(),
      async () => await openErasure({ path, store, random: systemRandom }).check(),
    ])
      await expect(use()).rejects.toEqual(stale);
    expect((await readErasureKeys(path)).generation).toBe(0);

    await copyFile(`${path}.newest`, path);
    expect(await erasure.check()).toMatchObject({ path, generation: 1 });
    expect(await erasure.keyOf(second.slot)).toEqual(second.key);
  });

  it('are used by a process that has the file, and by none that has a copy of its own', async () => {
    const { store, path, erasure } = await begin();
    const { slot } = await erasure.take();
    await copyFile(path, `${path}.other`);
    const other = openErasure({ path: `${path}.other`, store, random: systemRandom });
    expect(await other.keyOf(slot)).toEqual(await erasure.keyOf(slot));
    await erasure.erase([slot]);
    await expect(other.keyOf(slot)).rejects.toEqual(stale);
  });

  it('go on where a process stopped between the database and the file', async () => {
    const { store, path, erasure } = await begin();
    const { slot, key } = await erasure.take();
    await store.db.updateTable('file_erasure').set({ generation: 1, unfinished: 1 }).execute();
    expect(await erasure.keyOf(slot)).toEqual(key);
    await erasure.erase([slot]);
    const { generation } = await rowIn(store);
    expect(await readErasureKeys(path)).toMatchObject({ generation });
    expect(await rowIn(store)).toMatchObject({ unfinished: 0 });
    expect(await erasure.keyOf(slot)).toBeUndefined();
  });

  it('count up a database that was restored and is behind its file', async () => {
    const { store, path, erasure } = await begin();
    const taken = [await erasure.take(), await erasure.take(), await erasure.take()];
    const before = await rowIn(store);
    await erasure.erase([taken[0]!.slot]);
    await copyFile(path, `${path}.copy`);
    await erasure.erase([taken[1]!.slot]);
    await store.db.updateTable('file_erasure').set(before).execute();
    expect(await erasure.keyOf(taken[1]!.slot)).toBeUndefined();
    expect(await erasure.keyOf(taken[2]!.slot)).toEqual(taken[2]!.key);
    expect(await rowIn(store)).toMatchObject({ generation: 2, unfinished: 0 });
    await copyFile(`${path}.copy`, path);
    await expect(erasure.keyOf(taken[2]!.slot)).rejects.toEqual(stale);
  });

  it('that were given up open nothing, and new ones begin after them', async () => {
    const { store, folder, erasure } = await begin();
    const { slot } = await erasure.take();
    const lost = await rowIn(store);
    await store.db.updateTable('file_erasure').set({ lost: 1 }).execute();
    const path = join(folder, 'new.keys');
    const next = openErasure({ path, store, random: systemRandom });
    await expect(next.keyOf(slot)).rejects.toMatchObject({ kind: 'gone', code: 'FILE_KEYS_LOST' });
    await next.erase([slot]);
    const fresh = await next.take();
    expect(fresh.slot).toBe(lost.next_slot);
    await next.erase([slot, fresh.slot]);
    expect(await next.keyOf(fresh.slot)).toBeUndefined();
    await expect(next.keyOf(slot)).rejects.toMatchObject({ code: 'FILE_KEYS_LOST' });
  });

  it('that were given up are not taken again when their file comes back', async () => {
    const { store, path, erasure } = await begin();
    await erasure.take();
    await store.db.updateTable('file_erasure').set({ lost: 1 }).execute();
    await expect(openErasure({ path, store, random: systemRandom }).take()).rejects.toEqual(missing);
  });

  it('that are no file which can be read are missing', async () => {
    const { path, store, erasure } = await begin();
    await erasure.take();
    await rm(path);
    await mkdir(path);
    const problem = { code: expect.stringMatching(/^ERASURE_KEYS_/) };
    await expect(openErasure({ path, store, random: systemRandom }).check()).rejects.toMatchObject(problem);
    await rm(path, { recursive: true });
    await expect(openErasure({ path, store, random: systemRandom }).check()).rejects.toEqual(missing);
  });

  it('take a file of the first version, which counts nothing', async () => {
    const { store, path, erasure } = await begin();
    const { slot, key } = await erasure.take();
    const { id, cover } = decodeKeyFile(await readFile(path))!;
    const bytes = concat(utf8('conclave erasure keys 1\n'), Buffer.from(id, 'hex'), encodeCover(cover));
    await writeFile(path, concat(bytes, sha256(bytes)));
    expect(await erasure.keyOf(slot)).toEqual(key);
    await erasure.erase([slot]);
    expect(await readErasureKeys(path)).toMatchObject({ id, generation: 1 });
    expect(await erasure.keyOf(slot)).toBeUndefined();
    expect(await rowIn(store)).toMatchObject({ generation: 1, unfinished: 0 });
  });
});
