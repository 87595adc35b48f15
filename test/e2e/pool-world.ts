import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openWires } from '../support/open-wires.ts';
import type { Wires } from '../support/wires.ts';
import { poolNode, type PoolNode, type PoolStatus, type Said } from '../services/pool/pool-nodes.ts';

/** As long as a slow machine needs for what takes a fast one a second. A cut wire is noticed after as many seconds as pings may take. */
export const patience = { timeout: 150_000, interval: 1_000 };

/** Nodes that run `conclave serve`, with wires between them. */
export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly wires: Wires;
  node(name: string): PoolNode;
  /** its node id */
  id(name: string): string;
  /** Starts another node. @param copyOf the data folder that it is a copy of */
  add(name: string, copyOf?: string): Promise<PoolNode>;
  status(name: string): Promise<PoolStatus>;
  /** a command that has to succeed */
  must(name: string, ...words: string[]): Promise<Said>;
  /** The node `name` asks to join by way of another one. @returns the command that approves it, as the asking node was told it */
  askToJoin(name: string, by: string): Promise<string[]>;
  /** Nodes join the pool of another one with a token that this one makes. */
  admit(by: string, ...names: string[]): Promise<void>;
  /** Waits until all of these belong to the pool and have the same active list. */
  agree(...among: string[]): Promise<PoolStatus['pool']>;
  /** Waits until nodes are connected with as many others. */
  connected(count: number, ...among: string[]): Promise<void>;
  /** names of the nodes in the active list of a node */
  listed(name: string): Promise<string[]>;
  /** ids of the nodes that wait for a decision */
  pending(name: string): Promise<string[]>;
}

export async function openWorld(...names: string[]): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-pool-'));
  const wires = await openWires();
  const nodes = new Map<string, PoolNode>();
  const ids = new Map<string, string>();

  const node = (name: string): PoolNode => {
    const found = nodes.get(name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  };
  const id = (name: string): string => ids.get(name) ?? '';
  const status: World['status'] = async (name) => await node(name).status();

  async function add(name: string, copyOf?: string): Promise<PoolNode> {
    const made = await poolNode(name, { folder, wires, ...(copyOf !== undefined && { copyOf }) });
    nodes.set(name, made);
    await made.start();
    ids.set(name, (await status(name)).node.nodeId);
    return made;
  }

  async function must(name: string, ...words: string[]): Promise<Said> {
    const said = await node(name).run(...words);
    if (said.exitCode !== 0) throw new Error(`${name}: conclave ${words.join(' ')}: ${said.stderr}`);
    return said;
  }

  async function pending(name: string): Promise<string[]> {
    const { json } = await must(name, 'admin', 'nodes', 'pending');
    return json.pendingNodes.map(({ nodeId }: { nodeId: string }) => nodeId);
  }

  const world: World = {
    folder,
    wires,
    node,
    id,
    add,
    status,
    must,
    pending,
    async askToJoin(name, by) {
      const asked = await must(name, 'pool', 'join', node(by).address, '--message', `this is ${name}`);
      // What the administrator is to type is told word for word.
      const [, nodeId = '', fingerprint = ''] =
        /^conclave admin nodes approve (\w+) --fingerprint "(.*)"$/.exec(asked.json.approve) ?? [];
      expect(nodeId).toBe(id(name));
      await expect.poll(async () => await pending(by), patience).toContain(nodeId);
      return ['admin', 'nodes', 'approve', nodeId, '--fingerprint', fingerprint];
    },
    async admit(by, ...joining) {
      const { json } = await must(by, 'admin', 'nodes', 'token', 'create', '--uses', String(joining.length));
      await Promise.all(
        joining.map(async (name) => {
          const said = await node(name).runWith({ CONCLAVE_JOIN_TOKEN: json.token }, 'pool', 'join', node(by).address);
          expect(said).toMatchObject({ exitCode: 0 });
        }),
      );
      await world.agree(by, ...joining);
    },
    async agree(...among) {
      const seen = async () => {
        const all = await Promise.all(among.map(status));
        const lists = all.map(({ pool }) => `${pool.poolId} ${pool.version} ${pool.hash} ${pool.membership}`);
        return [...new Set(lists)];
      };
      await expect.poll(seen, patience).toHaveLength(1);
      const { pool } = await status(among[0] ?? '');
      expect(pool.membership).toBe('member');
      return pool;
    },
    async connected(count, ...among) {
      const seen = async () => await Promise.all(among.map(async (name) => (await status(name)).connected));
      await expect.poll(seen, patience).toEqual(among.map(() => count));
    },
    async listed(name) {
      const { json } = await must(name, 'admin', 'nodes', 'acl', 'show');
      const named = new Map([...ids].map(([one, nodeId]) => [nodeId, one]));
      const writers = json.acl.writers as { nodeId: string }[];
      return writers.map(({ nodeId }) => named.get(nodeId) ?? nodeId).toSorted();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...nodes.values()].map((one) => one.kill()));
      await wires[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(names.map(async (name) => await add(name)));
    return world;
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}
