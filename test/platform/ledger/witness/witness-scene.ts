import { randomBytes } from 'node:crypto';
import type { Context } from '../../../../src/service/context.ts';
import { joinLedgerNetwork } from '../../../../src/platform/ledger/witness/exchange.ts';
import { stopsOf } from '../../../../src/platform/ledger/witness/stop.ts';
import type { SharedPart } from '../../../../src/service/ports/network.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import { openHouse, type House, type HouseOptions } from '../../../support/house.ts';
import { memoryNetwork, type MemoryNetwork } from '../../../support/memory-network.ts';
import type { MemoryNode } from '../../../support/memory-node.ts';
import { slowly } from '../../../support/real-time.ts';

export interface WitnessNode {
  readonly house: House;
  readonly ctx: Context;
  readonly node: MemoryNode;
  readonly nodeId: string;
  start(): Promise<void>;
  stop(): void;
  /** off the network, and on again as a new process on the same store */
  restart(): Promise<void>;
  /** its part of what nodes tell each other */
  readonly part: SharedPart;
  stops(): Promise<string[]>;
  errors(): string[];
}

export interface WitnessScene extends AsyncDisposable {
  readonly network: MemoryNetwork;
  /** a node on the network; with the secret of another one, a copy of it */
  open(name: string, options?: HouseOptions & { readonly started?: boolean }): Promise<WitnessNode>;
  /** one more process on the store of a node */
  beside(name: string, one: WitnessNode): Promise<WitnessNode>;
}

const everybody = { isAdmitted: () => Promise.resolve(true), members: () => Promise.resolve([]) };

/** Nodes that witness each other's ledgers, in one process. */
export function openScene(engine: EngineName): WitnessScene {
  const network = memoryNetwork(() => 0);
  const houses: House[] = [];
  const nodes: WitnessNode[] = [];

  async function join(name: string, house: House, started: boolean): Promise<WitnessNode> {
    const node = network.node(name, house.ctx.keys.identity);
    let part: SharedPart | undefined;
    const share = (of: string, one: SharedPart): void => {
      part = one;
      node.port.share(of, one);
    };
    const ctx = { ...house.ctx, gossip: { ...node.port, share } };
    joinLedgerNetwork(ctx);
    const made: WitnessNode = {
      house,
      ctx,
      node,
      nodeId: ctx.keys.nodeId,
      start: async () => await node.start(everybody),
      stop: () => node.stop(),
      async restart() {
        node.stop();
        joinLedgerNetwork(ctx);
        await node.start(everybody);
      },
      get part() {
        return part as SharedPart;
      },
      stops: async () => (await stopsOf(ctx)).map(({ kind }) => kind),
      errors: () => house.log.lines.filter(({ level }) => level === 'error').map(({ message }) => String(message)),
    };
    nodes.push(made);
    if (started) await made.start();
    return made;
  }

  return {
    network,
    async open(name, { started = true, secret = randomBytes(32), ...options } = {}) {
      const house = await openHouse(engine, { ...options, secret });
      houses.push(house);
      return await join(name, house, started);
    },
    beside: async (name, { house }) => await join(name, house, true),
    async [Symbol.asyncDispose]() {
      for (const { node } of nodes) node.stop();
      // What was begun before ends by itself, and needs the stores.
      for (let quiet = 0; quiet < 3; quiet += 1) {
        await network.settled().catch(() => undefined);
        await slowly(10);
      }
      for (const house of houses) await house[Symbol.asyncDispose]();
    },
  };
}
