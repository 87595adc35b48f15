import { createHash } from 'node:crypto';
import { execaNode } from 'execa';
import { startNode } from '../support/running-node.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { secretsOf, storePrepared } from '../support/prepared-member.ts';
import { readyOf } from './server-ready.ts';

/** What a client met when its server was killed. */
export class Killed extends Error {
  override name = 'Killed';
}

export interface FilesServer extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  kill(): void;
  /** throws `Killed` once the server is gone */
  fetch(path: string, init?: RequestInit): Promise<{ status: number; bytes: Buffer }>;
  /** a body that is read piece by piece */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** a request below /filevault with JSON; throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(method: string, path: string, body?: object): Promise<any>;
}

export interface Place {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
}

/** A store with a member. Its server has ended then. */
export async function foundVault(dataDir: string, env: Readonly<Record<string, string>>): Promise<Place> {
  await using node = await startNode({ dataDir, env });
  const account = { username: 'ann', email: 'ann@example.org', ...secretsOf(0) };
  const { token } = await storePrepared(node.engine.context, account, { type: 'User' });
  return { dataDir, env, token };
}

/** A server in a process of its own, which is killed at the end if not before. */
export async function startFilesServer({ dataDir, env, token }: Place): Promise<FilesServer> {
  const child = execaNode(await sharedBundle('test/support/serve-process.ts'), {
    env: { ...env, CONCLAVE_DATA_DIR: dataDir, CONCLAVE_PORT: '0' },
    reject: false,
  });
  const { url } = await readyOf(child);
  let isKilled = false;
  const kill = (): void => {
    isKilled = true;
    child.kill('SIGKILL');
  };
  const fetchHere: FilesServer['fetch'] = async (path, { headers, ...init } = {}) => {
    try {
      const given = { authorization: `Bearer ${token}`, ...(headers as Record<string, string> | undefined) };
      const answer = await fetch(url + path, { ...init, headers: given });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    } catch (error) {
      if (isKilled) throw new Killed('the server is gone', { cause: error });
      throw error;
    }
  };
  return {
    pid: child.pid!,
    url,
    kill,
    fetch: fetchHere,
    async stream(path) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      return answer.body as AsyncIterable<Uint8Array>;
    },
    async ask(method, path, body) {
      const headers = { 'content-type': 'application/json' };
      const { status, bytes } = await fetchHere(`/filevault${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const told = status === 204 ? undefined : (JSON.parse(bytes.toString()) as { error?: string });
      if (status < 300) return told;
      throw new Error(`${method} ${path}: ${status} ${told?.error}`);
    },
    async [Symbol.asyncDispose]() {
      kill();
      await child;
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
