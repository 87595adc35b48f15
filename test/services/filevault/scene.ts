import { createHash } from 'node:crypto';
import type { Method } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type ApiOptions, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

export interface Scene extends AsyncDisposable {
  readonly house: House;
  readonly owner: HouseMember;
  /** of the owner's container */
  readonly containerId: string;
  readonly rootId: string;
  /** a request below /filevault, by the owner unless another token is given */
  call(method: Method, path: string, body?: unknown, options?: ApiOptions): Promise<ApiAnswer>;
  /** the same; answers the body, and throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  get(method: Method, path: string, body?: unknown, options?: ApiOptions): Promise<any>;
  /** the id of a new folder */
  folder(name: string, parentId?: string, token?: string): Promise<string>;
  /** the id of a new file, or of a file with a new version */
  file(content: string | Uint8Array, options?: FileOptions): Promise<string>;
  begin(size: number, options?: FileOptions): Promise<ApiAnswer>;
  chunk(sessionId: string, index: number, bytes: Uint8Array, options?: ApiOptions): Promise<ApiAnswer>;
  /** grants a level or flags on a folder or file to a member, beside what its list has */
  grant(kind: 'file' | 'folder', id: string, entry: object): Promise<void>;
  /** the content of a file */
  read(fileId: string, options?: ApiOptions): Promise<{ status: number; headers: Headers; bytes: Buffer }>;
}

export interface FileOptions {
  readonly name?: string;
  readonly folder?: string;
  readonly type?: string;
  readonly replaces?: string;
  readonly token?: string;
  readonly container?: string;
}

/** An owner with an empty container. */
export async function openScene(engine: EngineName, options: HouseOptions = {}): Promise<Scene> {
  const house = await openHouse(engine, options);
  const owner = await house.register();
  const call: Scene['call'] = async (method, path, body, more = {}) =>
    await house.api(method, `/filevault${path}`, { token: owner.token, ...(body !== undefined && { body }), ...more });
  const get: Scene['get'] = async (...request) => {
    const answer = await call(...request);
    if (answer.status >= 300)
      throw new Error(`${request[0]} ${request[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const made = await get('POST', '/vaults', { name: 'Home' });
  const [containerId, rootId] = [made.id as string, made.rootFolderId as string];
  let files = 0;

  const begin: Scene['begin'] = async (size, { name, folder = rootId, type, replaces, token, container } = {}) => {
    files += 1;
    return await call(
      'POST',
      '/upload/init',
      {
        fileName: name ?? `file-${files}.bin`,
        mimeType: type ?? 'application/octet-stream',
        totalSizeBytes: size,
        targetFolderId: folder,
        vaultContainerId: container ?? containerId,
        ...(replaces !== undefined && { targetFileId: replaces }),
      },
      token === undefined ? {} : { token },
    );
  };
  const chunk: Scene['chunk'] = async (sessionId, index, bytes, more = {}) =>
    await call('PUT', `/upload/${sessionId}/chunk/${index}`, undefined, {
      ...more,
      rawBody: Uint8Array.from(bytes),
      headers: { 'content-type': 'application/octet-stream', ...more.headers },
    });

  return {
    house,
    owner,
    containerId,
    rootId,
    call,
    get,
    begin,
    chunk,
    async folder(name, parentFolderId = rootId, token = owner.token) {
      const body = { name, parentFolderId, vaultContainerId: containerId };
      return (await get('POST', '/folders', body, { token })).id as string;
    },
    async file(content, fileOptions = {}) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const token = fileOptions.token ?? owner.token;
      const begun = await begin(bytes.length, fileOptions);
      if (begun.status !== 201) throw new Error(JSON.stringify(begun.body));
      const { sessionId, chunkSize, totalChunks } = begun.body;
      for (let index = 0; index < totalChunks; index += 1) {
        const part = bytes.subarray(index * chunkSize, (index + 1) * chunkSize);
        const stored = await chunk(sessionId, index, part, { token });
        if (stored.status !== 200) throw new Error(JSON.stringify(stored.body));
      }
      return (await get('POST', `/upload/${sessionId}/finalize`, {}, { token })).fileId as string;
    },
    async grant(kind, id, entry) {
      const { entries } = await get('GET', `/acl/${kind}/${id}`);
      await get('PUT', `/acl/${kind}/${id}`, { entries: [...entries, entry] });
    },
    async read(fileId, { token = owner.token, headers = {} } = {}) {
      const request = new Request(`http://house.test/filevault/files/${fileId}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      const answer = await house.fetch(request);
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

/** What a failed request said: its status and code. */
export function said(answer: ApiAnswer): string {
  return `${answer.status} ${answer.body.error ?? 'success'}`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
