import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import { destroyFile } from '../../../src/services/filevault/destruction/destroy.ts';
import { destructionHandler, scheduledHandler } from '../../../src/services/filevault/destruction/jobs.ts';
import { erasureKeysPath, openErasure } from '../../../src/platform/store/erasure.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const running = {} as RunningJob;

/** Everything that the database has of files, as a backup would. */
async function copyOf({ house }: Scene) {
  const { db } = house.ctx;
  return {
    contents: await db.selectFrom('file_contents').selectAll().execute(),
    blocks: await db.selectFrom('file_blocks').selectAll().execute(),
    versions: await db.selectFrom('file_versions').selectAll().execute(),
    nodes: await db.selectFrom('file_nodes').selectAll().where('kind', '=', 1).execute(),
  };
}

async function putBack({ house }: Scene, copy: Awaited<ReturnType<typeof copyOf>>): Promise<void> {
  const { db } = house.ctx;
  for (const node of copy.nodes)
    await db
      .insertInto('file_nodes')
      .values(node)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const row of copy.contents)
    await db
      .insertInto('file_contents')
      .values(row)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const row of copy.blocks)
    await db
      .insertInto('file_blocks')
      .values(row)
      .onConflict((c) => c.doNothing())
      .execute();
  for (const row of copy.versions)
    await db
      .insertInto('file_versions')
      .values(row)
      .onConflict((c) => c.doNothing())
      .execute();
}

describe.each(engines)('destruction on %s', (engine) => {
  it('is done when the blocks are gone, and goes on where a process could not delete them', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file(Buffer.alloc(100_000, 1));
    const failing = { ...ctx.blocks, delete: async () => await Promise.reject(new Error('the disk is gone')) };
    const actor = { memberId: scene.owner.memberId, type: 'User', address: 'local' } as Actor;
    await expect(destroyFile({ ...ctx, blocks: failing }, actor, { fileId: id })).rejects.toThrow('the disk is gone');
    const row = () => ctx.db.selectFrom('file_destructions').select('destroyed_at').executeTakeFirstOrThrow();
    expect(await row()).toEqual({ destroyed_at: null });
    expect((await ctx.blocks.stat()).blocks).toBe(1);
    const { proof } = await scene.get('POST', `/destroy/${id}`, {});
    expect((await ctx.blocks.stat()).blocks).toBe(0);
    const { checks } = await scene.get('POST', `/destroy/${id}/verify`, { proof });
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  });

  it('leaves nothing of the file, and a proof that is verified', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file(Buffer.alloc(100_000, 1), { name: 'secret.txt' });
    await scene.file('again', { name: 'secret.txt', replaces: id });
    const { sessionId } = (await scene.begin(10, { replaces: id })).body;
    const other = await scene.file('stays');
    expect((await ctx.blocks.stat()).blocks).toBe(1);
    const done = await scene.get('POST', `/destroy/${id}`, {});
    expect(done).toEqual({
      fileId: id,
      destroyed: true,
      proof: {
        merkleRoot: expect.stringMatching(/^[0-9a-f]{64}$/),
        ledgerEntryHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      certificate: expect.objectContaining({ fileId: id, leaves: expect.any(Array) }),
    });
    expect((await ctx.blocks.stat()).blocks).toBe(0);
    expect(await ctx.db.selectFrom('file_contents').select('file_id').execute()).toEqual([{ file_id: other }]);
    expect(await scene.get('GET', `/vaults/${scene.containerId}`)).toMatchObject({ usedBytes: 5 });
    expect(await ctx.db.selectFrom('member_storage').select('bytes').execute()).toEqual([{ bytes: 5 }]);
    expect(said(await scene.chunk(sessionId, 0, Buffer.alloc(10)))).toBe('404 UPLOAD_NOT_FOUND');
    for (const [method, path, body] of [
      ['GET', `/files/${id}`],
      ['GET', `/files/${id}/metadata`],
      ['GET', `/files/${id}/preview`],
      ['GET', `/files/${id}/versions`],
      ['PATCH', `/files/${id}`, { description: 'x' }],
      ['POST', `/files/${id}/restore`, {}],
      ['DELETE', `/files/${id}`],
      ['GET', `/acl/file/${id}`],
    ] as const)
      expect(said(await scene.call(method, path, body)), path).toBe('410 FILE_DESTROYED');
    expect((await scene.get('GET', '/files/search?deleted=true')).total).toBe(1);
    const stranger = await scene.house.register();
    expect(said(await scene.call('GET', `/files/${id}`, undefined, { token: stranger.token }))).toBe(
      '404 FILE_NOT_FOUND',
    );
    expect((await scene.get('POST', `/destroy/${id}`, {})).proof).toEqual(done.proof);
    const checked = await scene.get('POST', `/destroy/${id}/verify`, { proof: done.proof });
    expect(checked.valid).toBe(true);
    expect(checked.checks.map((one: { name: string; ok: boolean }) => [one.name, one.ok])).toEqual([
      ['inventory', true],
      ['ledger', true],
      ['keys', true],
      ['content', true],
    ]);
    expect(checked.limits).toHaveLength(4);
    for (const name of ['merkleRoot', 'ledgerEntryHash'] as const) {
      const flipped = (done.proof[name] as string).replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      const answer = await scene.get('POST', `/destroy/${id}/verify`, { proof: { ...done.proof, [name]: flipped } });
      expect(answer.valid, name).toBe(false);
    }
  });

  it('keeps a backup from bringing the file back, and every other file readable from it', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('destroyed');
    const other = await scene.file('stays');
    const copy = await copyOf(scene);
    await scene.get('POST', `/destroy/${id}`, {});
    await scene.get('DELETE', `/files/${other}`);
    await scene.house.ctx.db.deleteFrom('file_destructions').execute();
    await putBack(scene, copy);
    await scene.get('POST', `/files/${other}/restore`, {});
    expect((await scene.read(other)).bytes.toString()).toBe('stays');
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('410 FILE_DESTROYED');
  });

  it('opens nothing without the file of erasure keys, and says which file is missing', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const { ctx } = scene.house;
    const path = erasureKeysPath(ctx.config);
    const elsewhere = openErasure({
      path: join(ctx.config.dataDir, 'other.keys'),
      store: ctx.store,
      random: ctx.random,
    });
    await expect(elsewhere.keyOf(0)).rejects.toMatchObject({ code: 'ERASURE_KEYS_MISSING' });
    await copyFile(path, join(ctx.config.dataDir, 'other.keys'));
    expect(await elsewhere.keyOf(0)).toEqual(await ctx.erasure.keyOf(0));
    expect((await scene.read(id)).status).toBe(200);
    expect(await readFile(path, 'latin1')).not.toContain('some bytes');
  });

  it('needs both permissions, and the decision of the quorum where it governs', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('x');
    const member = await scene.house.register();
    const ask = async (flags: readonly string[]) => {
      await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [{ principalId: member.memberId, flags }] });
      const answer = await scene.call('POST', `/destroy/${id}`, {}, { token: member.token });
      return [said(answer), answer.body.message];
    };
    const missing = (flag: string) => [
      '403 FORBIDDEN',
      `This needs the permission ${flag}. Ask the owner of the container.`,
    ];
    expect(await ask(['read', 'admin'])).toEqual(missing('delete'));
    expect(await ask(['read', 'delete'])).toEqual(missing('admin'));
    const governed = await scene.get('POST', '/vaults', { name: 'Governed', quorumGoverned: true });
    const kept = await scene.file('x', { container: governed.id, folder: governed.rootFolderId });
    const answer = await scene.call('POST', `/destroy/${kept}`, {});
    expect([said(answer), answer.body.message]).toEqual([
      '403 QUORUM_APPROVAL_REQUIRED',
      `The quorum decides on this. Make a proposal VAULT_FILE_DESTROY with the target ${kept}.`,
    ]);
    expect(said(await scene.call('POST', `/vaults/${governed.id}/destroy`, {}))).toBe('403 QUORUM_APPROVAL_REQUIRED');
    expect((await scene.read(kept)).status).toBe(200);
    const batch = await scene.get('POST', '/destroy/batch', { fileIds: [kept, 'f'.repeat(32), id, id] });
    expect(batch.results.map((one: { destroyed: boolean; error?: string }) => one.error ?? one.destroyed)).toEqual([
      'QUORUM_APPROVAL_REQUIRED',
      'FILE_NOT_FOUND',
      true,
    ]);
    expect(said(await scene.call('POST', '/destroy/batch', { fileIds: [] }))).toBe('400 VALIDATION_ERROR');
  });

  it('goes on where a process stopped', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file('x');
    let broken = true;
    const erase = ctx.erasure.erase.bind(ctx.erasure);
    Object.assign(ctx.erasure, {
      erase: async (slots: readonly number[]) => {
        if (broken) throw new Error('the process stops here');
        await erase(slots);
      },
    });
    expect((await scene.call('POST', `/destroy/${id}`, {})).status).toBe(500);
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('410 FILE_DESTROYED');
    const [job] = await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'file-destruction').execute();
    broken = false;
    await destructionHandler(ctx)(JSON.parse(job!.payload), running);
    const { proof } = await scene.get('POST', `/destroy/${id}`, {});
    expect((await scene.get('POST', `/destroy/${id}/verify`, { proof })).valid).toBe(true);
    expect(await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'file-destruction').execute()).toEqual([]);
  });

  it('happens at its time, if whoever scheduled it still may', async () => {
    await using scene = await openScene(engine);
    const { ctx, clock } = scene.house;
    const admin = await scene.house.register();
    const grant = async (level: string) =>
      await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [{ principalId: admin.memberId, level }] });
    await grant('owner');
    const [id, other] = [await scene.file('x'), await scene.file('y')];
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const schedule = async (fileId: string, scheduledAt: string, token = scene.owner.token) =>
      await scene.call('POST', `/destroy/${fileId}/schedule`, { scheduledAt }, { token });
    expect(said(await schedule(id, at(0)))).toBe('400 VALIDATION_ERROR');
    expect((await schedule(id, at(1_000))).body).toEqual({ scheduled: true, scheduledAt: at(1_000) });
    expect((await schedule(other, at(1_000), admin.token)).status).toBe(201);
    expect((await scene.get('GET', `/files/${id}/metadata`)).scheduledDestructionAt).toBe(at(1_000));
    const jobs = async () =>
      await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'file-destruction-due').orderBy('id').execute();
    const due = await jobs();
    expect(due).toHaveLength(2);
    const run = async () => {
      for (const { payload } of due) await scheduledHandler(ctx)(JSON.parse(payload), running);
    };
    await run();
    expect((await scene.read(id)).status).toBe(200);
    await grant('viewer');
    clock.advance(1_000);
    await run();
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('410 FILE_DESTROYED');
    expect((await scene.read(other)).status).toBe(200);
    expect((await scene.get('DELETE', `/destroy/${other}/schedule`)).cancelled).toBe(true);
    expect(said(await scene.call('DELETE', `/destroy/${other}/schedule`))).toBe('409 DESTRUCTION_NOT_SCHEDULED');
  });

  it('takes a container with all its files, each with its proof', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('folder');
    const files = [await scene.file('one'), await scene.file('two', { folder })];
    await scene.begin(10);
    const stranger = await scene.house.register();
    expect(said(await scene.call('POST', `/vaults/${scene.containerId}/destroy`, {}, { token: stranger.token }))).toBe(
      '404 CONTAINER_NOT_FOUND',
    );
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(await scene.get('POST', `/vaults/${scene.containerId}/destroy`, {})).toEqual({ succeeded: 2, failed: 0 });
    for (const path of [
      `/vaults/${scene.containerId}`,
      `/folders/${folder}`,
      `/folders/root?vaultContainerId=${scene.containerId}`,
    ])
      expect((await scene.call('GET', path)).status, path).toBe(410);
    expect(await scene.get('GET', '/vaults')).toEqual([]);
    const { proof } = await scene.get('POST', `/destroy/${files[0]}`, {});
    expect((await scene.get('POST', `/destroy/${files[0]}/verify`, { proof })).valid).toBe(true);
    const { db } = scene.house.ctx;
    expect(await db.selectFrom('member_storage').select('bytes').execute()).toEqual([{ bytes: 0 }]);
    expect(await db.selectFrom('file_container_keys').selectAll().execute()).toEqual([]);
    expect((await scene.call('POST', '/vaults', { name: 'Home' })).status).toBe(201);
  });
});
