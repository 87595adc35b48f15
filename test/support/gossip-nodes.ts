import { randomBytes } from 'node:crypto';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import type { Context } from '../../src/service/context.ts';
import { defaultLimits, type NetworkLimits } from '../../src/platform/network/limits.ts';
import { startNetwork, type RunningNetwork } from '../../src/platform/network/network.ts';
import type { NodeDirectory } from '../../src/service/ports/outbox.ts';
import type { AdmissionPolicy, Announcement, GossipPort } from '../../src/service/ports/network.ts';
import { createSwitchboard, type Switchboard } from '../../src/platform/network/switchboard.ts';
import type { Database, EngineName } from '../../src/platform/store/database.ts';
import { collectLog, type CollectedLog } from './collected-log.ts';

/** Who belongs to the pool, as all nodes of a test see it. */
export interface TestPool extends AdmissionPolicy {
  readonly admitted: Set<string>;
  /** node id → key, of the nodes that messages can be for */
  readonly keys: Map<string, string>;
  readonly directory: NodeDirectory;
}

export function testPool(): TestPool {
  const admitted = new Set<string>();
  const keys = new Map<string, string>();
  return {
    admitted,
    keys,
    directory: {
      head: async () => ({ poolId: 'ab'.repeat(32), version: 1 }),
      standing: async (_db, nodeId) => (admitted.has(nodeId) ? 'admitted' : 'absent'),
      keyAt: async (_db, nodeId) => keys.get(nodeId),
      serving: async () => undefined,
      assertSigning: async () => undefined,
    },
    isAdmitted: (nodeId) => Promise.resolve(admitted.has(nodeId)),
    members: () => Promise.resolve([...admitted].map((nodeId) => ({ nodeId, addresses: [] }))),
  };
}

/** A node with the real network on loopback. */
export interface GossipNode extends AsyncDisposable {
  readonly nodeId: string;
  readonly port: GossipPort;
  readonly switchboard: Switchboard;
  readonly log: CollectedLog;
  readonly store: Database;
  readonly parts: GossipParts;
  /** what came in for the type `test` */
  readonly heard: Announcement[];
  readonly address: string;
  network(): RunningNetwork;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type GossipParts = Pick<
  Context,
  'store' | 'db' | 'clock' | 'random' | 'log' | 'keys' | 'config' | 'afterCommit'
>;

export interface GossipNodeOptions {
  readonly admission: AdmissionPolicy;
  readonly peers?: readonly string[];
  readonly listen?: readonly string[];
  readonly limits?: Partial<NetworkLimits>;
  readonly engine?: EngineName;
  /** an empty store of another kind than those of the tests */
  readonly openStore?: () => Promise<Database>;
  readonly now?: () => number;
  readonly onStart?: (port: GossipPort) => void;
}

/** Fast enough to wait for; an answer that a test waits for in vain has its own limit. */
export const testLimits: NetworkLimits = {
  ...defaultLimits,
  retryMs: { least: 50, most: 400 },
  answerMs: 60_000,
};

export async function gossipNode(options: GossipNodeOptions): Promise<GossipNode> {
  const store = await (options.openStore ?? (async () => await testStore(options.engine ?? 'sqljs')))();
  const keys = deriveNodeKeys(randomBytes(32));
  const log = collectLog();
  const switchboard = createSwitchboard();
  const heard: Announcement[] = [];
  const random = (size: number): Uint8Array => new Uint8Array(randomBytes(size));
  const config = await networkConfig(options);
  const clock = { now: options.now ?? Date.now };
  const afterCommit: GossipParts['afterCommit'] = (action) => void action();
  const parts: GossipParts = { store, db: store.db, clock, random, log, keys, config, afterCommit };
  switchboard.port.subscribe('test', async (announcement) => void heard.push(announcement));
  options.onStart?.(switchboard.port);
  let network: RunningNetwork | undefined;
  const node: GossipNode = {
    nodeId: keys.nodeId,
    port: switchboard.port,
    switchboard,
    log,
    store,
    parts,
    heard,
    get address() {
      const [address] = network?.addresses ?? [];
      if (address === undefined) throw new Error('the node does not listen');
      return address;
    },
    network() {
      if (network === undefined) throw new Error('the node is not started');
      return network;
    },
    async start() {
      const limits = { ...testLimits, ...options.limits };
      network = await startNetwork(parts, { switchboard, admission: options.admission, limits });
    },
    async stop() {
      await network?.[Symbol.asyncDispose]();
      network = undefined;
    },
    async [Symbol.asyncDispose]() {
      await node.stop();
      await store[Symbol.asyncDispose]();
    },
  };
  await node.start();
  return node;
}

/** Loaded when it is needed, because it works in a test run alone, and benchmarks start these nodes as well. */
async function testStore(engine: EngineName): Promise<Database> {
  const { openTestStore } = await import('./stores.ts');
  return await openTestStore(engine);
}

async function networkConfig({ peers = [], listen = ['/ip4/127.0.0.1/tcp/0'] }: GossipNodeOptions): Promise<Config> {
  const { config } = await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' });
  return { ...config, network: { enabled: true, listen, peers, announce: [] } };
}

/** Nodes that are admitted at each other, each configured with the first. */
export async function gossipNodes(
  count: number,
  options: Omit<GossipNodeOptions, 'admission' | 'peers'> = {},
): Promise<{ readonly nodes: GossipNode[]; readonly pool: TestPool } & AsyncDisposable> {
  const pool = testPool();
  const nodes: GossipNode[] = [];
  for (let at = 0; at < count; at += 1) {
    const peers = nodes[0] === undefined ? [] : [nodes[0].address];
    const node = await gossipNode({ ...options, admission: pool, peers });
    pool.admitted.add(node.nodeId);
    pool.keys.set(node.nodeId, toHex(node.parts.keys.identity.publicKey));
    nodes.push(node);
  }
  await Promise.all(nodes.map(async ({ port }) => await port.admissionChanged()));
  return {
    nodes,
    pool,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map(async (node) => await node[Symbol.asyncDispose]()));
    },
  };
}

/** @throws Error with what it waited for */
export async function until(what: string, is: () => boolean | Promise<boolean>, timeMs = 60_000): Promise<void> {
  for (const end = performance.now() + timeMs; !(await is());) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Every node is connected with every other. */
export async function untilConnected(nodes: readonly GossipNode[]): Promise<void> {
  await until('all are connected', () =>
    nodes.every(({ port }) => port.peers().filter(({ admitted }) => admitted).length === nodes.length - 1),
  );
}
