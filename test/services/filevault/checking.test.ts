import { randomBytes } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { faultsOf, type Fault, type Level } from './faults.ts';
import { openScene, said, type Scene } from './scene.ts';
import { smallChunkFile } from './small-chunks.ts';

/** The operator's check of everything, part by part. */
async function checkAll(scene: Scene, level: Level = 'quick'): Promise<Fault[]> {
  const token = await scene.house.operatorToken();
  return await faultsOf(level, async (body) => {
    const answer = await scene.house.api('POST', '/api/admin/files/check', { token, trusted: true, body });
    expect(answer.status).toBe(200);
    return answer.body;
  });
}

async function collect(scene: Scene, dryRun: boolean) {
  const token = await scene.house.operatorToken();
  const all = { uploads: 0, orphans: 0, blocks: 0, bytes: 0 };
  for (let after: string | undefined; ;) {
    const { status, body } = await scene.house.api('POST', '/api/admin/files/gc', {
      token,
      trusted: true,
      body: { dryRun, ...(after !== undefined && { after }) },
    });
    expect(status).toBe(200);
    for (const name of ['uploads', 'orphans', 'blocks', 'bytes'] as const) all[name] += body[name];
    if (body.next === null) return all;
    after = body.next;
  }
}

describe.each(engines)('checking on %s', (engine) => {
  it('finds counts, versions and sizes that are not what the rows say', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const id = await scene.file('a file');
    await scene.file('another one', { replaces: id });
    await scene.begin(100);
    expect(await checkAll(scene)).toEqual([]);
    const container = db.updateTable('file_containers').where('id', '=', scene.containerId);
    await container.set((e) => ({ used: e('used', '+', 1) })).execute();
    expect((await checkAll(scene)).map(({ kind, detail }) => [kind, detail])).toEqual([
      ['count', 'counts 18 bytes of versions and 100 of uploads, and its rows have 17 and 100'],
    ]);
    await container.set((e) => ({ used: e('used', '-', 1), reserved: e('reserved', '-', 7) })).execute();
    expect((await checkAll(scene)).map(({ detail }) => detail)).toEqual([
      'counts 17 bytes of versions and 93 of uploads, and its rows have 17 and 100',
    ]);
    await container.set((e) => ({ reserved: e('reserved', '+', 7) })).execute();
    const [newest, oldest] = await scene.get('GET', `/files/${id}/versions`);
    const node = db.updateTable('file_nodes').where('id', '=', id);
    await node.set({ version_id: oldest.versionId }).execute();
    expect((await checkAll(scene)).map(({ kind, fileId }) => [kind, fileId])).toEqual([['version', id]]);
    await node.set({ version_id: newest.versionId, size: 12 }).execute();
    expect((await checkAll(scene)).map(({ kind }) => kind)).toEqual(['version']);
    await node.set({ size: 11 }).execute();
    await db.updateTable('file_versions').set({ size: 5 }).where('id', '=', oldest.versionId).execute();
    expect((await checkAll(scene)).map(({ kind }) => kind)).toEqual(['version']);
  });

  it('finds blocks without rows, contents without versions, and uploads that nobody cleared away; gc drops them and says how much', async () => {
    await using scene = await openScene(engine);
    const { db, blocks, config } = scene.house.ctx;
    const stays = await smallChunkFile(scene);
    const lost = await smallChunkFile(scene);
    const lostId = await scene.file(randomBytes(50_000));
    const { sessionId } = (await scene.begin(10)).body;
    // As an error elsewhere would leave it.
    await db.deleteFrom('file_versions').where('file_id', '=', lost.id).execute();
    await db.deleteFrom('file_nodes').where('id', '=', lost.id).execute();
    const row = await db
      .selectFrom('file_blocks as b')
      .innerJoin('file_contents as c', 'c.id', 'b.content_id')
      .select(['b.content_id', 'b.block_id'])
      .where('c.file_id', '=', lostId)
      .executeTakeFirstOrThrow();
    await db.updateTable('file_blocks').set({ block_id: null }).where('content_id', '=', row.content_id).execute();
    scene.house.clock.advance(26 * 3_600_000);
    const other = await blocks.put(Buffer.from('of a request that is running'));
    const age = async (id: string) => {
      const path = join(config.dataDir, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
      const seconds = scene.house.clock.now() / 1000 - 3 * 3600;
      await utimes(path, seconds, seconds);
    };
    for (const folder of await readdir(join(config.dataDir, 'blocks'), { recursive: true })) {
      const id = folder.split('/').at(-1)!;
      if (id.length === 128 && id !== other.id) await age(id);
    }
    const faults = await checkAll(scene);
    expect(faults.map(({ kind, detail }) => `${kind}: ${detail.slice(0, 16)}`).toSorted()).toEqual([
      'block: block 0 is missi',
      'count: counts 523216 by',
      'expired: an upload expire',
      `orphan: a content belong`,
      `orphan: block ${row.block_id!.slice(0, 10)}`,
    ]);
    const usedBefore = await blocks.stat();
    const dry = await collect(scene, true);
    expect(dry).toMatchObject({ uploads: 1, orphans: 1, blocks: 1 });
    expect(await blocks.stat()).toEqual(usedBefore);
    expect(await collect(scene, false)).toEqual(dry);
    expect(await collect(scene, true)).toEqual({ uploads: 0, orphans: 0, blocks: 0, bytes: 0 });
    expect(await blocks.head(row.block_id!)).toBeUndefined();
    expect(await blocks.head(other.id)).toBeDefined();
    expect(said(await scene.call('GET', `/upload/${sessionId}/status`))).toBe('404 UPLOAD_NOT_FOUND');
    expect((await scene.read(stays.id)).bytes.equals(stays.bytes)).toBe(true);
    const left = await db.selectFrom('file_contents').select('id').where('file_id', '=', lost.id).execute();
    expect(left).toEqual([]);
    expect(await db.selectFrom('file_erasures').selectAll().execute()).toEqual([]);
  });

  it('goes part by part, each with a bounded amount of bytes, and ends', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    for (let index = 0; index < 3; index += 1) await scene.file(randomBytes(40 * 1024 ** 2 + index));
    const parts = [];
    for (let after: string | undefined; ;) {
      const body = { level: 'full', ...(after !== undefined && { after }) };
      const part = await scene.get('POST', `/vaults/${scene.containerId}/check`, body);
      parts.push(part);
      expect(part.faults).toEqual([]);
      expect(part.bytes).toBeLessThan(64 * 1024 ** 2 + 9 * 1024 ** 2);
      if (part.next === null) break;
      after = part.next;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.reduce((sum, part) => sum + part.checked, 0)).toBe(3);
    expect(parts[0].total).toBe(3);
    expect(parts[0].totalBytes).toBe(3 * 40 * 1024 ** 2 + 3);
    for (const after of ['x', '0'.repeat(31), `${'0'.repeat(32)}.`, `${'0'.repeat(32)}.-1`])
      expect(said(await scene.call('POST', `/vaults/${scene.containerId}/check`, { after }))).toBe(
        '400 VALIDATION_ERROR',
      );
  });

  it('checks one file or folder alone, and is for the owner and the operator', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const folder = await scene.folder('folder');
    const inner = await scene.folder('inner', folder);
    const [one, other] = [await scene.file('one', { folder: inner }), await scene.file('other')];
    for (const id of [one, other])
      await db.updateTable('file_contents').set({ key_number: 9 }).where('file_id', '=', id).execute();
    const check = async (body: object) =>
      (await scene.get('POST', `/vaults/${scene.containerId}/check`, body)).faults.map((fault: Fault) => fault.fileId);
    expect(await check({ fileId: one })).toEqual([one]);
    expect(await check({ fileId: other })).toEqual([other]);
    expect(await check({ folderId: folder })).toEqual([one]);
    expect((await check({})).toSorted()).toEqual([one, other].toSorted());
    const stranger = await scene.house.register();
    const ask = async (token: string) =>
      said(await scene.call('POST', `/vaults/${scene.containerId}/check`, {}, { token }));
    expect(await ask(stranger.token)).toBe('404 CONTAINER_NOT_FOUND');
    await scene.grant('folder', scene.rootId, { principalId: stranger.memberId, level: 'owner' });
    expect(await ask(stranger.token)).toBe('403 FORBIDDEN');
    const second = await scene.get('POST', '/vaults', { name: 'Second' });
    expect(said(await scene.call('POST', `/vaults/${second.id}/check`, { fileId: one }))).toBe('404 FILE_NOT_FOUND');
    for (const path of ['/api/admin/files/check', '/api/admin/files/gc']) {
      const administrator = await scene.house.administrator();
      for (const token of [scene.owner.token, administrator.token])
        expect(said(await scene.house.api('POST', path, { token, body: {}, trusted: true }))).toBe('403 FORBIDDEN');
    }
  });
});
