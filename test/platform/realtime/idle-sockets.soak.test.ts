import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { execaNode } from 'execa';
import { describe, expect, it } from 'vitest';
import { socketLimits } from '../../../src/contract/realtime/limits.ts';
import { connectRawWs, type RawWs } from '../../support/raw-ws.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { temporaryFolder } from '../../support/stores.ts';

const WANTED = 10_000;
/** where a process may not open that many files */
const FEWER = 4_000;
const BYTES = 25 * 1024;
const EACH = socketLimits.socketsPerMember;

/** Files that this process may open, and so those that it starts; where the system does not say it, as many as it takes. */
async function descriptors(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return soft === undefined ? Infinity : soft === 'unlimited' ? Infinity : Number(soft);
}

interface Memory {
  readonly kept: number;
  readonly resident: number;
}

async function startServer(dataDir: string) {
  const child = execaNode(await sharedBundle('test/platform/realtime/idle-sockets-process.ts'), {
    env: {
      CONCLAVE_DATA_DIR: dataDir,
      CONCLAVE_PORT: '0',
      CONCLAVE_LOG_LEVEL: 'error',
      CONCLAVE_RATE_LIMITS: 'off',
      CONCLAVE_SERVER_CONNECTIONS_PER_ADDRESS: '100000',
      CONCLAVE_SERVER_MAX_CONNECTIONS: '100000',
    },
    reject: false,
    buffer: false,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the server ended');
    return JSON.parse(line.value) as T;
  };
  const { url } = await next<{ url: string }>();
  return {
    port: Number(new URL(url).port),
    async memory(): Promise<Memory> {
      child.stdin.write('\n');
      return await next<Memory>();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child;
    },
  };
}

interface Registered {
  readonly token: string;
  readonly memberId: string;
}

async function register(port: number, at: number): Promise<Registered> {
  const response = await fetch(`http://127.0.0.1:${port}/api/user/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: `idle-${at}`,
      email: `idle-${at}@example.org`,
      password: 'seven green bottles',
    }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: Registered }).data;
}

/** Signed in, and hearing of all conversations of its member. */
async function idle(port: number, { token, memberId }: Registered): Promise<RawWs> {
  const socket = await connectRawWs(port, { authorization: `Bearer ${token}` });
  await socket.until(({ type }) => type === 'ready');
  socket.say({ type: 'subscribe', topics: [`inbox:${memberId}`] });
  await socket.until(({ type }) => type === 'subscribed');
  return socket;
}

describe('sockets that say nothing', () => {
  it('take little memory of a server', { timeout: 1_800_000 }, async () => {
    const most = await descriptors();
    const count = most >= WANTED + 1_000 ? WANTED : FEWER;
    await using folder = await temporaryFolder();
    await using server = await startServer(folder.path);
    const members: Registered[] = [];
    while (members.length < count / EACH)
      members.push(...(await Promise.all([0, 1, 2, 3].map((more) => register(server.port, members.length + more)))));
    const all: RawWs[] = [];
    const open = async (of: readonly Registered[]) => {
      for (const member of of)
        all.push(...(await Promise.all(Array.from({ length: EACH }, () => idle(server.port, member)))));
    };
    // What the first ones bring with them is not theirs.
    const [first, ...others] = members as [Registered, ...Registered[]];
    await open([first]);
    const before = await server.memory();
    await open(others);
    const after = await server.memory();
    const more = all.length - EACH;
    const each = { kept: (after.kept - before.kept) / more, resident: (after.resident - before.resident) / more };
    console.log(
      `${all.length} idle sockets (${most} descriptors): ${Math.round(each.kept)} bytes each, ${Math.round(each.resident)} resident`,
    );
    expect(all.filter(({ closedWith }) => closedWith !== undefined)).toEqual([]);
    expect(each.kept).toBeLessThanOrEqual(BYTES);
    expect(each.resident).toBeLessThanOrEqual(BYTES);
    for (const socket of all) socket[Symbol.dispose]();
  });
});
