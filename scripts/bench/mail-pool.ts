import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { initMail } from './mail-store.ts';
import { program } from './served-node.ts';
import { cleanEnvironment, startConclave, type ServerProcess } from './server-process.ts';

export interface PoolNode {
  readonly dataDir: string;
  /** of its e-mail */
  readonly domain: string;
  readonly server: ServerProcess;
  /** `conclave <words> --json`, as its operator */
  run<T>(words: readonly string[], more?: Readonly<Record<string, string>>): Promise<T>;
}

interface Started extends PoolNode {
  readonly address: string;
}

interface Status {
  readonly node: { readonly nodeId: string };
  readonly connected: number;
  readonly pool: { readonly membership: string };
}

/** Two nodes of one pool on loopback, each with e-mail of its own domain, in processes of their own. The caller stops the servers. */
export async function twoNodes(folder: string): Promise<readonly [PoolNode, PoolNode]> {
  const one = await start(folder, 'one');
  const other = await start(folder, 'other');
  const { token } = await one.run<{ token: string }>(['admin', 'nodes', 'token', 'create', '--uses', '1']);
  await other.run(['pool', 'join', one.address], { CONCLAVE_JOIN_TOKEN: token });
  await until(async () => (await statusOf(other)).pool.membership === 'member');
  for (const node of [one, other]) {
    const { nodeId } = (await statusOf(node)).node;
    await one.run(['admin', 'nodes', 'update', nodeId, '--mail-domain', node.domain]);
  }
  await until(async () => (await statusOf(one)).connected === 1 && (await statusOf(other)).connected === 1);
  return [one, other];
}

async function start(folder: string, name: string): Promise<Started> {
  const dataDir = join(folder, name);
  const domain = `${name}.example`;
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const env = initMail(dataDir, {
    CONCLAVE_MAIL_DOMAIN: domain,
    CONCLAVE_RATE_LIMITS: 'off',
    CONCLAVE_NETWORK_ENABLED: 'on',
    CONCLAVE_NETWORK_LISTEN: address,
    CONCLAVE_NETWORK_ANNOUNCE: address,
    XDG_CONFIG_HOME: join(folder, `${name}-config`),
  });
  const server = await startConclave(dataDir, env);
  return {
    dataDir,
    domain,
    address,
    server,
    async run<T>(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const options = { env: cleanEnvironment({ ...env, ...more }) };
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, '--json'], options);
      return JSON.parse(stdout) as T;
    },
  };
}

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function statusOf(node: PoolNode): Promise<Status> {
  return await node.run<Status>(['pool', 'status']);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('the nodes did not come together in a minute');
    await sleep(200);
  }
}
