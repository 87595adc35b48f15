import { describe, expect, it } from 'vitest';
import { permissionFlags } from '../../../src/contract/filevault/limits.ts';
import { engines } from '../../support/stores.ts';
import { openClientScene } from './client-scene.ts';
import { openScene, said } from './scene.ts';

const office = { cidrs: ['192.0.2.0/24'] };
const inOffice = '192.0.2.7';
const atHome = '198.51.100.1';

describe.each(engines)('nobody gains anything on %s', (engine) => {
  it('by restoring something to a folder in which they hold more', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const limited = await scene.folder('limited');
    const inner = await scene.folder('inner', limited);
    const id = await scene.file('secret', { folder: inner, name: 'secret.txt' });
    await scene.grant('folder', scene.rootId, { principalId: memberId, level: 'owner' });
    await scene.get('PUT', `/acl/folder/${limited}`, {
      entries: [{ principalId: memberId, flags: ['read', 'delete'] }],
    });
    const as = { token };
    expect(said(await scene.call('GET', `/files/${id}`, undefined, as))).toBe('403 FORBIDDEN');
    await scene.call('DELETE', `/files/${id}`, undefined, as);
    await scene.call('DELETE', `/folders/${limited}`, undefined, as);
    const restored = await scene.call('POST', `/files/${id}/restore`, {}, as);
    expect([said(restored), restored.body.message?.split(':')[0]]).toEqual([
      '403 FORBIDDEN',
      'In that folder you would have permissions that you do not have now',
    ]);
    expect((await scene.read(id, as)).status).toBe(404);
    expect((await scene.call('POST', `/folders/${limited}/restore`, {}, as)).status).toBe(200);
    expect((await scene.call('POST', `/files/${id}/restore`, {}, as)).status).toBe(200);
    expect(said(await scene.call('GET', `/files/${id}`, undefined, as))).toBe('403 FORBIDDEN');
  });

  it('by granting without a condition what they hold under one', async () => {
    await using scene = await openScene(engine);
    const [admin, eve] = [await scene.house.register(), await scene.house.register()];
    const folder = await scene.folder('folder');
    const inner = await scene.folder('inner', folder);
    const own = { principalId: admin.memberId, flags: permissionFlags, conditions: office };
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: [own] });
    const put = async (...entries: readonly object[]) =>
      await scene.call('PUT', `/acl/folder/${inner}`, { entries }, { token: admin.token, address: inOffice });
    for (const principalId of [admin.memberId, eve.memberId]) {
      const answer = await put({ principalId, level: 'viewer' });
      expect([said(answer), answer.body.message]).toEqual([
        '403 FORBIDDEN',
        'You cannot grant what you do not hold: read, preview, download. You hold it under conditions, so grant it under the same.',
      ]);
      expect(said(await put({ principalId, level: 'viewer', conditions: { cidrs: ['0.0.0.0/0'] } }))).toBe(
        '403 FORBIDDEN',
      );
    }
    const seen = async (address: string, token: string) =>
      (await scene.call('GET', `/folders/${inner}`, undefined, { token, address })).status;
    expect([await seen(atHome, admin.token), await seen(inOffice, admin.token)]).toEqual([404, 200]);
    expect((await put({ principalId: eve.memberId, level: 'viewer', conditions: office })).status).toBe(200);
    expect([await seen(atHome, eve.token), await seen(inOffice, eve.token)]).toEqual([404, 200]);
    // What somebody else granted stays, and may go.
    const given = { principalId: eve.memberId, level: 'viewer' };
    await scene.get('PUT', `/acl/folder/${inner}`, { entries: [given] });
    expect((await put(given, { principalId: eve.memberId, flags: ['write'], conditions: office })).status).toBe(200);
    expect((await put()).status).toBe(200);
  });

  it('by granting without a condition what is shared with them under one', async () => {
    await using scene = await openScene(engine);
    const [maker, eve] = [await scene.house.register(), await scene.house.register()];
    const id = await scene.file('content');
    await scene.grant('file', id, { principalId: maker.memberId, flags: permissionFlags, conditions: office });
    const share = { fileId: id, recipientId: eve.memberId, permissionLevel: 'owner' };
    await scene.get('POST', '/share/internal', share, { token: maker.token, address: inOffice });
    const { entries } = await scene.get('GET', `/acl/file/${id}`);
    const put = async (entry: object) =>
      await scene.call(
        'PUT',
        `/acl/file/${id}`,
        { entries: [...entries, { principalId: eve.memberId, ...entry }] },
        { token: eve.token, address: inOffice },
      );
    expect(said(await put({ level: 'owner' }))).toBe('403 FORBIDDEN');
    expect(said(await put({ flags: permissionFlags, conditions: office }))).toBe('403 FORBIDDEN');
    // A share of somebody who holds it always is another matter.
    await scene.get('POST', '/share/internal', share);
    expect(said(await put({ level: 'owner' }))).toBe('200 success');
  });

  it('by taking away a refusal that has a condition', async () => {
    await using scene = await openScene(engine);
    const [admin, eve] = [await scene.house.register(), await scene.house.register()];
    const folder = await scene.folder('folder');
    await scene.grant('folder', scene.rootId, { principalId: eve.memberId, level: 'viewer' });
    const own = { principalId: admin.memberId, flags: ['read', 'admin'] };
    const refusal = { principalId: eve.memberId, flags: [], conditions: office };
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: [own, refusal] });
    const put = async (...entries: readonly object[]) =>
      await scene.call('PUT', `/acl/folder/${folder}`, { entries }, { token: admin.token });
    expect((await put(own)).body.message).toBe('You cannot grant what you do not hold: preview, download.');
    expect((await put(own, { principalId: eve.memberId, flags: [] })).status).toBe(200);
  });

  it('by moving something to where no condition holds them back', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const flags = ['read', 'write', 'delete', 'download'];
    const [bound, free] = [await scene.folder('bound'), await scene.folder('free')];
    await scene.grant('folder', bound, { principalId: memberId, flags, conditions: office });
    await scene.grant('folder', free, { principalId: memberId, flags });
    const id = await scene.file('secret', { folder: bound });
    const move = async (item: string, newParentId: string) =>
      said(
        await scene.call(
          'POST',
          `/folders/${item}/move`,
          { itemType: 'file', newParentId },
          { token, address: inOffice },
        ),
      );
    expect(await move(id, free)).toBe('403 FORBIDDEN');
    // Nothing is gained the other way round, nor by a move below the same condition.
    const other = await scene.file('other', { folder: free });
    expect(await move(other, bound)).toBe('200 success');
    expect(await move(id, await scene.folder('inner', bound))).toBe('200 success');
    // Also what only holds later is a gain.
    const later = await scene.folder('later');
    await scene.grant('folder', later, { principalId: memberId, flags });
    const full = {
      principalId: memberId,
      flags: permissionFlags,
      conditions: { notBefore: '2027-01-01T00:00:00.000Z' },
    };
    await scene.grant('folder', later, full);
    expect(await move(await scene.file('third', { folder: free }), later)).toBe('403 FORBIDDEN');
  });
});

describe.each(engines)('what nobody may get around or learn on %s', (engine) => {
  it('destroys no version without the approvals that a destruction needs', async () => {
    await using scene = await openScene(engine);
    const [editor, admin] = [await scene.house.register(), await scene.house.register()];
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, {
      entries: [
        { principalId: editor.memberId, level: 'editor' },
        { principalId: admin.memberId, level: 'owner' },
      ],
    });
    const id = await scene.file('the only copy');
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { approvals: { destruction: 1 } });
    await scene.file('nothing', { replaces: id, token: editor.token });
    const [, first] = await scene.get('GET', `/files/${id}/versions`);
    const path = `/files/${id}/versions/${first.versionId}`;
    for (const { token } of [editor, scene.owner])
      expect(said(await scene.call('DELETE', path, undefined, { token }))).toBe('403 APPROVAL_REQUIRED');
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: id };
    const approval = await scene.get('POST', '/approval/request', wanted);
    await scene.get('POST', `/approval/${approval.id}/approve`, {}, { token: admin.token });
    expect((await scene.call('DELETE', path)).status).toBe(204);
  });

  it('resolves no path to a file that the caller may not read', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const id = await scene.file('content', { name: 'plan.txt' });
    await scene.get('PATCH', `/files/${id}`, { description: 'secret', tags: ['secret'] });
    const ask = async (flags: readonly string[]) => {
      await scene.get('PUT', `/acl/file/${id}`, { entries: [{ principalId: memberId, flags }] });
      const path = `/folders/resolve/plan.txt?vaultContainerId=${scene.containerId}`;
      return said(await scene.call('GET', path, undefined, { token }));
    };
    expect(await ask(['read'])).toBe('200 success');
    expect(await ask(['preview'])).toBe('404 FOLDER_NOT_FOUND');
  });

  it('counts nothing in a folder of the trash that the caller may not see', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const folder = await scene.folder('folder');
    const hidden = await scene.folder('hidden', folder);
    await scene.file('12345', { folder });
    await scene.file('1234567890', { folder: hidden });
    await scene.grant('folder', folder, { principalId: memberId, flags: ['read', 'delete'] });
    await scene.get('PUT', `/acl/folder/${hidden}`, { entries: [{ principalId: memberId, flags: [] }] });
    await scene.get('DELETE', `/folders/${folder}`);
    const sizes = async (as: string) =>
      (await scene.get('GET', '/trash', undefined, { token: as })).items.map(
        ({ sizeBytes }: { sizeBytes: number }) => sizeBytes,
      );
    expect([await sizes(scene.owner.token), await sizes(token)]).toEqual([[15], [5]]);
  });

  it('tells whoever gives keys in one folder nothing of those who have access elsewhere', async () => {
    await using client = await openClientScene(engine);
    const { scene, container, owner, acl } = client;
    await owner.store(Buffer.from('makes the key'));
    const [admin, near, far] = await Promise.all([1, 2, 3].map(async () => await scene.house.register()));
    const folder = async (name: string) =>
      (
        await scene.get('POST', '/folders', {
          name,
          parentFolderId: container.rootFolderId,
          vaultContainerId: container.id,
        })
      ).id as string;
    const [here, there] = [await folder('here'), await folder('there')];
    await acl(
      [
        { principalId: admin!.memberId, level: 'owner' },
        { principalId: near!.memberId, level: 'viewer' },
      ],
      here,
    );
    await acl([{ principalId: far!.memberId, level: 'viewer' }], there);
    for (const { memberId } of [admin!, near!, far!]) await owner.cipher.give(memberId);
    const { members, newest } = await scene.get('GET', `/vaults/${container.id}/keys`, undefined, admin);
    expect(members.map(({ memberId }: { memberId: string }) => memberId).toSorted()).toEqual(
      [scene.owner.memberId, admin!.memberId, near!.memberId].toSorted(),
    );
    const give = async (memberId: string) => {
      const body = { newest, number: newest, wraps: [{ memberId, wrapped: `0101${'00'.repeat(98)}` }] };
      return await scene.call('POST', `/vaults/${container.id}/keys`, body, { token: admin!.token });
    };
    const stranger = await scene.house.register();
    const [one, other] = [await give(far!.memberId), await give(stranger.memberId)];
    expect([said(one), one.body]).toEqual(['400 VALIDATION_ERROR', other.body]);
    expect((await give(near!.memberId)).status).toBeLessThan(300);
  });
});
