import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { said } from '../scene.ts';
import { fetchContent, visit } from '../sharing-scene.ts';
import { prepared, type Prepared } from './operations.ts';
import { openWorld, type OperationName, type World } from './world.ts';
import { inStage } from '../../../support/stage.ts';

/** The files of the first container. */
async function everyFile({ scene: { house, containerId } }: World): Promise<string[]> {
  const rows = await house.ctx.db
    .selectFrom('file_nodes')
    .select('id')
    .where('kind', '=', 1)
    .where('container_id', '=', containerId)
    .execute();
  return rows.map(({ id }) => id);
}

const roleOf = ({ access }: Prepared): string => (typeof access === 'string' ? access : 'flags');

const about = (rows: readonly Prepared[], ids: readonly string[]): Prepared[] =>
  rows.filter(({ given }) => ids.some((id) => JSON.stringify(given).includes(id)));

describe.each(engines)('check 5, a locked container on %s', (engine) => {
  it('refuses every change to owner, administrator and editor, and still shows and sends everything', async () => {
    await using world = await openWorld(engine);
    const { scene, sealed, owner } = world;
    const rows = await prepared(world);
    const [admin, editor] = [await scene.house.register(), await scene.house.register()];
    for (const root of [scene.rootId, sealed.rootId]) {
      await scene.grant('folder', root, { principalId: admin.memberId, level: 'owner' });
      await scene.grant('folder', root, { principalId: editor.memberId, level: 'editor' });
    }
    for (const id of [scene.containerId, sealed.id]) await scene.get('POST', `/vaults/${id}/lock`);
    const before = await world.rows();
    const ask = async (row: Prepared, token: string) => await world.send(row.name, row.given, token, row.body?.(world));
    const refused = async (row: Prepared, token: string): Promise<string[]> => {
      const answer = await ask(row, token);
      return answer.body.results?.map(({ error }: { error: string }) => `403 ${error}`) ?? [said(answer)];
    };
    const changing = rows.filter(({ changes }) => changes);
    expect(changing.length).toBeGreaterThan(20);
    for (const row of changing) {
      expect(await refused(row, owner.token), row.name).toEqual(['403 CONTAINER_LOCKED']);
      const others = { owner: '403 FORBIDDEN', maker: '404 UPLOAD_NOT_FOUND' }[roleOf(row)];
      expect(await refused(row, admin.token), row.name).toEqual([others ?? '403 CONTAINER_LOCKED']);
      const [asEditor] = await refused(row, editor.token);
      const possible = ['403 CONTAINER_LOCKED', '403 FORBIDDEN', '404 UPLOAD_NOT_FOUND'];
      // What is in the trash is unknown to whoever may not delete it.
      if (row.hidden) possible.push('404 FILE_NOT_FOUND', '404 FOLDER_NOT_FOUND');
      expect(possible, row.name).toContain(asEditor);
    }
    expect(await world.rows()).toEqual(before);

    const ends = new Set<OperationName>(['destroyContainer', 'unlockContainer', 'removeCanary']);
    for (const row of rows) {
      if (row.changes || row.access === 'operator' || ends.has(row.name)) continue;
      // Whoever asked for an approval does not give it, and the share is the friend's.
      if (['approve', 'reject', 'showShareKeys'].includes(row.name)) continue;
      const answer = await ask(row, owner.token);
      expect(answer.status, `${row.name} ${said(answer)}`).toBeLessThan(300);
    }
    const rest = rows.filter(({ name }) => ends.has(name)).toReversed();
    for (const row of rest) expect((await ask(row, owner.token)).status, row.name).toBeLessThan(300);
  });
});

describe.each(engines)('check 4, what is in the trash on %s', (engine) => {
  // What may be done to it there: restore it, and destroy it now, later, or not at that time.
  const inTrash = new Set<OperationName>([
    'restoreFile',
    'destroyFile',
    'destroyFiles',
    'scheduleDestruction',
    'cancelDestruction',
    'emptyTrash',
  ]);

  it.each(inStage(['with its folder'], ['with its folder'], ['by itself', 'with its folder']))(
    'is served by no operation, link or share: %s',
    async (how) => {
      await using world = await openWorld(engine);
      const { scene, owner, friend } = world;
      const rows = await prepared(world);
      const files = await everyFile(world);
      if (how === 'with its folder') await scene.get('DELETE', `/folders/${world.folder}`);
      else for (const id of files) await scene.call('DELETE', `/files/${id}`);
      const asked = about(rows, how === 'with its folder' ? [...files, world.folder] : files);
      expect(asked.length).toBeGreaterThan(20);
      for (const row of asked) {
        if (inTrash.has(row.name)) continue;
        for (const { token } of [owner, friend]) {
          const answer = await world.send(row.name, row.given, token, row.body?.(world));
          // An item that goes elsewhere is named in another field than its folder.
          expect(said(answer), row.name).toMatch(/^404 (?:FILE|FOLDER)_NOT_FOUND$/);
        }
      }
      for (const token of [world.link.token, 'A'.repeat(43)]) {
        expect(said(await visit(scene, token))).toBe('404 LINK_NOT_FOUND');
        expect((await fetchContent(scene, token)).status).toBe(404);
      }
      expect(said(await world.send('showShareKeys', { id: world.share }, friend.token))).toBe('404 SHARE_NOT_FOUND');
      expect(await scene.get('GET', '/share/shared-with-me', undefined, { token: friend.token })).toEqual([]);
      for (const { token } of [owner, friend]) {
        expect((await world.send('searchFiles', { query: 'secret' }, token)).body).toMatchObject({
          total: 0,
          results: [],
        });
        expect((await world.send('showRoot', { vaultContainerId: scene.containerId }, token)).body.files).toEqual([]);
      }
    },
  );
});

describe.each(engines)('check 6, what was destroyed on %s', (engine) => {
  it('is gone for every operation, link and share, with its blocks, keys and older versions: files', async () => {
    await using world = await openWorld(engine);
    const { scene, owner, friend } = world;
    const { ctx } = scene.house;
    const rows = await prepared(world);
    const files = await everyFile(world);
    const blocks = await ctx.db.selectFrom('file_blocks').selectAll().where('block_id', 'is not', null).execute();
    for (const id of files) await scene.get('POST', `/destroy/${id}`, {});
    const asked = about(rows, files).filter(({ items }) => items !== true);
    expect(asked.length).toBeGreaterThan(20);
    for (const row of asked)
      for (const { token } of [owner, friend]) {
        const answer = await world.send(row.name, row.given, token, row.body?.(world));
        // Whoever destroyed it gets the same answer again.
        const wanted = row.name === 'destroyFile' && token === owner.token ? '200 success' : '410 FILE_DESTROYED';
        expect(said(answer), row.name).toBe(wanted);
      }
    expect(said(await visit(scene, world.link.token))).toBe('410 FILE_DESTROYED');
    expect((await fetchContent(scene, world.link.token)).status).toBe(410);
    expect(said(await world.send('showShareKeys', { id: world.share }, friend.token))).toBe('404 SHARE_NOT_FOUND');
    for (const table of ['file_versions', 'file_share_keys', 'file_shares'] as const) {
      const left = await ctx.db.selectFrom(table).select('file_id').where('file_id', 'in', files).execute();
      expect(left, table).toEqual([]);
    }
    const contents = await ctx.db.selectFrom('file_contents').select('id').where('file_id', 'in', files).execute();
    expect(contents).toEqual([]);
    const kept = new Set(
      (await ctx.db.selectFrom('file_blocks').select('block_id').execute()).map((row) => row.block_id),
    );
    for (const { block_id: id } of blocks) if (!kept.has(id)) expect(await ctx.blocks.head(id!)).toBeUndefined();
  });

  it('is gone for every operation: containers, which only their owner remembers', { tags: 'soak' }, async () => {
    await using world = await openWorld(engine);
    const { scene, owner, friend } = world;
    const rows = await prepared(world);
    for (const id of [scene.containerId, world.sealed.id]) await scene.get('POST', `/vaults/${id}/destroy`, {});
    // What was done stays known to whoever did it, and links say to everybody that the file is gone.
    const remembered = new Set<OperationName>([
      'destroyFile',
      'destroyFiles',
      'showDestruction',
      'verifyDestruction',
      'listAudit',
      'exportAudit',
      'revokeLink',
      'showApproval',
      'approve',
      'reject',
      'cancelApproval',
      'readWatermark',
    ]);
    for (const row of rows) {
      if (['member', 'operator', 'token'].includes(roleOf(row))) continue;
      const hers = await world.send(row.name, row.given, friend.token, row.body?.(world));
      if (row.name !== 'destroyFiles') expect(hers.status, row.name).toBe(404);
      if (row.access === 'maker' || remembered.has(row.name)) continue;
      const answer = await world.send(row.name, row.given, owner.token, row.body?.(world));
      const wanted = row.name === 'revokeShare' ? '404 SHARE_NOT_FOUND' : /^410 (?:FILE|CONTAINER)_DESTROYED$/;
      expect(said(answer), row.name).toMatch(wanted);
    }
    for (const name of ['showUpload', 'putUploadKey', 'destroyQuarantined', 'showShareKeys'] as const) {
      const { given } = rows.find((row) => row.name === name)!;
      expect((await world.send(name, given, owner.token)).status, name).toBe(404);
    }
    expect(said(await visit(scene, world.link.token))).toBe('410 FILE_DESTROYED');
    const { db } = scene.house.ctx;
    for (const table of ['file_contents', 'file_blocks', 'file_versions', 'file_uploads', 'file_quarantine'] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  });
});

describe.each(engines)('check 2, versions on %s', (engine) => {
  it('are found through their own file alone, on every operation that takes one', async () => {
    await using world = await openWorld(engine);
    const { scene, owner } = world;
    const rows = await prepared(world);
    const other = await world.newVersions();
    const taking = rows.filter(({ given }) => 'versionId' in given);
    expect(taking.map(({ name }) => name)).toEqual(['restoreVersion', 'downloadVersion', 'removeVersion']);
    const before = await world.rows();
    for (const { name, given } of taking)
      for (const versionId of [other.versionId, '0'.repeat(32), world.file])
        expect(said(await world.send(name, { ...given, versionId }, owner.token)), name).toBe('404 VERSION_NOT_FOUND');
    const [sealed] = await scene.get('GET', `/files/${world.sealed.file}/versions`);
    for (const name of ['showFileKeys', 'downloadSealed'] as const) {
      const answer = await world.send(name, { id: world.sealed.file, versionId: other.versionId }, owner.token);
      expect(said(answer), name).toBe('404 VERSION_NOT_FOUND');
      const own = { id: world.sealed.file, versionId: sealed.versionId };
      expect((await world.send(name, own, owner.token)).status, name).toBe(200);
    }
    const { file_accesses: _, file_audit: __, file_nodes: ___, ...left } = await world.rows();
    expect(before).toMatchObject(left);
  });
});
