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

async function approved(
  scene: Scene,
  by: HouseMember,
  operationType: string,
  targetId: string,
  more: object = {},
): Promise<void> {
  const body = { operationType, targetType: 'file', targetId, ...more };
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

  it('is one on one approval, also when two ask at once', async () => {
    await using scene = await openScene(engine);
    const [one, ...outsiders] = [
      await reader(scene, admin),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const id = await scene.file('secret');
    await policy(scene, { externalShare: 1 });
    await approved(scene, one, 'external_share', id);
    const answers = await Promise.all(outsiders.map((outsider) => scene.call(...share(id, outsider))));
    expect(answers.map(said).toSorted()).toEqual(['201 success', '403 APPROVAL_REQUIRED']);
    const statuses = await Promise.all(outsiders.map(async ({ token }) => (await scene.read(id, { token })).status));
    expect(statuses.toSorted()).toEqual([200, 404]);
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
    // Who is in a list decides on what is asked for from now on, and whoever could before does so still.
    const { id: again } = await scene.get('POST', '/approval/request', body);
    expect(said(await approve(other, again))).toBe('200 success');
    expect(said(await approve(one, approval))).toBe('200 success');
    expect((await scene.get('POST', `/destroy/${id}`, {})).destroyed).toBe(true);
  });

  it('by whoever asks later makes nobody one who decides, also not by way of another', async () => {
    await using scene = await openScene(engine);
    const level = { level: 'owner' };
    const [asking, admins] = [await reader(scene, level), await reader(scene, level)];
    const [friend, further, honest] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const id = await scene.file('secret');
    await scene.get(...share(id, friend, 'owner'), { token: asking.token });
    await scene.get(...share(id, further, 'owner'), { token: friend.token });
    await scene.get(...share(id, honest, 'owner'), { token: admins.token });
    await policy(scene, { destruction: 1 });
    const ask = async ({ token }: HouseMember) => {
      const body = { operationType: 'destruction', targetType: 'file', targetId: id };
      return (await scene.get('POST', '/approval/request', body, { token })).id as string;
    };
    const approve = async ({ token }: HouseMember, which: string) =>
      said(await scene.call('POST', `/approval/${which}/approve`, {}, { token }));
    const own = await ask(asking);
    for (const each of [friend, further]) expect(await approve(each, own)).toBe('403 FORBIDDEN');
    expect(said(await scene.call('POST', `/destroy/${id}`, {}, { token: asking.token }))).toBe('403 APPROVAL_REQUIRED');
    // What others ask for is another matter, and so is who holds it without whoever asks.
    expect(await approve(friend, await ask(admins))).toBe('200 success');
    expect(await approve(honest, own)).toBe('200 success');
    expect((await scene.get('POST', `/destroy/${id}`, {}, { token: asking.token })).destroyed).toBe(true);
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

describe.each(engines)('a move on %s', (engine) => {
  const needs = '403 APPROVAL_REQUIRED';
  const move = async ({ call }: Scene, id: string, newParentId: string, itemType = 'file', by: object = {}) =>
    said(await call('POST', `/folders/${id}/move`, { itemType, newParentId }, by));

  it('to where others may read is a share with them', async () => {
    await using scene = await openScene(engine);
    const outsider = await scene.house.register();
    const [from, to] = [await scene.folder('private'), await scene.folder('public')];
    const inner = await scene.folder('inner', to);
    await scene.grant('folder', to, { principalId: outsider.memberId, level: 'viewer' });
    const one = await reader(scene, admin);
    const id = await scene.file('secret', { folder: from });
    await policy(scene, { externalShare: 1 });
    for (const there of [to, inner]) expect(await move(scene, id, there)).toBe(needs);
    expect((await scene.read(id, { token: outsider.token })).status).toBe(404);
    // An approval for a share is none for a move, and one for a move is for its way alone.
    await approved(scene, one, 'external_share', id);
    await approved(scene, one, 'external_share', id, { newParentId: inner });
    expect(await move(scene, id, to)).toBe(needs);
    await approved(scene, one, 'external_share', id, { newParentId: to });
    const elsewhere = await scene.folder('elsewhere');
    expect(await move(scene, id, elsewhere)).toBe('200 success');
    expect(await move(scene, id, to)).toBe(needs);
    expect(await move(scene, id, from)).toBe('200 success');
    expect(await move(scene, id, to)).toBe('200 success');
    expect((await scene.read(id, { token: outsider.token })).status).toBe(200);
    expect(await move(scene, id, from)).toBe('200 success');
    expect(await move(scene, id, to)).toBe(needs);
  });

  it('is one on one approval, also when two ask at once', async () => {
    await using scene = await openScene(engine);
    const [one, from, to] = [await reader(scene, admin), await scene.folder('private'), await scene.folder('public')];
    await scene.grant('folder', to, { principalId: (await scene.house.register()).memberId, level: 'viewer' });
    const ids = [await scene.file('one', { folder: from }), await scene.file('two', { folder: from })];
    await policy(scene, { externalShare: 1 });
    for (const id of ids) await approved(scene, one, 'external_share', id, { newParentId: to });
    // Whichever comes second finds the file where it should be, which needs nothing.
    const both = ids.flatMap((id) => [move(scene, id, to), move(scene, id, to)]);
    expect(await Promise.all(both)).toEqual(both.map(() => '200 success'));
    for (const id of ids) {
      expect(await move(scene, id, from)).toBe('200 success');
      expect(await move(scene, id, to)).toBe(needs);
    }
  });

  it('says what to ask for', async () => {
    await using scene = await openScene(engine);
    const [from, to] = [await scene.folder('private'), await scene.folder('public')];
    await reader(scene, admin);
    await scene.grant('folder', to, { principalId: (await scene.house.register()).memberId, level: 'viewer' });
    await policy(scene, { externalShare: 1 });
    const { body } = await scene.call('POST', `/folders/${from}/move`, { itemType: 'folder', newParentId: to });
    expect(body.message).toBe(
      `This needs 1 approval. Ask for it with POST /filevault/approval/request: external_share of the file or folder ${from}, newParentId ${to}. Then do it again.`,
    );
    const wanted = { targetType: 'folder', targetId: from, newParentId: to };
    const ask = async (operationType: string, more: object = {}) =>
      await scene.call('POST', '/approval/request', { operationType, ...wanted, ...more });
    expect((await ask('external_share')).body).toMatchObject({ parentId: scene.rootId, newParentId: to });
    expect(said(await ask('destruction'))).toBe('400 VALIDATION_ERROR');
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    for (const newParentId of [other.rootFolderId, from])
      expect(said(await ask('external_share', { targetId: to, newParentId, targetType: 'folder' }))).toBe(
        newParentId === from ? '201 success' : '400 VALIDATION_ERROR',
      );
  });

  it('of a folder takes along what is below, and to a place of more rights changes the access list', async () => {
    await using scene = await openScene(engine);
    const [one, insider, outsider] = [await reader(scene, admin), await reader(scene), await scene.house.register()];
    const [from, to, more] = [await scene.folder('from'), await scene.folder('to'), await scene.folder('more')];
    const id = await scene.file('secret', { folder: from });
    await scene.grant('folder', to, { principalId: outsider.memberId, level: 'editor' });
    await scene.grant('folder', more, { principalId: insider.memberId, ...admin });
    await policy(scene, { externalShare: 1, aclChange: 1 });
    expect(await move(scene, from, to, 'folder')).toBe(needs);
    await approved(scene, one, 'external_share', from, { targetType: 'folder', newParentId: to });
    expect(await move(scene, from, to, 'folder')).toBe('200 success');
    expect((await scene.read(id, { token: outsider.token })).status).toBe(200);
    expect(await move(scene, id, more)).toBe(needs);
    await approved(scene, one, 'external_share', id, { newParentId: more });
    expect(await move(scene, id, more)).toBe(needs);
    await approved(scene, one, 'acl_change', id, { newParentId: more });
    expect(await move(scene, id, more)).toBe('200 success');
  });

  it('that gives nobody more needs none', async () => {
    await using scene = await openScene(engine);
    const [insider, friend] = [await reader(scene, admin), await scene.house.register()];
    const later = {
      principalId: friend.memberId,
      level: 'viewer',
      conditions: { notBefore: '2040-01-01T00:00:00.000Z' },
    };
    const [from, to, same] = [await scene.folder('from'), await scene.folder('to'), await scene.folder('same')];
    await scene.grant('folder', to, { principalId: insider.memberId, level: 'viewer' });
    for (const each of [from, same]) await scene.grant('folder', each, later);
    const [id, shared] = [await scene.file('secret', { folder: from }), await scene.file('shared')];
    await scene.get(...share(shared, friend));
    await policy(scene, { externalShare: 1, aclChange: 1 });
    expect(await move(scene, id, same)).toBe('200 success');
    expect(await move(scene, id, to)).toBe('200 success');
    expect(await move(scene, id, same)).toBe(needs);
    expect(await move(scene, shared, same)).toBe('200 success');
  });

  it('and a restoration to another folder, by a program, gives nobody anything', async () => {
    await using scene = await openScene(engine);
    const [one, outsider] = [await reader(scene, admin), await scene.house.register()];
    const [to, plain] = [await scene.folder('public'), await scene.folder('plain')];
    const inner = await scene.folder('inner', to);
    await scene.get('PUT', `/acl/folder/${inner}`, { entries: [{ principalId: outsider.memberId, flags: [] }] });
    await scene.grant('folder', to, { principalId: outsider.memberId, level: 'viewer' });
    const [id, other] = [await scene.file('secret', { folder: inner }), await scene.file('other')];
    const password = { name: 'Program', scopes: ['files'] };
    const made = await scene.house.api('POST', '/api/user/app-passwords', { token: scene.owner.token, body: password });
    const basic = Buffer.from(`${scene.owner.username}:${(made.body as { password: string }).password}`);
    const program = { token: undefined, headers: { authorization: `Basic ${basic.toString('base64')}` } };
    expect(await move(scene, other, plain, 'file', program)).toBe('200 success');
    expect(await move(scene, other, to, 'file', program)).toBe('403 INSUFFICIENT_SCOPE');
    await scene.call('DELETE', `/files/${id}`);
    await scene.call('DELETE', `/folders/${inner}`);
    const restore = async (by: object = {}) => said(await scene.call('POST', `/files/${id}/restore`, {}, by));
    expect(await restore(program)).toBe('403 INSUFFICIENT_SCOPE');
    await policy(scene, { externalShare: 1 });
    expect(await restore()).toBe(needs);
    await approved(scene, one, 'external_share', id, { newParentId: to });
    expect(await restore()).toBe('200 success');
    expect((await scene.read(id, { token: outsider.token })).status).toBe(200);
  });
});
