import { describe, expect, it } from 'vitest';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import { poisonRow } from '../../support/poison-row.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openScene } from './scene.ts';

const DAY = 86_400_000;

describe.each(engines)('one item that always fails, on %s', (engine) => {
  it('of the trash, of uploads and of old versions: the others go, and the job says that it failed', async () => {
    await using scene = await openScene(engine);
    const { house, owner, containerId } = scene;
    const { db, store } = house.ctx;
    const folder = await scene.folder('folder');
    const inside = [await scene.file('a', { folder }), await scene.file('b', { folder })].toSorted();
    const others = [await scene.file('c'), await scene.file('d')];
    await scene.get('DELETE', `/folders/${folder}`);
    for (const id of others) await scene.get('DELETE', `/files/${id}`);
    const versioned = [await scene.file('e'), await scene.file('f')].toSorted();
    for (const replaces of versioned) await scene.file('newer', { replaces });
    for (const _ of [1, 2]) await scene.begin(5);
    const open = db.selectFrom('file_uploads').select('id').where('finalized_at', 'is', null).orderBy('id');
    const [upload] = await open.execute();
    const bad = [inside[0], versioned[0], upload?.id];
    await poisonRow(store, 'file_nodes', 'delete', `old.id = '${bad[0]}'`);
    await poisonRow(store, 'file_versions', 'delete', `old.file_id = '${bad[1]}'`);
    await poisonRow(store, 'file_uploads', 'delete', `old.id = '${bad[2]}'`);
    house.clock.advance(1_000 * DAY);
    const token = await house.signIn(owner);
    await scene.get('PATCH', `/vaults/${containerId}`, { versionPolicy: { number: 1 } }, { token });
    await expect(purgeFiles(house.ctx)).rejects.toThrow('poisoned by a test');
    const left = await db.selectFrom('file_nodes').select('id').where('deleted_at', 'is not', null).execute();
    const files = await db.selectFrom('file_nodes').select('id').where('kind', '=', 1).execute();
    expect(left).toEqual([{ id: folder }]);
    expect(files.map(({ id }) => id).toSorted()).toEqual([bad[0], ...versioned].toSorted());
    expect(await open.execute()).toEqual([{ id: bad[2] }]);
    const versions = await db.selectFrom('file_versions').select('file_id').where('file_id', 'in', versioned).execute();
    expect(versions.map(({ file_id: id }) => id).toSorted()).toEqual([bad[1], bad[1], versioned[1]].toSorted());
    const told = house.log.lines.filter((line) => line['level'] === 'error' && bad.includes(line['id']));
    expect(told.map(({ id }) => id).toSorted()).toEqual(bad.toSorted());
  });

  it('of those who get the key of a container: the others get it, and the job tries again', async () => {
    await using scene = await openScene(engine);
    const { house, containerId, rootId } = scene;
    const members = [await house.register(), await house.register(), await house.register()];
    for (const { memberId } of members) await scene.grant('folder', rootId, { principalId: memberId, level: 'viewer' });
    const [bad, ...others] = members.map(({ memberId }) => memberId).toSorted();
    await poisonRow(house.ctx.store, 'file_member_keys', 'insert', `new.member_id = '${bad}'`);
    await scene.file('content');
    await runDueJobs(scene, 'filevault');
    const rows = await house.ctx.db
      .selectFrom('file_member_keys')
      .select('member_id')
      .where('container_id', '=', containerId)
      .where('member_id', '!=', scene.owner.memberId)
      .execute();
    expect(rows.map((row) => row.member_id).toSorted()).toEqual(others);
    const jobs = await house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'file-member-keys').execute();
    expect(jobs).toMatchObject([{ attempts: 1 }]);
  });
});
