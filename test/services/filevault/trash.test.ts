import { describe, expect, it } from 'vitest';
import { destructionHandler } from '../../../src/services/filevault/destruction/jobs.ts';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const DAY = 86_400_000;

async function signedIn(scene: Scene, days: number): Promise<{ token: string }> {
  scene.house.clock.advance(days * DAY);
  return { token: await scene.house.signIn(scene.owner) };
}

/** How often erasure keys were rotated. */
function countRotations({ house }: Scene): { readonly slots: number[][] } {
  const slots: number[][] = [];
  const erase = house.ctx.erasure.erase.bind(house.ctx.erasure);
  Object.assign(house.ctx.erasure, {
    erase: async (some: readonly number[]) => {
      slots.push([...some]);
      await erase(some);
    },
  });
  return { slots };
}

describe.each(engines)('the trash on %s', (engine) => {
  it('lists what may be restored, newest first, with the time at which it goes', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('folder');
    await scene.file('inside', { folder });
    const [one, two] = [await scene.file('first', { name: 'a.txt' }), await scene.file('second!', { name: 'b.txt' })];
    const now = scene.house.clock.now();
    for (const path of [`/files/${one}`, `/folders/${folder}`, `/files/${two}`]) {
      await scene.get('DELETE', path);
      scene.house.clock.advance(1_000);
    }
    const { items } = await scene.get('GET', '/trash');
    expect(items.map((item: { id: string; sizeBytes: number }) => [item.id, item.sizeBytes])).toEqual([
      [two, 7],
      [folder, 6],
      [one, 5],
    ]);
    expect(items[2]).toMatchObject({
      itemType: 'file',
      name: 'a.txt',
      vaultContainerId: scene.containerId,
      parentFolderId: scene.rootId,
      deletedAt: new Date(now).toISOString(),
      deletedBy: scene.owner.memberId,
      goesAt: new Date(now + 30 * DAY).toISOString(),
      mayDestroy: true,
    });
    const page = await scene.get('GET', '/trash?limit=2');
    expect(page.items).toHaveLength(2);
    const rest = await scene.get('GET', `/trash?limit=2&cursor=${page.cursor}`);
    expect(rest.items.map(({ id }: { id: string }) => id)).toEqual([one]);
    const member = await scene.house.register();
    const seen = async () => (await scene.get('GET', '/trash', undefined, { token: member.token })).items;
    expect(await seen()).toEqual([]);
    await scene.grant('folder', scene.rootId, { principalId: member.memberId, flags: ['read'] });
    expect(await seen()).toEqual([]);
    await scene.grant('folder', scene.rootId, { principalId: member.memberId, flags: ['delete'] });
    expect(await seen()).toHaveLength(3);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { trashDays: 0 });
    expect((await scene.get('GET', '/trash')).items[0].goesAt).toBeNull();
  });

  it('shows those who may delete what they may delete, and says whether they may destroy it', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await scene.file('first'), await scene.file('second')];
    const member = await scene.house.register();
    await scene.grant('file', one, { principalId: member.memberId, flags: ['read', 'delete'] });
    await scene.grant('file', two, { principalId: member.memberId, flags: ['read', 'delete', 'admin'] });
    for (const id of [one, two]) {
      await scene.get('DELETE', `/files/${id}`);
      scene.house.clock.advance(1);
    }
    const { items } = await scene.get('GET', '/trash', undefined, { token: member.token });
    expect(items.map((item: { id: string; mayDestroy: boolean }) => [item.id, item.mayDestroy])).toEqual([
      [two, true],
      [one, false],
    ]);
    const body = { vaultContainerId: scene.containerId, ids: [one, two] };
    const emptied = await scene.get('DELETE', '/trash', body, { token: member.token });
    expect(emptied).toEqual({ files: 1, folders: 0, bytes: 6, failed: [{ id: one, error: 'FORBIDDEN' }], more: false });
    expect(said(await scene.call('GET', `/files/${two}`))).toBe('410 FILE_DESTROYED');
    const stranger = await scene.house.register();
    expect(said(await scene.call('DELETE', '/trash', body, { token: stranger.token }))).toBe('404 CONTAINER_NOT_FOUND');
  });

  it('is emptied by hand: files are destroyed with one rotation of keys, folders go when nothing is in them', async () => {
    await using scene = await openScene(engine);
    const { db, blocks } = scene.house.ctx;
    const folder = await scene.folder('folder');
    const inner = await scene.folder('inner', folder);
    await scene.file(Buffer.alloc(50_000, 1), { folder: inner });
    await scene.file('two', { folder });
    const stays = await scene.file('stays');
    const alone = await scene.file('alone');
    await scene.get('DELETE', `/folders/${folder}`);
    await scene.get('DELETE', `/files/${alone}`);
    const rotations = countRotations(scene);
    const done = await scene.get('DELETE', '/trash', { vaultContainerId: scene.containerId });
    expect(done).toEqual({ files: 3, folders: 2, bytes: 50_008, failed: [], more: false });
    expect(rotations.slots.map((slots) => slots.length)).toEqual([3]);
    expect((await blocks.stat()).blocks).toBe(0);
    expect((await scene.get('GET', '/trash')).items).toEqual([]);
    expect(await scene.get('GET', `/vaults/${scene.containerId}`)).toMatchObject({ usedBytes: 5 });
    expect(await db.selectFrom('file_nodes').select('id').where('parent_id', 'is not', null).execute()).toEqual([
      { id: stays },
    ]);
    const rows = await db.selectFrom('file_audit').select('action').orderBy('ledger_entry', 'desc').execute();
    expect(rows[0]?.action).toBe('TRASH_EMPTIED');
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(said(await scene.call('DELETE', '/trash', { vaultContainerId: scene.containerId }))).toBe(
      '403 CONTAINER_LOCKED',
    );
  });

  it('leaves files that may not be destroyed, and their folder', async () => {
    await using scene = await openScene(engine);
    const member = await scene.house.register();
    const folder = await scene.folder('folder');
    await scene.grant('folder', folder, { principalId: member.memberId, level: 'owner' });
    const kept = await scene.file('kept', { folder });
    await scene.grant('file', kept, { principalId: member.memberId, level: 'editor' });
    const goes = await scene.file('goes', { folder });
    await scene.get('DELETE', `/folders/${folder}`);
    const body = { vaultContainerId: scene.containerId };
    const done = await scene.get('DELETE', '/trash', body, { token: member.token });
    expect(done).toMatchObject({ files: 1, folders: 0, failed: [{ id: folder, error: 'FORBIDDEN' }] });
    expect(said(await scene.call('GET', `/files/${goes}`))).toBe('410 FILE_DESTROYED');
    await scene.get('POST', `/folders/${folder}/restore`, {});
    expect((await scene.read(kept)).bytes.toString()).toBe('kept');
  });

  it('empties itself when the time has come, with keys erased and one rotation a batch', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const folder = await scene.folder('folder');
    const inner = await scene.folder('inner', folder);
    const files = [];
    for (let index = 0; index < 8; index += 1)
      files.push(await scene.file(`file ${index}`, { folder: index < 3 ? inner : folder }));
    const alone = await scene.file('alone');
    const later = await scene.file('later');
    await scene.get('DELETE', `/folders/${folder}`);
    await scene.get('DELETE', `/files/${alone}`);
    const slots = (await ctx.db.selectFrom('file_contents').select('slot').where('file_id', '!=', later).execute()).map(
      ({ slot }) => slot,
    );
    const soon = await signedIn(scene, 29);
    await scene.get('DELETE', `/files/${later}`, undefined, soon);
    await purgeFiles(ctx);
    expect((await scene.get('GET', '/trash', undefined, soon)).items).toHaveLength(3);
    const after = await signedIn(scene, 1);
    const rotations = countRotations(scene);
    await purgeFiles(ctx);
    expect(rotations.slots.map((some) => some.toSorted((a, b) => a - b))).toEqual([slots.toSorted((a, b) => a - b)]);
    for (const slot of slots) expect(await ctx.erasure.keyOf(slot)).toBeUndefined();
    for (const id of [...files, alone])
      expect(said(await scene.call('GET', `/files/${id}`, undefined, after))).toBe('410 FILE_DESTROYED');
    expect((await ctx.db.selectFrom('file_nodes').select('id').execute()).map(({ id }) => id).toSorted()).toEqual(
      [scene.rootId, later].toSorted(),
    );
    const { proof } = await scene.get('POST', `/destroy/${alone}`, {}, after);
    expect((await scene.get('POST', `/destroy/${alone}/verify`, { proof }, after)).valid).toBe(true);
    expect(await scene.get('GET', '/usage', undefined, after)).toMatchObject({ usedBytes: 5, filesBytes: 5 });
  });

  it('is empty by the clock: what is due cannot be restored, although nothing cleared it away', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('folder');
    const inside = await scene.file('inside', { folder });
    const id = await scene.file('x', { name: 'x.txt' });
    await scene.get('DELETE', `/files/${inside}`);
    await scene.get('DELETE', `/folders/${folder}`);
    await scene.get('DELETE', `/files/${id}`);
    scene.house.clock.advance(30 * DAY - 1);
    const before = { token: await scene.house.signIn(scene.owner) };
    expect((await scene.get('GET', '/trash', undefined, before)).items).toHaveLength(3);
    expect((await scene.get('GET', '/files/search?deleted=true', undefined, before)).total).toBe(2);
    scene.house.clock.advance(1);
    const at = { token: await scene.house.signIn(scene.owner) };
    expect((await scene.get('GET', '/trash', undefined, at)).items).toEqual([]);
    expect((await scene.get('GET', '/files/search?deleted=true', undefined, at)).total).toBe(0);
    expect(said(await scene.call('POST', `/files/${id}/restore`, {}, at))).toBe('404 FILE_NOT_FOUND');
    expect(said(await scene.call('POST', `/files/${inside}/restore`, {}, at))).toBe('404 FILE_NOT_FOUND');
    expect(said(await scene.call('POST', `/folders/${folder}/restore`, {}, at))).toBe('404 FOLDER_NOT_FOUND');
    // By hand it goes at once.
    const emptied = await scene.get('DELETE', '/trash', { vaultContainerId: scene.containerId }, at);
    expect(emptied).toMatchObject({ files: 2, failed: [] });
  });

  it('keeps what the owner of the container chose, what the quorum governs, and what is locked', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const [governed, locked, long] = await Promise.all(
      ['Governed', 'Locked', 'Long'].map(
        async (name) => await scene.get('POST', '/vaults', { name, quorumGoverned: name === 'Governed' }),
      ),
    );
    await scene.get('PATCH', `/vaults/${long.id}`, { trashDays: 60 });
    expect(await scene.get('GET', `/vaults/${long.id}`)).toMatchObject({ trashDays: 60 });
    const files: string[] = [];
    for (const { id, rootFolderId } of [governed, locked, long])
      files.push(await scene.file('x', { container: id, folder: rootFolderId }));
    const marked = await scene.folder('with a governed file');
    const below = await scene.file('governed', { folder: marked });
    await ctx.db.updateTable('file_nodes').set({ quorum_governed: 1 }).where('id', '=', below).execute();
    for (const id of files) await scene.get('DELETE', `/files/${id}`);
    await scene.get('DELETE', `/folders/${marked}`);
    await scene.get('POST', `/vaults/${locked.id}/lock`);
    const after = await signedIn(scene, 40);
    await purgeFiles(ctx);
    expect(await ctx.db.selectFrom('file_destructions').select('file_id').execute()).toEqual([]);
    const { items } = await scene.get('GET', '/trash', undefined, after);
    const goes = new Map(items.map(({ id, goesAt }: { id: string; goesAt: string | null }) => [id, goesAt !== null]));
    expect([marked, ...files].map((id) => goes.get(id))).toEqual([false, false, false, true]);
    for (const id of [files[0], files[2]]) await scene.get('POST', `/files/${id}/restore`, {}, after);
    await scene.get('POST', `/folders/${marked}/restore`, {}, after);
    await scene.get('POST', `/vaults/${locked.id}/unlock`, {}, after);
    expect(said(await scene.call('POST', `/files/${files[1]}/restore`, {}, after))).toBe('404 FILE_NOT_FOUND');
    await purgeFiles(ctx);
    expect(await ctx.db.selectFrom('file_destructions').select('file_id').execute()).toEqual([{ file_id: files[1] }]);
    const emptied = await scene.call('DELETE', '/trash', { vaultContainerId: governed.id }, after);
    expect(emptied.body).toMatchObject({ files: 0, failed: [] });
    await scene.get('DELETE', `/files/${files[0]}`, undefined, after);
    const refused = await scene.get('DELETE', '/trash', { vaultContainerId: governed.id }, after);
    expect(refused).toMatchObject({ files: 0, failed: [{ id: files[0], error: 'QUORUM_APPROVAL_REQUIRED' }] });
  });

  it('goes on where a process stopped', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const ids = [await scene.file('one'), await scene.file('two')];
    for (const id of ids) await scene.get('DELETE', `/files/${id}`);
    const slots = (await ctx.db.selectFrom('file_contents').select('slot').execute()).map(({ slot }) => slot);
    const after = await signedIn(scene, 31);
    const erase = ctx.erasure.erase.bind(ctx.erasure);
    Object.assign(ctx.erasure, { erase: async () => await Promise.reject(new Error('the process stops here')) });
    await expect(purgeFiles(ctx)).rejects.toThrow('the process stops here');
    Object.assign(ctx.erasure, { erase });
    const jobs = await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'file-destruction').execute();
    expect(jobs).toHaveLength(2);
    for (const { payload } of jobs) await destructionHandler(ctx)(JSON.parse(payload), {} as RunningJob);
    for (const slot of slots) expect(await ctx.erasure.keyOf(slot)).toBeUndefined();
    const { proof } = await scene.get('POST', `/destroy/${ids[0]}`, {}, after);
    expect((await scene.get('POST', `/destroy/${ids[0]}/verify`, { proof }, after)).valid).toBe(true);
  });
});
