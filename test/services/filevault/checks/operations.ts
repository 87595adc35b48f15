import { filevaultLimits, permissionFlags, type PermissionFlag } from '../../../../src/contract/filevault/limits.ts';
import type { OperationName, World } from './world.ts';

/** Who may call an operation on what the owner of a world has. */
export type Access =
  /** whoever holds all of these flags there; an empty list: whoever sees it */
  | readonly PermissionFlag[]
  /** whoever holds one of these flags */
  | { readonly anyOf: readonly PermissionFlag[] }
  /** the owner of the container alone; others who see it are told so */
  | 'owner'
  /** whoever made it; for everybody else it doesn't exist */
  | 'maker'
  /** every member, because it is about what the caller has */
  | 'member'
  /** whoever has the token of the link */
  | 'token'
  | 'operator';

export interface Row {
  readonly access: Access;
  /** whether it is refused in a locked container */
  readonly changes?: true;
  /** whether whoever lacks the flag is answered as if it didn't exist, and not that the flag is missing */
  readonly hidden?: true;
  /** what whoever has the permission is told, if it is no success */
  readonly reached?: string;
  /** the answer is a success that says for each item what was refused */
  readonly items?: true;
  /** bytes to send, and such that are about nothing */
  readonly body?: (world: World) => Uint8Array;
  /** with ids of the owner of the world; each call makes what it destroys */
  readonly input: (world: World) => object | Promise<object>;
}

const granted: readonly PermissionFlag[] = ['read', 'preview', 'download'];
const destroying: readonly PermissionFlag[] = ['delete', 'admin'];
const someBytes = (): Uint8Array => Buffer.from('unstored!');
let folders = 0;

async function newFolder({ scene, folder }: World): Promise<string> {
  folders += 1;
  return await scene.folder(`inner ${folders}`, folder);
}

async function newScheduled(world: World): Promise<string> {
  const fileId = await world.newFile();
  await world.scene.get('POST', `/destroy/${fileId}/schedule`, { scheduledAt: '2026-02-01T00:00:00.000Z' });
  return fileId;
}

async function newTrashed(world: World, kind: 'file' | 'folder'): Promise<string> {
  const id = kind === 'file' ? await world.newFile() : await newFolder(world);
  await world.scene.get('DELETE', `/${kind}s/${id}`);
  return id;
}

const container = ({ scene }: World) => ({ id: scene.containerId });
const folder = (world: World) => ({ id: world.folder });
const file = (world: World) => ({ id: world.file });
const fileId = (world: World) => ({ fileId: world.file });
const freshFile = async (world: World) => ({ id: await world.newFile() });
const freshFolder = async (world: World) => ({ id: await newFolder(world) });
const session = (world: World) => ({ sessionId: world.session });
const approval = (world: World) => ({ id: world.approval });
const canary = (world: World) => ({ id: world.canary });
const nothing = () => ({});

/** Every operation of the file vault. The type has one that is missing here refused. */
const operations: Readonly<Record<OperationName, Row>> = {
  listContainers: { access: 'member', input: nothing },
  createContainer: { access: 'member', input: () => ({ name: 'Own' }) },
  showContainer: { access: [], input: container },
  changeContainer: { access: 'owner', changes: true, input: (w) => ({ ...container(w), name: 'Changed' }) },
  destroyContainer: { access: 'owner', input: container },
  lockContainer: { access: 'owner', input: container },
  unlockContainer: { access: 'owner', input: container },
  createFolder: {
    access: ['write'],
    changes: true,
    input: (w) => ({ name: 'new', parentFolderId: w.folder, vaultContainerId: w.scene.containerId }),
  },
  showRoot: { access: [], input: (w) => ({ vaultContainerId: w.scene.containerId }) },
  resolvePath: { access: [], input: (w) => ({ path: 'folder', vaultContainerId: w.scene.containerId }) },
  showPath: { access: [], input: folder },
  moveItem: {
    access: ['delete', 'write'],
    changes: true,
    input: async (w) => ({ id: await w.newFile(), itemType: 'file', newParentId: w.scene.rootId }),
  },
  showFolder: { access: [], input: folder },
  renameFolder: {
    access: ['write'],
    changes: true,
    input: async (w) => ({ ...(await freshFolder(w)), name: 'renamed' }),
  },
  removeFolder: { access: ['delete'], changes: true, input: freshFolder },
  restoreFolder: {
    access: ['delete'],
    changes: true,
    hidden: true,
    input: async (w) => ({ id: await newTrashed(w, 'folder') }),
  },
  searchFiles: { access: [], input: (w) => ({ folderId: w.folder, query: 'secret' }) },
  showMetadata: { access: ['read'], input: file },
  listVersions: { access: ['read'], input: file },
  restoreVersion: { access: ['manage_versions'], changes: true, input: async (w) => await w.newVersions() },
  downloadVersion: { access: ['download'], input: (w) => ({ ...file(w), versionId: w.version }) },
  previewFile: { access: ['preview'], input: file },
  downloadFile: { access: ['download'], input: file },
  changeFile: {
    access: ['write'],
    changes: true,
    input: async (w) => ({ ...(await freshFile(w)), tags: ['changed'] }),
  },
  removeFile: { access: ['delete'], changes: true, input: freshFile },
  restoreFile: {
    access: ['delete'],
    changes: true,
    hidden: true,
    input: async (w) => ({ id: await newTrashed(w, 'file') }),
  },
  listUploads: { access: 'member', input: nothing },
  beginUpload: {
    access: ['write'],
    changes: true,
    input: async (w) => ({
      fileName: 'new version.txt',
      mimeType: 'text/plain',
      totalSizeBytes: 5,
      targetFolderId: w.folder,
      vaultContainerId: w.scene.containerId,
      targetFileId: await w.newFile(),
    }),
  },
  putChunk: { access: 'maker', changes: true, body: someBytes, input: (w) => ({ ...session(w), index: 0 }) },
  finalizeUpload: { access: 'maker', changes: true, input: session },
  showUpload: { access: 'maker', input: session },
  abortUpload: { access: 'maker', input: session },
  destroyFile: { access: destroying, changes: true, input: async (w) => ({ fileId: await w.newFile() }) },
  destroyFiles: {
    access: destroying,
    changes: true,
    items: true,
    input: async (w) => ({ fileIds: [await w.newFile()] }),
  },
  scheduleDestruction: {
    access: destroying,
    changes: true,
    input: async (w) => ({ fileId: await w.newFile(), scheduledAt: '2026-03-01T00:00:00.000Z' }),
  },
  cancelDestruction: { access: destroying, changes: true, input: async (w) => ({ fileId: await newScheduled(w) }) },
  showDestruction: { access: ['read'], hidden: true, input: (w) => ({ fileId: w.destroyed }) },
  verifyDestruction: { access: ['read'], hidden: true, input: (w) => ({ fileId: w.destroyed, proof: w.proof }) },
  createPermissionSet: { access: 'member', input: () => ({ name: 'Own', flags: ['read'] }) },
  listPermissionSets: { access: 'member', input: nothing },
  removePermissionSet: { access: 'maker', input: (w) => ({ id: w.permissionSet }) },
  showEffective: {
    access: { anyOf: ['share', 'admin'] },
    hidden: true,
    input: (w) => ({ targetType: 'file', targetId: w.file, principalId: w.owner.memberId }),
  },
  showAcl: { access: [], input: (w) => ({ targetType: 'folder', targetId: w.folder }) },
  putAcl: {
    access: ['admin'],
    changes: true,
    input: async (w) => ({ targetType: 'folder', targetId: await newFolder(w), entries: [] }),
  },
  shareInternally: {
    access: ['share', ...granted],
    changes: true,
    input: (w) => ({ fileId: w.file, recipientId: w.friend.memberId, permissionLevel: 'viewer' }),
  },
  revokeShare: { access: ['share', 'admin'], input: (w) => ({ id: w.share }) },
  showShareKeys: { access: 'maker', input: (w) => ({ id: w.share }) },
  listSharedWithMe: { access: 'member', input: nothing },
  listShares: { access: { anyOf: ['share', 'admin'] }, input: fileId },
  showShareAudit: { access: { anyOf: ['share', 'admin'] }, input: fileId },
  showRecipient: { access: ['share'], input: (w) => ({ ...fileId(w), member: w.scene.owner.memberId }) },
  showMagnet: { access: ['share'], input: fileId },
  createLink: {
    access: ['share', 'download'],
    changes: true,
    input: (w) => ({ fileId: w.file, mode: 'server_proxied' }),
  },
  openLink: { access: 'token', input: (w) => ({ token: w.link.token }) },
  downloadLink: { access: 'token', input: (w) => ({ token: w.link.token }) },
  revokeLink: { access: ['admin'], input: (w) => ({ token: w.link.id }) },
  showKeys: { access: [], input: (w) => ({ id: w.sealed.id }) },
  addKeys: {
    access: ['admin'],
    changes: true,
    reached: '409 KEY_MISSING',
    input: (w) => ({
      id: w.sealed.id,
      newest: 1,
      number: 1,
      wraps: [{ memberId: w.owner.memberId, wrapped: `010121${'0'.repeat(194)}` }],
    }),
  },
  putUploadKey: {
    access: 'maker',
    changes: true,
    input: (w) => ({
      sessionId: w.sealed.session,
      keyNumber: 1,
      wrappedKey: '0'.repeat(2 * (filevaultLimits.wrappedKey - 35)),
    }),
  },
  showFileKeys: { access: ['download'], reached: '409 KEY_MISSING', input: (w) => ({ id: w.sealed.file }) },
  downloadSealed: { access: ['download'], input: (w) => ({ id: w.sealed.file }) },
  proveNonAccess: { access: ['read'], input: freshFile },
  requestApproval: {
    access: ['admin'],
    changes: true,
    input: (w) => ({ operationType: 'acl_change', targetType: 'folder', targetId: w.folder }),
  },
  listApprovals: { access: 'member', input: nothing },
  showApproval: { access: ['admin'], hidden: true, input: approval },
  approve: { access: ['admin'], hidden: true, input: approval },
  reject: { access: ['admin'], hidden: true, input: (w) => ({ ...approval(w), reason: 'No' }) },
  cancelApproval: { access: ['admin'], hidden: true, reached: '403 FORBIDDEN', input: approval },
  listAudit: { access: [], input: (w) => ({ vaultContainerId: w.scene.containerId }) },
  exportAudit: { access: [], input: (w) => ({ vaultContainerId: w.scene.containerId, format: 'csv' }) },
  listFileNotifications: { access: 'member', input: nothing },
  readFileNotifications: { access: 'member', input: (w) => ({ ids: [w.notification] }) },
  createCanary: {
    access: ['read'],
    input: (w) => ({
      name: 'Decoy',
      condition: 'PRESENCE',
      fileIds: [w.file],
      actions: [{ type: 'notify', members: [w.friend.username], message: 'Opened' }],
    }),
  },
  listCanaries: { access: 'member', input: nothing },
  showCanary: { access: 'maker', input: canary },
  changeCanary: { access: 'maker', input: (w) => ({ ...canary(w), hours: 72 }) },
  removeCanary: { access: 'maker', input: canary },
  checkIn: { access: 'maker', input: canary },
  dryRun: { access: 'maker', input: canary },
  listTrash: { access: [], input: (w) => ({ vaultContainerId: w.scene.containerId }) },
  emptyTrash: {
    access: destroying,
    changes: true,
    items: true,
    input: async (w) => ({ vaultContainerId: w.scene.containerId, ids: [await newTrashed(w, 'file')] }),
  },
  removeVersion: { access: ['manage_versions'], changes: true, input: async (w) => await w.newVersions() },
  showUsage: { access: 'member', input: nothing },
  showFolderUsage: { access: [], input: folder },
  checkContainer: { access: 'owner', input: container },
  checkFiles: { access: 'operator', input: nothing },
  collectFiles: { access: 'operator', input: nothing },
  listQuarantine: { access: 'member', input: nothing },
  destroyQuarantined: { access: 'maker', input: (w) => ({ id: w.quarantined }) },
  releaseQuarantined: { access: 'operator', input: (w) => ({ id: w.quarantined }) },
  readWatermark: { access: ['admin'], hidden: true, body: (w) => w.marked, input: nothing },
};

export interface Prepared extends Row {
  readonly name: OperationName;
  readonly given: object;
}

/** All operations with their input. */
export async function prepared(world: World): Promise<Prepared[]> {
  const all: Prepared[] = [];
  for (const [name, row] of Object.entries(operations))
    all.push({ ...row, name: name as OperationName, given: await row.input(world) });
  return all;
}

export function without(flag: PermissionFlag): PermissionFlag[] {
  return permissionFlags.filter((one) => one !== flag);
}
