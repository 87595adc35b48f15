import { cipherFor } from '../../../../src/client/filevault/cipher.ts';
import { openKeyring } from '../../../../src/client/filevault/keyring.ts';
import { keysForLink, newShareId } from '../../../../src/client/filevault/share-keys.ts';
import { remoteTransport } from '../../../../src/client/http-transport.ts';
import { keyPairFrom } from '../../../../src/client/member-secret.ts';
import { perform, type Caller } from '../../../../src/client/perform.ts';
import { filevault } from '../../../../src/contract/filevault.ts';
import { fromHex } from '../../../../src/crypto/bytes.ts';
import { secretsOf, storePrepared, type HouseMember } from '../../../support/prepared-member.ts';
import { startNode, type RunningNode } from '../../../support/running-node.ts';
import { openCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';

/** A link as its maker got it. */
export interface NodeLink {
  readonly id: string;
  readonly url: string;
}

/** A real server with a member who shares files by links, and a way to it that can break. */
export interface NodeLinks extends AsyncDisposable {
  readonly node: RunningNode;
  readonly proxy: CuttingProxy;
  readonly origin: string;
  readonly owner: HouseMember;
  /** below /filevault. @returns the body. @throws Error for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** the id of a new file */
  file(content: Uint8Array, name?: string): Promise<string>;
  link(fileId: string, more?: object): Promise<NodeLink>;
  /** withdraws a link, not by the way that can break: a client may take a connection that just broke for a whole one */
  revoke(link: NodeLink): Promise<void>;
  /** a link to a new file of a client-encrypted container: its key is made here. @returns also what the server must never have */
  sealedLink(
    content: Uint8Array,
    name: string,
  ): Promise<NodeLink & { readonly secrets: ReadonlyMap<string, Uint8Array> }>;
  /** how often a link was opened, as the server counts */
  accesses(id: string): Promise<number>;
}

export async function openNodeLinks(): Promise<NodeLinks> {
  const node = await startNode();
  const proxy = await openCuttingProxy(node.ready.url);
  const origin = `http://localhost:${proxy.port}`;
  const wanted = { username: 'ada', email: 'ada@example.org', ...secretsOf(1) };
  const owner = await storePrepared(node.engine.context, wanted, { type: 'User' });
  const headers = { authorization: `Bearer ${owner.token}` };

  const call: NodeLinks['call'] = async (method, path, body) => {
    const isRaw = body instanceof Uint8Array;
    const type = isRaw ? 'application/octet-stream' : 'application/json';
    const answer = await fetch(`${origin}/filevault${path}`, {
      method,
      headers: { ...headers, 'content-type': type },
      ...(body !== undefined && { body: isRaw ? Uint8Array.from(body) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const home = await call('POST', '/vaults', { name: 'Home' });
  const caller: Caller = {
    transport: remoteTransport(new URL(origin), undefined),
    place: 'the node',
    userAgent: 'test',
    tokenFor: async () => owner.token,
  };
  const upload = (container: { id: string; rootFolderId: string }, content: Uint8Array, fileName: string) => ({
    fileName,
    mimeType: 'application/pdf',
    totalSizeBytes: content.length,
    targetFolderId: container.rootFolderId,
    vaultContainerId: container.id,
  });
  const link: NodeLinks['link'] = async (fileId, more = {}) =>
    await call('POST', '/share/link', { fileId, mode: 'ephemeral_key_pair', ...more });
  let files = 0;

  return {
    node,
    proxy,
    origin,
    owner,
    call,
    link,
    async revoke({ id }) {
      const answer = await fetch(new URL(`/filevault/share/link/${id}`, node.ready.url), { method: 'DELETE', headers });
      if (!answer.ok) throw new Error(`The link was not withdrawn: ${answer.status} ${await answer.text()}`);
    },
    async file(content, name = `file-${(files += 1)}.pdf`) {
      const { sessionId, chunkSize, totalChunks } = await call('POST', '/upload/init', upload(home, content, name));
      for (let index = 0; index < totalChunks; index += 1) {
        const part = content.subarray(index * chunkSize, (index + 1) * chunkSize);
        await call('PUT', `/upload/${sessionId}/chunk/${index}`, part);
      }
      return (await call('POST', `/upload/${sessionId}/finalize`, {})).fileId;
    },
    async sealedLink(content, name) {
      const container = await call('POST', '/vaults', { name: `Sealed ${name}`, clientEncrypted: true });
      const own = await keyPairFrom(owner.mnemonic);
      const cipher = cipherFor({ caller, container, own });
      const { sessionId, chunkSize, totalChunks } = await cipher.beginning(
        async () => await perform(caller, filevault.beginUpload, upload(container, content, name)),
      );
      const sealed = await cipher.upload(sessionId);
      for (let index = 0; index < totalChunks; index += 1) {
        const part = content.subarray(index * chunkSize, (index + 1) * chunkSize);
        await sealed.send(index, part.length, async function* pieces() {
          yield part;
        });
      }
      const { id: fileId } = await sealed.finish();
      const linkId = newShareId();
      const opened = await cipher.open(fileId);
      const { privateKey, ...keys } = keysForLink(linkId, opened);
      const made = await link(fileId, { linkId, ...keys });
      const { keys: containerKeys } = await openKeyring(caller, container, own);
      const secrets = new Map<string, Uint8Array>([
        ['the key of the link', fromHex(privateKey)],
        ['the key of the file', opened.key],
        ['the private key of the owner', own.privateKey],
        ['the phrase of the owner', Buffer.from(owner.mnemonic)],
        ...[...containerKeys].map(([number, key]) => [`key ${number} of the container`, key] as const),
      ]);
      return { ...made, url: `${made.url}#${Buffer.from(fromHex(privateKey)).toString('base64url')}`, secrets };
    },
    async accesses(id) {
      const { db } = node.engine.context;
      const row = await db
        .selectFrom('file_links')
        .select('access_count')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.access_count;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}
