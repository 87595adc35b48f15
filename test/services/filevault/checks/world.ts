import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { requestOf } from '../../../../src/client/request.ts';
import { filevault } from '../../../../src/contract/filevault.ts';
import type { DestructionProof } from '../../../../src/contract/filevault/destruction.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import { tableNames } from '../../../support/store-tables.ts';
import type { ApiAnswer } from '../../../support/house.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { makeLink } from '../sharing-scene.ts';
import { openScene, type Scene } from '../scene.ts';

export type OperationName = keyof typeof filevault;

/** An owner with one of everything that the file vault has. */
export interface World extends AsyncDisposable {
  readonly scene: Scene;
  readonly owner: HouseMember;
  /** with whom a file is shared, and who approves */
  readonly friend: HouseMember;
  readonly folder: string;
  readonly trashedFolder: string;
  readonly trashedFile: string;
  readonly file: string;
  /** not the current one */
  readonly version: string;
  readonly destroyed: string;
  readonly proof: DestructionProof;
  readonly scheduled: string;
  readonly session: string;
  readonly share: string;
  readonly link: { readonly id: string; readonly token: string };
  readonly permissionSet: string;
  readonly approval: string;
  readonly canary: string;
  readonly quarantined: string;
  readonly notification: string;
  readonly sealed: { readonly id: string; readonly rootId: string; readonly file: string; readonly session: string };
  /** a preview with an invisible watermark */
  readonly marked: Uint8Array;
  /** another file, or one of another name */
  newFile(): Promise<string>;
  /** with a second version; @returns the ids of the file and its first version */
  newVersions(): Promise<{ readonly id: string; readonly versionId: string }>;
  send(name: OperationName, input: object, token?: string, body?: Uint8Array): Promise<ApiAnswer>;
  /** all rows of files and folders, and what belongs to them */
  rows(): Promise<Readonly<Record<string, readonly string[]>>>;
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

export async function openWorld(engine: EngineName): Promise<World> {
  const scene = await openScene(engine);
  const { owner, rootId, house } = scene;
  const friend = await house.register();
  await scene.grant('folder', rootId, { principalId: friend.memberId, level: 'owner' });
  const folder = await scene.folder('folder');
  const trashedFolder = await scene.folder('trashed folder');
  await scene.get('DELETE', `/folders/${trashedFolder}`);
  const trashedFile = await scene.file('trashed', { name: 'trashed.txt' });
  await scene.get('DELETE', `/files/${trashedFile}`);
  let files = 0;
  const newFile = async () => {
    files += 1;
    return await scene.file('the first', { name: `secret-${files}.txt`, folder, type: 'text/plain' });
  };
  const newVersions = async () => {
    const id = await newFile();
    await scene.file('the second', { name: `secret-${files}.txt`, folder, type: 'text/plain', replaces: id });
    const [, first] = await scene.get('GET', `/files/${id}/versions`);
    return { id, versionId: first.versionId as string };
  };
  const { id: file, versionId: version } = await newVersions();
  const marked = await newFile();
  await scene.get('PATCH', `/files/${marked}`, { invisibleWatermark: true });
  const preview = await scene.get('GET', `/files/${marked}/preview`);
  const destroyed = await newFile();
  const { proof } = await scene.get('POST', `/destroy/${destroyed}`, {});
  const scheduled = await newFile();
  await scene.get('POST', `/destroy/${scheduled}/schedule`, { scheduledAt: '2026-02-01T00:00:00.000Z' });
  const session = (await scene.begin(9, { name: 'unfinished.txt' })).body.sessionId as string;
  await scene.chunk(session, 0, Buffer.from('unstored!'));
  const { shareId } = await scene.get('POST', '/share/internal', { fileId: file, recipientId: friend.memberId });
  const link = await makeLink(scene, file);
  const set = await scene.get('POST', '/acl/permission-sets', { name: 'Reviewers', flags: ['read'] });
  const wanted = { operationType: 'acl_change', targetType: 'folder', targetId: folder };
  const approval = await scene.get('POST', '/approval/request', wanted);
  const notify = { type: 'notify', members: [friend.username], message: 'Look' };
  const bound = { name: 'Gone', condition: 'ABSENCE', hours: 48, actions: [notify] };
  const canary = await scene.get('POST', '/canary/bindings', bound);
  const told = await scene.get('GET', '/notifications', undefined, { token: friend.token });
  const [{ _id: notification }] = told.notifications;
  const quarantined = await quarantine(scene);
  const sealed = await seal(scene);

  return {
    scene,
    owner,
    friend,
    folder,
    trashedFolder,
    trashedFile,
    file,
    version,
    destroyed,
    proof,
    scheduled,
    session,
    share: shareId,
    link,
    permissionSet: set.id,
    approval: approval.id,
    canary: canary.id,
    quarantined,
    notification,
    sealed,
    marked: Buffer.from(preview),
    newFile,
    newVersions,
    async send(name, input, token, body) {
      const operation = filevault[name];
      const wire = requestOf(operation, input as Record<string, unknown>);
      const bytes = operation.form === 'upload' ? Uint8Array.from(body ?? []) : wire.body;
      return await house.api(wire.method, wire.path, {
        token,
        headers: {
          ...wire.headers,
          ...(operation.form === 'upload' && { 'content-type': 'application/octet-stream' }),
        },
        ...(bytes !== undefined && { rawBody: bytes }),
      });
    },
    rows: async () => await rowsOf(scene),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };

  async function quarantine({ house: { ctx } }: Scene): Promise<string> {
    const { sessionId } = (await scene.begin(7, { name: 'virus.txt' })).body;
    await scene.chunk(sessionId, 0, Buffer.from('a virus'));
    const refusing = ['-e', 'process.stdin.resume().on("end", () => process.exit(1))'];
    Object.assign(ctx.config.files, { scanCommand: [process.execPath, ...refusing] });
    await scene.call('POST', `/upload/${sessionId}/finalize`, {});
    Object.assign(ctx.config.files, { scanCommand: undefined });
    return sessionId as string;
  }
}

/** A client-encrypted container with a file. To the node all of it is random bytes of the right length. */
async function seal({ get, call, owner, chunk }: Scene): Promise<World['sealed']> {
  const { id, rootFolderId: rootId } = await get('POST', '/vaults', { name: 'Sealed', clientEncrypted: true });
  const wraps = [{ memberId: owner.memberId, wrapped: `010121${hex(97)}` }];
  await get('POST', `/vaults/${id}/keys`, { newest: 0, number: 1, signature: hex(64), wraps });
  const begin = async (fileName: string): Promise<string> => {
    const target = { mimeType: 'text/plain', totalSizeBytes: 5, targetFolderId: rootId, vaultContainerId: id };
    const { sessionId } = await get('POST', '/upload/init', { fileName, ...target });
    return sessionId as string;
  };
  const first = await begin('sealed.txt');
  await get('PUT', `/upload/${first}/key`, { keyNumber: 1, wrappedKey: hex(65) });
  // Salt and commitment, and one segment with its tag.
  const block = randomBytes(56 + 5 + 16);
  await chunk(first, 0, block);
  const hash = createHash('sha3-512').update(block).digest();
  const { body } = await call('POST', `/upload/${first}/finalize`, {
    manifest: randomBytes(56 + 13 + 64 + 16).toString('base64'),
    blocks: createHash('sha256').update(hash).digest('hex'),
  });
  return { id, rootId, file: body.fileId, session: await begin('unfinished sealed.txt') };
}

async function rowsOf({ house: { ctx } }: Scene): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of await tableNames(ctx.store)) {
    if (!/^(?:file_|member_storage$|notifications$)/.test(name)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(ctx.db);
    found[name] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return found;
}
