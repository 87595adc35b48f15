import { describe, expect, it } from 'vitest';
import type { HouseMember } from '../support/prepared-member.ts';
import { engines } from '../support/stores.ts';
import { openScene, said, type Scene } from '../services/filevault/scene.ts';

const admin = { flags: ['read', 'preview', 'download', 'delete', 'share', 'admin'] };

async function reader({ house, grant, rootId }: Scene, entry: object = { level: 'viewer' }): Promise<HouseMember> {
  const member = await house.register();
  await grant('folder', rootId, { principalId: member.memberId, ...entry });
  return member;
}

async function approved(scene: Scene, by: HouseMember, operationType: string, targetId: string): Promise<void> {
  const body = { operationType, targetType: 'file', targetId };
  const { id } = await scene.get('POST', '/approval/request', body);
  await scene.get('POST', `/approval/${id}/approve`, {}, { token: by.token });
}

const share = (fileId: string, { memberId }: HouseMember, permissionLevel = 'viewer') =>
  ['POST', '/share/internal', { fileId, recipientId: memberId, permissionLevel }] as const;

const policy = async ({ get, containerId }: Scene, approvals: object) =>
  await get('PATCH', `/vaults/${containerId}`, { approvals });

describe.each(engines)('a share on %s', (engine) => {
  it('with somebody who does not see the file is an external one, and with an insider it is not', async () => {
    await using scene = await openScene(engine);
    const [one, insider, outsider] = [await reader(scene, admin), await reader(scene), await scene.house.register()];
    const later = await reader(scene, { level: 'viewer', conditions: { notBefore: '2040-01-01T00:00:00.000Z' } });
    const id = await scene.file('secret');
    await policy(scene, { externalShare: 1 });
    expect(said(await scene.call(...share(id, outsider)))).toBe('403 APPROVAL_REQUIRED');
    expect(said(await scene.call(...share(id, later)))).toBe('403 APPROVAL_REQUIRED');
    expect((await scene.read(id, { token: outsider.token })).status).toBe(404);
    expect(said(await scene.call(...share(id, insider, 'editor')))).toBe('201 success');
    await approved(scene, one, 'external_share', id);
    expect(said(await scene.call(...share(id, outsider)))).toBe('201 success');
    expect((await scene.read(id, { token: outsider.token })).status).toBe(200);
    // It was good for one.
    expect(said(await scene.call(...share(id, later)))).toBe('403 APPROVAL_REQUIRED');
  });

  it('as an owner changes the access list, for an outsider both', async () => {
    await using scene = await openScene(engine);
    const [one, insider, outsider] = [await reader(scene, admin), await reader(scene), await scene.house.register()];
    const id = await scene.file('secret');
    await policy(scene, { aclChange: 1, externalShare: 1 });
    expect(said(await scene.call(...share(id, insider, 'owner')))).toBe('403 APPROVAL_REQUIRED');
    await approved(scene, one, 'acl_change', id);
    expect(said(await scene.call(...share(id, insider, 'owner')))).toBe('201 success');
    await approved(scene, one, 'external_share', id);
    expect(said(await scene.call(...share(id, outsider, 'owner')))).toBe('403 APPROVAL_REQUIRED');
    // Nothing of it was used up by the refusal.
    await approved(scene, one, 'acl_change', id);
    expect(said(await scene.call(...share(id, outsider, 'owner')))).toBe('201 success');
  });

  it('makes nobody one who decides on what was asked for before', async () => {
    await using scene = await openScene(engine);
    const [one, friend, other] = [await reader(scene, admin), await reader(scene), await reader(scene)];
    const id = await scene.file('secret');
    await policy(scene, { destruction: 1 });
    const body = { operationType: 'destruction', targetType: 'file', targetId: id };
    const { id: approval } = await scene.get('POST', '/approval/request', body);
    await scene.get(...share(id, friend, 'owner'));
    await scene.grant('file', id, { principalId: other.memberId, ...admin });
    const approve = async ({ token }: HouseMember, which: string) =>
      await scene.call('POST', `/approval/${which}/approve`, {}, { token });
    for (const late of [friend, other]) expect(said(await approve(late, approval))).toBe('403 FORBIDDEN');
    expect(said(await scene.call('POST', `/destroy/${id}`, {}))).toBe('403 APPROVAL_REQUIRED');
    // They decide on what is asked for from now on, and whoever could before does so still.
    const { id: again } = await scene.get('POST', '/approval/request', body);
    expect(said(await approve(friend, again))).toBe('200 success');
    expect(said(await approve(one, approval))).toBe('200 success');
    expect((await scene.get('POST', `/destroy/${id}`, {})).destroyed).toBe(true);
  });

  it('from before the upgrade lets nobody approve what was asked for then', async () => {
    await using scene = await openScene(engine);
    const [one, friend] = [await reader(scene, admin), await reader(scene)];
    const id = await scene.file('secret');
    await scene.get(...share(id, friend, 'owner'));
    const body = { operationType: 'destruction', targetType: 'file', targetId: id };
    const { id: approval } = await scene.get('POST', '/approval/request', body);
    await scene.house.ctx.db
      .updateTable('file_approvals')
      .set({ approvers: null })
      .where('id', '=', approval)
      .execute();
    const path = `/approval/${approval}/approve`;
    expect(said(await scene.call('POST', path, {}, { token: friend.token }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call('POST', path, {}, { token: one.token }))).toBe('200 success');
  });
});
