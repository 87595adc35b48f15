import { runClientScenario } from './client-scenario.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** The life of a container and its files: every operation of the file vault, with success. Over any fetch-shaped transport. */
export async function runFilevaultScenario(
  fetch: Fetch,
  base: string,
  { owner, editor }: { readonly owner: HouseMember; readonly editor: HouseMember },
): Promise<void> {
  const call = async (method: string, path: string, body?: unknown, token = owner.token): Promise<Json> => {
    const raw = body instanceof Uint8Array;
    const response = await fetch(
      new Request(`${base}/filevault${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': raw ? 'application/octet-stream' : 'application/json' }),
        },
        body: body === undefined ? null : raw ? Uint8Array.from(body) : JSON.stringify(body),
      }),
    );
    const answer = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return response.headers.get('content-type')?.startsWith('application/json') === true && answer !== ''
      ? JSON.parse(answer)
      : answer;
  };

  const container = await call('POST', '/vaults', { name: 'Work', description: 'Papers', quotaBytes: 1_000_000 });
  const at = { vaultContainerId: container.id };
  await call('GET', '/vaults');
  await call('GET', `/vaults/${container.id}`);
  await call('PATCH', `/vaults/${container.id}`, { name: 'Office', quotaBytes: null });
  const folder = await call('POST', '/folders', { name: 'Reports', parentFolderId: container.rootFolderId, ...at });
  const inner = await call('POST', '/folders', { name: 'Old', parentFolderId: folder.id, ...at });
  await call('PATCH', `/folders/${inner.id}`, { name: 'Older' });
  await call('POST', `/folders/${inner.id}/move`, { itemType: 'folder', newParentId: container.rootFolderId });
  await call('GET', '/folders/root');
  await call('GET', `/folders/${folder.id}?sortField=size&sortDirection=desc`);
  await call('GET', `/folders/${inner.id}/path`);
  await call('DELETE', `/folders/${inner.id}`);
  await call('POST', `/folders/${inner.id}/restore`, {});

  const store = async (content: string, targetFileId?: string) => {
    const bytes = Buffer.from(content);
    const begun = await call('POST', '/upload/init', {
      fileName: 'july.txt',
      mimeType: 'text/plain',
      totalSizeBytes: bytes.length,
      targetFolderId: folder.id,
      ...at,
      ...(targetFileId !== undefined && { targetFileId }),
    });
    await call('PUT', `/upload/${begun.sessionId}/chunk/0`, bytes);
    await call('GET', `/upload/${begun.sessionId}/status`);
    return (await call('POST', `/upload/${begun.sessionId}/finalize`, {})).fileId as string;
  };
  const given = await call('POST', '/upload/init', {
    fileName: 'given up.txt',
    mimeType: 'text/plain',
    totalSizeBytes: 10,
    targetFolderId: folder.id,
    ...at,
  });
  await call('GET', '/upload');
  await call('DELETE', `/upload/${given.sessionId}`);
  const file = await store('the first');
  await store('the second', file);
  const one = `/files/${file}`;
  await call('GET', `${one}/metadata`);
  await call('PATCH', one, { fileName: 'august.txt', description: 'Numbers', tags: ['2026', 'numbers'] });
  await call('GET', '/files/search?query=august&tags=2026&tags=numbers&fileType=text&deleted=false');
  await call('GET', '/folders/resolve/reports/august.txt');
  const [, first] = await call('GET', `${one}/versions`);
  await call('GET', `${one}/versions/${first.versionId}/download`);
  await call('POST', `${one}/versions/${first.versionId}/restore`, {});
  await call('GET', one);
  await call('GET', `${one}/preview`);
  await call('DELETE', one);
  await call('POST', `${one}/restore`, {});
  await call('DELETE', `${one}/versions/${first.versionId}`);
  await call('GET', '/usage');
  await call('GET', `/folders/${folder.id}/usage`);
  await call('POST', `/vaults/${container.id}/check`, { level: 'full' });
  await call('PATCH', `/vaults/${container.id}`, { trashDays: 7, versionPolicy: { number: 5, days: 30 } });
  await call('PATCH', one, { invisibleWatermark: true });
  const shown = await call('GET', `${one}/preview`);
  const { accesses } = await call('POST', '/watermark/read', Buffer.from(shown));
  if (accesses[0]?.memberId !== owner.memberId) throw new Error(JSON.stringify(accesses));
  const trashed = await store('trashed');
  await call('DELETE', `/files/${trashed}`);
  await call('GET', `/trash?vaultContainerId=${container.id}`);
  const emptied = await call('DELETE', '/trash', at);
  if (emptied.files !== 1) throw new Error(JSON.stringify(emptied));
  await call('GET', '/quarantine');

  const set = await call('POST', '/acl/permission-sets', { name: 'Reviewers', flags: ['read', 'comment'] });
  await call('GET', '/acl/permission-sets');
  const entry = { principalId: editor.memberId, level: 'editor' };
  await call('PUT', `/acl/folder/${folder.id}`, { entries: [entry] });
  await call('PUT', `/acl/file/${file}`, {
    entries: [{ ...entry, level: undefined, customPermissionSetId: set.id, flags: ['read'] }],
  });
  await call('GET', `/acl/folder/${folder.id}`);
  await call('GET', `/acl/file/${file}/effective/${editor.memberId}`);
  await call('GET', `/folders/${folder.id}`, undefined, editor.token);
  await call('PUT', `/acl/file/${file}`, { entries: [] });
  await call('DELETE', `/acl/permission-sets/${set.id}`);
  const { shareId } = await call('POST', '/share/internal', { fileId: file, recipientId: editor.memberId });
  await call('GET', '/share/shared-with-me', undefined, editor.token);
  await call('GET', `/share/internal/${shareId}/keys`, undefined, editor.token);
  const link = await call('POST', '/share/link', { fileId: file, mode: 'ephemeral_key_pair', maxAccessCount: 2 });
  await call('GET', `/share/link/${link.token}?content=false`);
  await call('GET', `/share/link/${link.token}/content`);
  await call('GET', `/share/${file}/shares`);
  await call('GET', `/share/${file}/magnet`);
  await call('GET', `/share/recipient?fileId=${file}&member=${editor.memberId}`);
  await call('DELETE', `/share/link/${link.id}`);
  await call('DELETE', `/share/internal/${shareId}`);
  await call('GET', `/share/${file}/audit`);
  const soon = new Date(Date.now() + 30 * 365 * 86_400_000).toISOString();
  await call('POST', `/destroy/${file}/schedule`, { scheduledAt: soon });
  await call('DELETE', `/destroy/${file}/schedule`);
  const { proof } = await call('POST', `/destroy/${file}`, {});
  const { valid } = await call('POST', `/destroy/${file}/verify`, { proof });
  if (valid !== true) throw new Error('the proof is not valid');
  await call('GET', `/destroy/${file}`);
  const another = await store('another');
  const { verificationBundle } = await call('GET', `/files/${another}/non-access-proof`);
  if (verificationBundle.fileId !== another) throw new Error('the proof is that of another file');
  const { results } = await call('POST', '/destroy/batch', { fileIds: [another] });
  if (results[0].destroyed !== true) throw new Error(JSON.stringify(results));

  const third = await store('the third');
  await call('PUT', `/acl/file/${third}`, { entries: [{ principalId: editor.memberId, level: 'owner' }] });
  const wanted = { operationType: 'destruction', targetType: 'file', targetId: third, reason: 'Old' };
  const asked = await call('POST', '/approval/request', wanted);
  await call('POST', `/approval/${asked.id}/approve`, {}, editor.token);
  await call('GET', `/approval/${asked.id}`);
  await call('GET', '/approval?status=approved&mine=true');
  await call('POST', `/approval/${asked.id}/reject`, { reason: 'We keep it' }, editor.token);
  const again = await call('POST', '/approval/request', wanted);
  await call('POST', `/approval/${again.id}/cancel`, {});
  await call('GET', `/audit?vaultContainerId=${container.id}&action=FILE_CREATED`);
  await call('GET', '/audit/export?format=csv');
  const { notifications } = await call('GET', '/notifications?unread=true');
  await call('POST', '/notifications/read', { ids: notifications.map(({ _id: id }: Json) => id) });
  const canary = await call('POST', '/canary/bindings', {
    name: 'Gone',
    condition: 'ABSENCE',
    hours: 48,
    actions: [{ type: 'notify', members: [editor.username], message: 'Look after it' }],
  });
  await call('GET', '/canary/bindings');
  await call('GET', `/canary/bindings/${canary.id}`);
  await call('PATCH', `/canary/bindings/${canary.id}`, { hours: 72 });
  await call('POST', `/canary/bindings/${canary.id}/check-in`, {});
  await call('POST', `/canary/bindings/${canary.id}/dry-run`, {});
  await call('DELETE', `/canary/bindings/${canary.id}`);

  await call('POST', `/vaults/${container.id}/lock`);
  await call('POST', `/vaults/${container.id}/unlock`);
  await call('POST', `/vaults/${container.id}/destroy`, {});
  await runClientScenario(call, owner.memberId);
}
