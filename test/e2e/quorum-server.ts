import { execaNode } from 'execa';
import { operatorId } from '../../src/service/actor.ts';
import type { Method } from '../../src/contract/operation.ts';
import { keysOf, type Person } from '../services/quorum/scene.ts';
import type { Fetch } from '../support/house.ts';
import { secretsOf, storePrepared, type HouseMember } from '../support/prepared-member.ts';
import { startNode } from '../support/running-node.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { readyOf } from './server-ready.ts';

/** What a server needs to know to go on where another one was killed. */
export interface Place {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface QuorumServer extends AsyncDisposable {
  /** throws `Killed` once the server is gone */
  readonly fetch: Fetch;
  kill(): void;
  /** kills it with the n-th answer from now on */
  killAfter(answers: number): void;
  /** a request below /api/quorum; throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(method: Method, path: string, token: string, body?: object): Promise<any>;
}

/** What a client met when its server was killed. */
export class Killed extends Error {
  override name = 'Killed';
}

/** A refusal that the server answered. */
export class Refused extends Error {
  override name = 'Refused';
}

/** A server in a process of its own, which is killed at the end if not before. */
export async function startQuorumServer({ dataDir, env }: Place): Promise<QuorumServer> {
  const child = execaNode(await sharedBundle('test/support/serve-process.ts'), {
    env: { ...env, CONCLAVE_DATA_DIR: dataDir, CONCLAVE_PORT: '0' },
    reject: false,
  });
  const { url } = await readyOf(child);
  let left = Number.POSITIVE_INFINITY;
  let isKilled = false;
  const kill = (): void => {
    isKilled = true;
    child.kill('SIGKILL');
  };
  const fetchHere: Fetch = async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const sent = method === 'GET' ? null : await request.arrayBuffer();
    try {
      const answer = await fetch(url + pathname + search, { method, headers, body: sent });
      const body = await answer.arrayBuffer();
      left -= 1;
      if (left <= 0) kill();
      return new Response(body, { status: answer.status, headers: answer.headers });
    } catch (error) {
      if (isKilled) throw new Killed('the server is gone', { cause: error });
      throw error;
    }
  };
  return {
    fetch: fetchHere,
    kill,
    killAfter(answers) {
      left = answers;
    },
    async ask(method, path, token, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const json = body === undefined ? null : JSON.stringify(body);
      const answer = await fetchHere(
        new Request(`http://localhost/api/quorum${path}`, { method, headers, body: json }),
      );
      const told = await answer.json();
      if (answer.ok) return told;
      throw new Refused(`${answer.status} ${(told as { error: { code: string } }).error.code}`);
    },
    async [Symbol.asyncDispose]() {
      kill();
      await child;
    },
  };
}

/** A quorum of so many members with accounts. Its server has ended then. */
export async function foundQuorum(
  { dataDir, env }: Place,
  members: number,
): Promise<{ readonly administrator: HouseMember; readonly people: readonly Person[] }> {
  await using node = await startNode({ dataDir, env });
  const { context } = node.engine;
  const wanted = (at: number) => ({ username: `user${at}`, email: `user${at}@example.org`, ...secretsOf(at) });
  const administrator = await storePrepared(context, wanted(0), { type: 'Admin', createdBy: operatorId });
  const people: Person[] = [];
  for (let at = 1; at <= members; at += 1) {
    const account = await storePrepared(context, wanted(at), { type: 'User' });
    const answer = await node.fetch('/api/quorum/members', {
      method: 'POST',
      headers: { authorization: `Bearer ${administrator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: account.username, accountId: account.memberId }),
    });
    const { member, mnemonic } = (await answer.json()) as { member: { id: string }; mnemonic: string };
    people.push({ ...account, id: member.id, mnemonic, keys: await keysOf(mnemonic) });
  }
  return { administrator, people };
}
