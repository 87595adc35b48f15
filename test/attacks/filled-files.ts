import type { Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';

/** Two containers, two files, two versions of one, two permission sets. */
export async function fillFiles({ house, owner }: Scene) {
  const call = async (method: 'POST' | 'PUT', path: string, body: unknown) =>
    (await house.api(method, `/filevault${path}`, { token: owner.token, body })).body;
  const { id: vaultContainerId, rootFolderId } = await call('POST', '/vaults', { name: 'One' });
  house.clock.advance(1);
  await call('POST', '/vaults', { name: 'Two' });
  for (const name of ['Reviewers', 'Writers']) await call('POST', '/acl/permission-sets', { name, flags: ['read'] });
  let fileId: string | undefined;
  for (const fileName of ['file one', 'file two', 'file two']) {
    const targetFileId = fileName === 'file two' && fileId !== undefined ? { targetFileId: fileId } : {};
    const { sessionId } = await call('POST', '/upload/init', {
      fileName,
      mimeType: 'text/plain',
      totalSizeBytes: 1,
      targetFolderId: rootFolderId,
      vaultContainerId,
      ...targetFileId,
    });
    await house.api('PUT', `/filevault/upload/${sessionId}/chunk/0`, {
      token: owner.token,
      rawBody: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    const { fileId: made } = await call('POST', `/upload/${sessionId}/finalize`, {});
    fileId = fileName === 'file one' ? undefined : made;
  }
  for (const fileName of ['begun', 'begun as well'])
    await call('POST', '/upload/init', {
      fileName,
      mimeType: 'text/plain',
      totalSizeBytes: 1,
      targetFolderId: rootFolderId,
      vaultContainerId,
    });
  const admin = await house.register();
  await call('PUT', `/acl/folder/${rootFolderId}`, { entries: [{ principalId: admin.memberId, level: 'owner' }] });
  const wanted = { operationType: 'acl_change', targetType: 'folder', targetId: rootFolderId };
  const bound = {
    condition: 'ABSENCE',
    hours: 10,
    actions: [{ type: 'notify', members: [admin.memberId], message: 'Gone' }],
  };
  for (const name of ['One', 'Two']) await call('POST', '/canary/bindings', { name, ...bound });
  for (const token of [owner.token, admin.token, owner.token, admin.token])
    await house.api('POST', '/filevault/approval/request', { token, body: wanted });
  for (const name of ['gone', 'gone as well']) {
    const { id } = await call('POST', '/folders', { name, parentFolderId: rootFolderId, vaultContainerId });
    await house.api('DELETE', `/filevault/folders/${id}`, { token: owner.token });
  }
  // As a scanner would have refused them.
  for (const { id, content_id } of await house.ctx.db.selectFrom('file_uploads').selectAll().execute())
    await house.ctx.db
      .insertInto('file_quarantine')
      .values({
        id,
        container_id: vaultContainerId,
        member_id: owner.memberId,
        file_id: id,
        content_id,
        name: 'refused',
        size: 1,
        found: null,
        root: '',
        upload: '{}',
        created_at: house.clock.now(),
      })
      .execute();
  return { rootId: rootFolderId as string, fileId: fileId ?? '', containerId: vaultContainerId as string };
}

/** Two files of another member that are shared with the owner. */
export async function shareFiles({ house, owner }: Scene, { token }: HouseMember): Promise<void> {
  const post = async (path: string, body: unknown) =>
    (await house.api('POST', `/filevault${path}`, { token, body })).body;
  const { id: vaultContainerId, rootFolderId } = await post('/vaults', { name: 'Shared' });
  for (const fileName of ['shared one', 'shared two']) {
    const { sessionId } = await post('/upload/init', {
      fileName,
      mimeType: 'text/plain',
      totalSizeBytes: 1,
      targetFolderId: rootFolderId,
      vaultContainerId,
    });
    await house.api('PUT', `/filevault/upload/${sessionId}/chunk/0`, {
      token,
      rawBody: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    const { fileId } = await post(`/upload/${sessionId}/finalize`, {});
    await post('/share/internal', { fileId, recipientId: owner.memberId });
  }
}
