import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { downloadFile } from '../../../src/services/filevault/files/downloads.ts';
import { openBackup } from '../../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../../src/platform/store/backup/write-backup.ts';
import { openBlocks } from '../../../src/platform/store/blocks/blocks.ts';
import { erasureKeysPath, openErasure } from '../../../src/platform/store/erasure.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import type { Actor } from '../../../src/service/actor.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';
import { openScene } from './scene.ts';

const pairs = bothEngines.flatMap((from) => bothEngines.map((to) => [from, to] as const));

async function contentOf(ctx: Context, actor: Actor, id: string): Promise<string> {
  const { content } = await downloadFile(ctx, actor, { id });
  if (typeof content === 'string' || !('read' in content)) throw new Error('the content has no ranges');
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read({ start: 0, end: content.size })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.each(pairs)('a backup of %s from before a destruction, restored to %s', (from, to) => {
  it('brings back every file but the destroyed ones, large and small, old versions and a container', async () => {
    await using scene = await openScene(from);
    await using folder = await temporaryFolder();
    const { ctx } = scene.house;
    const large = 'large '.repeat(100_000);
    const [small, block, stays] = [
      await scene.file('small'),
      await scene.file(large),
      await scene.file(`${large}stays`),
    ];
    await scene.file('second', { replaces: small });
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    const inside = await scene.file('inside', { container: other.id, folder: other.rootFolderId });
    const wraps = await ctx.db.selectFrom('file_contents').select(['file_id', 'wrapped_key']).execute();
    const file = join(folder.path, 'before.backup');
    const source = { database: ctx.store, blocks: ctx.blocks };
    await writeBackup(source, { file, identity: ctx.keys.identity, version: '1.0.0', now: ctx.clock.now() });
    await scene.get('POST', `/destroy/${small}`, {});
    await scene.get('POST', '/destroy/batch', { fileIds: [block] });
    await scene.get('POST', `/vaults/${other.id}/destroy`, {});

    await using created = to === 'postgres' ? await createPostgresDatabase({ migrated: false }) : undefined;
    const place = { dataDir: join(folder.path), url: created?.url };
    await using backup = await openBackup(file);
    await restoreBackup(backup, { ...place, force: false });
    await using store = await openDatabase(place);
    const erasure = openErasure({ path: erasureKeysPath(ctx.config), store, random: ctx.random });
    const restored: Context = { ...ctx, store, db: store.db, blocks: openBlocks(place.dataDir), erasure };
    const actor = { memberId: scene.owner.memberId, type: 'User', address: '192.0.2.1', userAgent: '' } as Actor;
    // All of it is there as it was, and what it is sealed under is not.
    const rows = await store.db.selectFrom('file_contents').select(['file_id', 'wrapped_key']).execute();
    expect(rows.length).toBe(wraps.length);
    expect(await contentOf(restored, actor, stays)).toBe(`${large}stays`);
    for (const id of [small, block, inside])
      await expect(contentOf(restored, actor, id)).rejects.toMatchObject({ code: 'FILE_DESTROYED' });
    const keys = await readFile(erasureKeysPath(ctx.config));
    expect((await readFile(file)).includes(keys.subarray(-32))).toBe(false);
  });
});

describe.each(bothEngines.filter((engine) => engine === 'sqljs'))('the file of the store on %s', (engine) => {
  it('has nothing of the wrapped keys after a destruction, nor has its log', async () => {
    await using scene = await openScene(engine);
    const { store, db } = scene.house.ctx;
    const files = [await scene.file('one'), await scene.file('two'), await scene.file('three')];
    const rows = await db.selectFrom('file_contents').select(['file_id', 'wrapped_key']).execute();
    const found = async () =>
      await store.snapshot(async (snapshot) => {
        if (snapshot.kind !== 'file') throw new Error('this engine has a file');
        const bytes = await readFile(snapshot.file);
        const log = await readFile(`${snapshot.file}-wal`);
        const keys = rows.map(({ wrapped_key: key }) => Buffer.from(key));
        return keys.filter((key) => bytes.includes(key) || log.includes(key)).length;
      });
    expect(await found()).toBe(3);
    for (const [at, id] of files.entries()) {
      await scene.get('POST', `/destroy/${id}`, {});
      expect(await found()).toBe(2 - at);
    }
  });
});
