import { signIn } from './server.ts';
import { headOf, openWire, type Wire } from './wire.ts';

export interface Vault {
  readonly port: number;
  readonly token: string;
  readonly containerId: string;
  readonly rootId: string;
  /** a request below /filevault whose answer is JSON */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(method: string, path: string, body?: object): Promise<any>;
}

/** Signs the administrator of a store in, and makes a container without files. */
export async function openVault(port: number, dataDir: string): Promise<Vault> {
  const { headers, ask: asking } = await signIn(port, dataDir);
  const ask: Vault['ask'] = async (method, path, body) => {
    const answer = await asking(method, `/filevault${path}`, body);
    return answer.status === 204 ? undefined : await answer.json();
  };
  const name = `Container ${process.hrtime.bigint()}`;
  const made = (await ask('POST', '/vaults', { name })) as { id: string; rootFolderId: string };
  const token = headers.authorization.slice('Bearer '.length);
  return { port, token, containerId: made.id, rootId: made.rootFolderId, ask };
}

interface Begun {
  readonly sessionId: string;
  readonly chunkSize: number;
  readonly totalChunks: number;
}

async function begin(vault: Vault, fileName: string, totalSizeBytes: number): Promise<Begun> {
  const target = { targetFolderId: vault.rootId, vaultContainerId: vault.containerId };
  const file = { fileName, mimeType: 'application/octet-stream', totalSizeBytes, ...target };
  return (await vault.ask('POST', '/upload/init', file)) as Begun;
}

/**
 * Uploads a file by several chunks at once, each over a connection of its own.
 * @param part the bytes of a chunk
 * @returns the id of the file
 */
export async function upload(
  vault: Vault,
  { name, size, atOnce }: { readonly name: string; readonly size: number; readonly atOnce: number },
  part: (index: number, length: number) => Uint8Array,
): Promise<string> {
  const { sessionId, chunkSize, totalChunks } = await begin(vault, name, size);
  let next = 0;
  const sendSome = async (): Promise<void> => {
    using wire = await openWire(vault.port);
    for (let index = next++; index < totalChunks; index = next++) {
      const length = Math.min(chunkSize, size - index * chunkSize);
      await sent(wire, vault, `/upload/${sessionId}/chunk/${index}`, part(index, length));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendSome));
  return ((await vault.ask('POST', `/upload/${sessionId}/finalize`, {})) as { fileId: string }).fileId;
}

async function sent(wire: Wire, { token }: Vault, path: string, bytes: Uint8Array): Promise<void> {
  const { status, body } = await wire.ask(headOf('PUT', `/filevault${path}`, token, bytes.length), bytes);
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.toString()}`);
}
