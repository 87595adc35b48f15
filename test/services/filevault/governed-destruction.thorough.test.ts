import { describe, expect, it } from 'vitest';
import { scheduledHandler } from '../../../src/services/filevault/destruction/jobs.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { engines } from '../../support/stores.ts';
import { decided, proposed, voting } from '../quorum/governing.ts';
import { quorumOf } from '../quorum/scene.ts';
import { certificateOf, verdict } from './proving.ts';
import { openScene, said, type Scene } from './scene.ts';

const REQUIRED = '403 QUORUM_APPROVAL_REQUIRED';

async function governed(scene: Scene) {
  const container = await scene.get('POST', '/vaults', { name: 'Governed', quorumGoverned: true });
  const file = async (content: string) =>
    await scene.file(content, { container: container.id, folder: container.rootFolderId });
  return { id: container.id as string, file };
}

describe.each(engines)('the destruction of what a quorum governs on %s', (engine) => {
  it('is allowed once by each executed proposal, for the file that it names', async () => {
    await using scene = await openScene(engine);
    const quorum = await quorumOf(scene.house, await scene.house.administrator(), 2);
    const { file } = await governed(scene);
    const [one, two, three] = [await file('one'), await file('two'), await file('three')];
    const destroy = async (id: string) => said(await scene.call('POST', `/destroy/${id}`, {}));
    expect(await destroy(one)).toBe(REQUIRED);
    const pending = await proposed(quorum, quorum.people[0]!, 'VAULT_FILE_DESTROY', { targetId: one });
    await voting(quorum, quorum.people[0]!, pending.id);
    expect(await destroy(one)).toBe(REQUIRED);
    expect((await voting(quorum, quorum.people[1]!, pending.id)).body.proposal.status).toBe('executed');
    expect(await destroy(two)).toBe(REQUIRED);
    // Who may not destroy the file uses no decision up.
    const member = await scene.house.register();
    await scene.grant('file', one, { principalId: member.memberId, level: 'editor' });
    expect(said(await scene.call('POST', `/destroy/${one}`, {}, { token: member.token }))).toBe('403 FORBIDDEN');
    const answers = await Promise.all([destroy(one), destroy(one), destroy(one)]);
    expect(answers).toEqual(['200 success', '200 success', '200 success']);
    expect(await verdict(await certificateOf(scene, one))).toEqual(['valid']);
    const permits = await scene.house.ctx.db.selectFrom('quorum_permits').select(['target', 'used_at']).execute();
    expect(permits).toEqual([{ target: one, used_at: scene.house.clock.now() }]);

    await decided(quorum, 'VAULT_FILE_DESTROY', { targetId: two });
    const { results } = await scene.get('POST', '/destroy/batch', { fileIds: [two, three] });
    expect(results.map((result: { error?: string }) => result.error)).toEqual([undefined, 'QUORUM_APPROVAL_REQUIRED']);
    expect((await scene.read(three)).status).toBe(200);
  });

  it('happens at its time only with a decision', async () => {
    await using scene = await openScene(engine);
    const quorum = await quorumOf(scene.house, await scene.house.administrator(), 2);
    const { ctx, clock } = scene.house;
    const { file } = await governed(scene);
    const [allowed, refused] = [await file('one'), await file('two')];
    for (const id of [allowed, refused])
      await scene.get('POST', `/destroy/${id}/schedule`, { scheduledAt: new Date(clock.now() + 1_000).toISOString() });
    await decided(quorum, 'VAULT_FILE_DESTROY', { targetId: allowed });
    clock.advance(1_000);
    const due = await ctx.db.selectFrom('jobs').select('payload').where('kind', '=', 'file-destruction-due').execute();
    for (const { payload } of due) await scheduledHandler(ctx)(JSON.parse(payload), {} as RunningJob);
    expect(said(await scene.call('GET', `/files/${allowed}`))).toBe('410 FILE_DESTROYED');
    expect((await scene.read(refused)).status).toBe(200);
  });

  it('takes a container with one decision about the container, and not with decisions about its files', async () => {
    await using scene = await openScene(engine);
    const quorum = await quorumOf(scene.house, await scene.house.administrator(), 2);
    const { id, file } = await governed(scene);
    const files = [await file('one'), await file('two')];
    const other = await scene.get('POST', '/vaults', { name: 'Other', quorumGoverned: true });
    const destroy = async (container: string) => said(await scene.call('POST', `/vaults/${container}/destroy`, {}));
    await decided(quorum, 'VAULT_FILE_DESTROY', { targetId: files[0]! });
    expect(await destroy(id)).toBe(REQUIRED);
    await decided(quorum, 'VAULT_CONTAINER_DESTROY', { targetId: id });
    expect(await destroy(other.id)).toBe(REQUIRED);
    expect(said(await scene.call('POST', `/destroy/${files[1]}`, {}))).toBe(REQUIRED);
    expect(await destroy(id)).toBe('200 success');
    expect(await destroy(id)).toMatch(/^4/);
    for (const fileId of files) {
      expect(said(await scene.call('GET', `/files/${fileId}`))).toBe('410 FILE_DESTROYED');
      expect(await verdict(await certificateOf(scene, fileId))).toEqual(['valid']);
    }
  });
});
