// How many messages a second go from one node to another and are acknowledged, in bursts, next to messages to a member of the same node; and
// what they take of the processors of both. Run after `npm run build`:
// npx tsx scripts/bench/mail-nodes.ts [--messages 2000] [--rounds 3] [--small]
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '../../test/support/reserved-ports.ts';
import { inTurns, median, ownFolder, ratioOf, report, settings } from './harness.ts';
import { conclave, initStore, type ServerProcess, signIn, type SignedIn, startConclave } from './server.ts';

const { messages, rounds } = settings({ messages: 2_000, rounds: 3 }, { messages: 40, rounds: 1 });
const connections = 16;
/** Of a burst, so that asking does not slow what is measured. */
const SAMPLE = 40;

interface Address {
  readonly localPart: string;
  readonly domain: string;
}

await using folder = await ownFolder();
await using one = await start('one');
await using other = await start('other');
await joinPool();
const sender = await signIn(one.server.port, one.dataDir);
const receiver = await signIn(other.server.port, other.dataDir);
const own: Address = { localPart: sender.username, domain: one.domain };
const away: Address = { localPart: receiver.username, domain: other.domain };
// For V8 to compile what is hot.
await burst(own, messages / 4);
await burst(away, messages / 4);
const cpu: number[] = [];
const rates = await inTurns(
  rounds,
  {
    here: async () => await burst(own, messages / 4),
    async there() {
      const before = await processorMs(one.server.pid, other.server.pid);
      const rate = await burst(away, messages);
      cpu.push(((await processorMs(one.server.pid, other.server.pid)) - before) / messages);
      return rate;
    },
  },
  { warmUps: 0 },
);
report('E-mail between two nodes', [
  {
    what: `messages of 1 KiB to another node, ${messages} at once`,
    value: median(rates.there),
    unit: '/s',
    nextTo: `to the same node, ${median(rates.here).toFixed(0)}/s`,
    ratio: ratioOf(rates.there, rates.here),
    atLeast: 200,
  },
  { what: 'the processors of both nodes for each', value: median(cpu), unit: 'ms' },
]);

/** @returns messages a second, from the first that is sent until all are DELIVERED at the sender */
async function burst(to: Address, count: number): Promise<number> {
  const message = { from: own, to: [to], subject: 'A message', textBody: 'word '.repeat(200) };
  const ids: string[] = [];
  const began = performance.now();
  const numbers = Array.from({ length: count }).values();
  const connection = async (): Promise<void> => {
    for (const _ of numbers) ids.push(((await sender.data('POST', '/api/emails', message)) as { id: string }).id);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const step = Math.ceil(ids.length / SAMPLE);
  const sample = [...ids.filter((_, index) => index % step === 0), ...ids.slice(-SAMPLE)];
  await allDelivered(sender, sample);
  let took = performance.now() - began;
  if (await allDelivered(sender, ids)) took = performance.now() - began;
  return (count / took) * 1000;
}

/** @returns whether some were not when they were first asked for */
async function allDelivered(member: SignedIn, ids: readonly string[]): Promise<boolean> {
  let waited = false;
  for (const id of ids)
    for (;;) {
      const { deliveries } = (await member.data('GET', `/api/emails/${id}/deliveries`)) as {
        deliveries: { status: string }[];
      };
      const statuses = new Set(deliveries.map(({ status }) => status));
      if (statuses.has('FAILED')) throw new Error(`${id} failed: ${JSON.stringify(deliveries)}`);
      if (statuses.size === 1 && statuses.has('DELIVERED')) break;
      waited = true;
      await sleep(20);
    }
  return waited;
}

/** Linux counts hundredths of a second. */
async function processorMs(...pids: readonly number[]): Promise<number> {
  const each = pids.map(async (pid) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
  return (await Promise.all(each)).reduce((sum, ms) => sum + ms, 0);
}

interface PoolNode extends AsyncDisposable {
  readonly dataDir: string;
  /** of its e-mail */
  readonly domain: string;
  readonly address: string;
  readonly server: ServerProcess;
  /** `conclave <words> --json`, as its operator */
  readonly run: (words: readonly string[], more?: Readonly<Record<string, string>>) => unknown;
}

interface Status {
  readonly node: { readonly nodeId: string };
  readonly connected: number;
  readonly pool: { readonly membership: string };
}

/** A node on loopback with e-mail of its own domain, in a process of its own. */
async function start(name: string): Promise<PoolNode> {
  const dataDir = join(folder.path, name);
  const domain = `${name}.example`;
  const address = `/ip4/127.0.0.1/tcp/${await reservePort()}`;
  const env = initStore(dataDir, {
    CONCLAVE_MAIL_DOMAIN: domain,
    CONCLAVE_RATE_LIMITS: 'off',
    CONCLAVE_NETWORK_ENABLED: 'on',
    CONCLAVE_NETWORK_LISTEN: address,
    CONCLAVE_NETWORK_ANNOUNCE: address,
    XDG_CONFIG_HOME: join(folder.path, `${name}-config`),
  });
  const server = await startConclave(dataDir, env);
  return {
    dataDir,
    domain,
    address,
    server,
    run: (words, more = {}) => JSON.parse(conclave([...words, '--json'], { ...env, ...more })) as unknown,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** Makes one pool of the two. */
async function joinPool(): Promise<void> {
  const { token } = one.run(['admin', 'nodes', 'token', 'create', '--uses', '1']) as { token: string };
  other.run(['pool', 'join', one.address], { CONCLAVE_JOIN_TOKEN: token });
  await until(() => statusOf(other).pool.membership === 'member');
  for (const node of [one, other])
    one.run(['admin', 'nodes', 'update', statusOf(node).node.nodeId, '--mail-domain', node.domain]);
  await until(() => statusOf(one).connected === 1 && statusOf(other).connected === 1);
}

function statusOf(node: PoolNode): Status {
  return node.run(['pool', 'status']) as Status;
}

async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('the nodes did not come together in a minute');
    await sleep(200);
  }
}
