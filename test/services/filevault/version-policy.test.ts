import { describe, expect, it } from 'vitest';
import { erasureHandler } from '../../../src/services/filevault/destruction/erasures.ts';
import { pruningHandler } from '../../../src/services/filevault/keeping/pruning.ts';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const DAY = 86_400_000;
const running = {} as RunningJob;

/** As a server would. */
async function runJobs({ house: { ctx } }: Scene, kind: string): Promise<number> {
  const jobs = await ctx.db.selectFrom('jobs').selectAll().where('kind', '=', kind).execute();
  const handler = kind === 'file-pruning' ? pruningHandler(ctx) : erasureHandler(ctx);
  for (const { payload } of jobs) await handler(JSON.parse(payload), running);
  return jobs.length;
}

async function numbers(scene: Scene, id: string, token = scene.owner.token): Promise<number[]> {
  const versions = await scene.get('GET', `/files/${id}/versions`, undefined, { token });
  return versions.map(({ versionNumber }: { versionNumber: number }) => versionNumber);
}

async function used({ house: { ctx }, containerId }: Scene) {
  const container = await ctx.db
    .selectFrom('file_containers')
    .select(['used', 'reserved'])
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const { bytes } = await ctx.db.selectFrom('member_storage').select('bytes').executeTakeFirstOrThrow();
  return [container.used, container.reserved, bytes];
}

/** In the order of versions. */
async function slotsOf({ house: { ctx } }: Scene): Promise<number[]> {
  const rows = await ctx.db
    .selectFrom('file_contents as c')
    .innerJoin('file_versions as v', 'v.content_id', 'c.id')
    .select(['c.slot', 'v.number'])
    .orderBy('v.number')
    .execute();
  return [...new Set(rows.map(({ slot }) => slot))];
}

describe.each(engines)('the policy for versions on %s', (engine) => {
  it('keeps all by default, and so many as the owner chose, with keys erased and bytes given back', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file('1');
    for (const content of ['22', '333', '4444']) await scene.file(content, { replaces: id });
    expect(await runJobs(scene, 'file-pruning')).toBe(0);
    await purgeFiles(ctx);
    expect(await numbers(scene, id)).toEqual([4, 3, 2, 1]);
    const slots = await slotsOf(scene);
    const changed = await scene.get('PATCH', `/vaults/${scene.containerId}`, { versionPolicy: { number: 3 } });
    expect(changed.versionPolicy).toEqual({ number: 3, days: 0 });
    await scene.file('55555', { replaces: id });
    expect(await runJobs(scene, 'file-pruning')).toBe(1);
    expect(await numbers(scene, id)).toEqual([5, 4, 3]);
    expect(await used(scene)).toEqual([12, 0, 12]);
    for (const slot of slots.slice(0, 2)) expect(await ctx.erasure.keyOf(slot)).toBeUndefined();
    for (const slot of await slotsOf(scene)) expect(await ctx.erasure.keyOf(slot)).toBeDefined();
    // The first version is gone, and what records it is still known.
    const { vaultCreationLedgerEntryHash: hash } = await scene.get('GET', `/files/${id}/metadata`);
    const other = await scene.file('other');
    expect(hash).not.toBe((await scene.get('GET', `/files/${other}/metadata`)).vaultCreationLedgerEntryHash);
    const origin = await ctx.db.selectFrom('file_origins').selectAll().executeTakeFirstOrThrow();
    const first = await ctx.db
      .selectFrom('file_audit')
      .select('ledger_entry')
      .where('action', '=', 'FILE_CREATED')
      .where('node_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(origin).toEqual({ file_id: id, ledger_entry: first.ledger_entry });
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { versionPolicy: null });
    await scene.file('666666', { replaces: id });
    await purgeFiles(ctx);
    expect(await numbers(scene, id)).toEqual([6, 5, 4, 3]);
  });

  it('lets a version go so many days after it was replaced, and never the current one', async () => {
    await using scene = await openScene(engine, {});
    const { ctx, clock } = scene.house;
    const id = await scene.file('first');
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { versionPolicy: { days: 10 } });
    clock.advance(20 * DAY);
    const token = await scene.house.signIn(scene.owner);
    await purgeFiles(ctx);
    expect(await numbers(scene, id, token)).toEqual([1]);
    await scene.file('second', { replaces: id, token });
    clock.advance(10 * DAY - 1);
    await purgeFiles(ctx);
    const later = await scene.house.signIn(scene.owner);
    expect(await numbers(scene, id, later)).toEqual([2, 1]);
    clock.advance(1);
    await purgeFiles(ctx);
    expect(await numbers(scene, id, later)).toEqual([2]);
    expect((await scene.read(id, { token: later })).bytes.toString()).toBe('second');
  });

  it('keeps a content that a later version shares, until the last of them goes', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file('shared');
    const [{ versionId: first }] = await scene.get('GET', `/files/${id}/versions`);
    await scene.file('another', { replaces: id });
    await scene.get('POST', `/files/${id}/versions/${first}/restore`, {});
    const [slot] = await slotsOf(scene);
    expect(await used(scene)).toEqual([13, 0, 13]);
    expect(said(await scene.call('DELETE', `/files/${id}/versions/${first}`))).toBe('204 success');
    expect(await used(scene)).toEqual([13, 0, 13]);
    expect(await ctx.erasure.keyOf(slot!)).toBeDefined();
    expect((await scene.read(id)).bytes.toString()).toBe('shared');
    await scene.file('the newest', { replaces: id });
    const [, third] = await scene.get('GET', `/files/${id}/versions`);
    await scene.get('DELETE', `/files/${id}/versions/${third.versionId}`);
    expect(await used(scene)).toEqual([17, 0, 17]);
    expect(await ctx.erasure.keyOf(slot!)).toBeUndefined();
    expect(await numbers(scene, id)).toEqual([4, 2]);
  });

  it('destroys a version by hand for those who manage versions, and leaves the current and governed ones', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('first');
    await scene.file('second', { replaces: id });
    const [current, first] = await scene.get('GET', `/files/${id}/versions`);
    const member = await scene.house.register();
    const remove = async (versionId: string, token = scene.owner.token) =>
      said(await scene.call('DELETE', `/files/${id}/versions/${versionId}`, undefined, { token }));
    expect(await remove(first.versionId, member.token)).toBe('404 FILE_NOT_FOUND');
    await scene.grant('file', id, { principalId: member.memberId, flags: ['read', 'write', 'delete'] });
    expect(await remove(first.versionId, member.token)).toBe('403 FORBIDDEN');
    expect(await remove(current.versionId)).toBe('409 VERSION_CURRENT');
    expect(await remove('0'.repeat(32))).toBe('404 VERSION_NOT_FOUND');
    const { db } = scene.house.ctx;
    await db.updateTable('file_nodes').set({ quorum_governed: 1 }).where('id', '=', id).execute();
    expect(await remove(first.versionId)).toBe('403 QUORUM_APPROVAL_REQUIRED');
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { versionPolicy: { number: 1 } });
    await purgeFiles(scene.house.ctx);
    expect(await numbers(scene, id)).toEqual([2, 1]);
    await db.updateTable('file_nodes').set({ quorum_governed: 0 }).where('id', '=', id).execute();
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    expect(await remove(first.versionId)).toBe('403 CONTAINER_LOCKED');
    await purgeFiles(scene.house.ctx);
    expect(await numbers(scene, id)).toEqual([2, 1]);
    await scene.get('POST', `/vaults/${scene.containerId}/unlock`);
    await purgeFiles(scene.house.ctx);
    expect(await numbers(scene, id)).toEqual([2]);
  });

  it('erases the keys of pruned versions where a process stopped', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.file('first');
    await scene.file('second', { replaces: id });
    const [slot] = await slotsOf(scene);
    const [, first] = await scene.get('GET', `/files/${id}/versions`);
    const erase = ctx.erasure.erase.bind(ctx.erasure);
    Object.assign(ctx.erasure, { erase: async () => await Promise.reject(new Error('the process stops here')) });
    expect((await scene.call('DELETE', `/files/${id}/versions/${first.versionId}`)).status).toBe(500);
    expect(await numbers(scene, id)).toEqual([2]);
    expect(await ctx.erasure.keyOf(slot!)).toBeDefined();
    Object.assign(ctx.erasure, { erase });
    expect(await runJobs(scene, 'file-erasure')).toBe(1);
    expect(await ctx.erasure.keyOf(slot!)).toBeUndefined();
    expect(await runJobs(scene, 'file-erasure')).toBe(0);
  });
});
