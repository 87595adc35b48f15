import type { Scene } from '../services/passvault/scene.ts';

/** How an operation that takes an `Idempotency-Key` is asked, and how often what it does was done. */
export interface Repeatable {
  readonly path: string;
  readonly body?: unknown;
  /** bytes instead of JSON */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  /** of the bytes; message/rfc822 without it */
  readonly contentType?: string;
  count(): Promise<number>;
  readonly effects: number;
}

async function filesOf({ house, owner }: Scene) {
  const post = async (path: string, body: unknown) =>
    (await house.api('POST', `/filevault${path}`, { token: owner.token, body })).body;
  const { id: vaultContainerId, rootFolderId } = await post('/vaults', { name: 'Files' });
  const newUpload = {
    fileName: 'once.txt',
    mimeType: 'text/plain',
    totalSizeBytes: 1,
    targetFolderId: rootFolderId,
    vaultContainerId,
  };
  return { post, vaultContainerId, rootId: rootFolderId as string, newUpload };
}

async function fileOf(scene: Scene): Promise<{ fileId: string; versionId: string }> {
  const { newUpload, post } = await filesOf(scene);
  const { sessionId } = await post('/upload/init', newUpload);
  await scene.house.api('PUT', `/filevault/upload/${sessionId}/chunk/0`, {
    token: scene.owner.token,
    rawBody: 'x',
    headers: { 'content-type': 'application/octet-stream' },
  });
  const { fileId, metadata } = await post(`/upload/${sessionId}/finalize`, {});
  return { fileId, versionId: metadata.currentVersionId };
}

/** The operations of the file vault. */
export const repeatableFiles: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'filevault.create-container': async (scene) => ({
    path: '/filevault/vaults',
    body: { name: 'Once' },
    count: async () => (await scene.house.ctx.db.selectFrom('file_containers').select('id').execute()).length,
    effects: 1,
  }),
  'filevault.create-folder': async (scene) => {
    const { vaultContainerId, rootId } = await filesOf(scene);
    return {
      path: '/filevault/folders',
      body: { name: 'Once', parentFolderId: rootId, vaultContainerId },
      count: async () =>
        (await scene.house.ctx.db.selectFrom('file_nodes').select('id').where('name', '=', 'Once').execute()).length,
      effects: 1,
    };
  },
  'filevault.create-permission-set': async (scene) => ({
    path: '/filevault/acl/permission-sets',
    body: { name: 'Once', flags: ['read'] },
    count: async () => (await scene.house.ctx.db.selectFrom('file_permission_sets').select('id').execute()).length,
    effects: 1,
  }),
  'filevault.request-approval': async (scene) => {
    const { vaultContainerId } = await filesOf(scene);
    return {
      path: '/filevault/approval/request',
      body: { operationType: 'destruction', targetType: 'container', targetId: vaultContainerId },
      count: async () => (await scene.house.ctx.db.selectFrom('file_approvals').select('id').execute()).length,
      effects: 1,
    };
  },
  'filevault.create-canary': async (scene) => ({
    path: '/filevault/canary/bindings',
    body: {
      name: 'Once',
      condition: 'ABSENCE',
      hours: 10,
      actions: [{ type: 'notify', members: [scene.owner.memberId], message: 'Once' }],
    },
    count: async () => (await scene.house.ctx.db.selectFrom('file_canaries').select('id').execute()).length,
    effects: 1,
  }),
  'filevault.begin-upload': async (scene) => {
    const { newUpload } = await filesOf(scene);
    return {
      path: '/filevault/upload/init',
      body: newUpload,
      count: async () => (await scene.house.ctx.db.selectFrom('file_uploads').select('id').execute()).length,
      effects: 1,
    };
  },
  'filevault.add-keys': async (scene) => {
    const { post } = await filesOf(scene);
    const { id } = await post('/vaults', { name: 'Sealed', clientEncrypted: true });
    const wraps = [{ memberId: scene.owner.memberId, wrapped: `010121${'ab'.repeat(97)}` }];
    return {
      path: `/filevault/vaults/${id}/keys`,
      body: { newest: 0, number: 1, signature: 'ab'.repeat(64), wraps },
      count: async () => (await scene.house.ctx.db.selectFrom('file_client_keys').select('number').execute()).length,
      effects: 1,
    };
  },
  'filevault.schedule-destruction': async (scene) => {
    const { fileId } = await fileOf(scene);
    return {
      path: `/filevault/destroy/${fileId}/schedule`,
      body: { scheduledAt: '2027-01-01T00:00:00.000Z' },
      count: async () =>
        (
          await scene.house.ctx.db
            .selectFrom('file_audit')
            .select('id')
            .where('action', '=', 'DESTRUCTION_SCHEDULED')
            .execute()
        ).length,
      effects: 1,
    };
  },
  'filevault.share': async (scene) => {
    const { fileId } = await fileOf(scene);
    const { memberId: recipientId } = await scene.house.register();
    return {
      path: '/filevault/share/internal',
      body: { fileId, recipientId },
      count: async () => (await scene.house.ctx.db.selectFrom('file_shares').select('id').execute()).length,
      effects: 1,
    };
  },
  'filevault.create-link': async (scene) => ({
    path: '/filevault/share/link',
    body: { fileId: (await fileOf(scene)).fileId, mode: 'ephemeral_key_pair', password: 'a password' },
    count: async () => (await scene.house.ctx.db.selectFrom('file_links').select('id').execute()).length,
    effects: 1,
  }),
  'filevault.restore-version': async (scene) => {
    const { fileId, versionId } = await fileOf(scene);
    return {
      path: `/filevault/files/${fileId}/versions/${versionId}/restore`,
      body: {},
      count: async () => (await scene.house.ctx.db.selectFrom('file_versions').select('id').execute()).length,
      effects: 2,
    };
  },
};
