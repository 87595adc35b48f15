import { createHash } from 'node:crypto';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openClient, type Client } from '../../../src/client/client.ts';
import { perform } from '../../../src/client/perform.ts';
import { ledger } from '../../../src/contract/ledger.ts';
import { pool } from '../../../src/contract/pool.ts';
import type { ReplyOf } from '../../../src/contract/operation.ts';
import { reservePort } from '../../support/reserved-ports.ts';
import { passwordOf, type Tour, type Traveller } from './tour.ts';

type PoolStatus = ReplyOf<(typeof pool)['status']>;

/** Nodes look at each other in rounds of half a minute, and some things take several. */
const patience = { timeout: 300_000, interval: 500 };

/** A node that belongs to a pool: a home of its own on this machine, with a terminal for its operator and one for its server. */
export interface TourNode {
  readonly operator: Traveller;
  /** where other nodes reach it */
  readonly address: string;
  /** the folder of its store */
  readonly dataDir: string;
  serve(): Promise<void>;
  stop(): Promise<void>;
  status(): Promise<PoolStatus>;
  /** Asks it as its operator. */
  ask<T>(question: (client: Client) => Promise<T>): Promise<T>;
  /** Waits until something is so. @param what for the message when it never is */
  until(what: string, isSo: (status: PoolStatus) => boolean): Promise<PoolStatus>;
  /** Waits until another node has cosigned all of its ledger. @returns its size */
  witnessed(): Promise<number>;
}

/** The variables of an operator and of the server, for a node with this name that other nodes reach at a port. */
export function variablesOf(name: string, port: number): Record<string, string> {
  return {
    CONCLAVE_NETWORK_LISTEN: `127.0.0.1:${port}`,
    CONCLAVE_MAIL_DOMAIN: `${name}.example`,
    CONCLAVE_MASTER_PASSWORD: passwordOf(name),
    CONCLAVE_PASSWORD: passwordOf(name),
  };
}

/**
 * Begins a node, and serves it. Its key is the same in each run, because the words of its fingerprint decide where lines end.
 * @param given where the operator is there already
 */
export async function openNode(
  tour: Tour,
  name: string,
  given?: { readonly operator: Traveller; readonly port: number },
): Promise<TourNode> {
  const port = given?.port ?? (await reservePort());
  const webPort = given === undefined ? String(await reservePort()) : new URL(tour.url).port;
  const variables = { ...variablesOf(name, port), CONCLAVE_PORT: webPort };
  const operator = given?.operator ?? (await tour.openHome(name, variables));
  const server = await tour.openHome(`${name}-serves`, variables, operator.home);
  const dataDir = join(operator.home, '.local/share/conclave');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'node.secret'), createHash('sha256').update(`the node of ${name}`).digest(), {
    mode: 0o600,
  });
  await tour.meanwhile(operator, `conclave init --username ${name} --email ${name}@example.org`, [
    ['? Password', passwordOf(name)],
    ['Password, again', passwordOf(name)],
  ]);

  const ask: TourNode['ask'] = async (question) => {
    const [userAgent, command] = ['test', 'test'];
    await using client = await openClient({ env: { CONCLAVE_DATA_DIR: dataDir }, userAgent, command, dataDir });
    return await question(client);
  };
  const status = async (): Promise<PoolStatus> => await ask(async (client) => await perform(client, pool.status, {}));
  const node: TourNode = {
    operator,
    address: `127.0.0.1:${port}`,
    dataDir,
    async serve() {
      await server.terminal.begin('conclave serve --network-enabled', `Conclave serves http://127.0.0.1:${webPort}`);
    },
    async stop() {
      await server.terminal.press('C-c');
      await server.terminal.ends();
    },
    status,
    ask,
    async until(what, isSo) {
      await expect.poll(async () => isSo(await status()), { ...patience, message: what }).toBe(true);
      return await status();
    },
    async witnessed() {
      const head = async () => await ask(async (client) => await perform(client, ledger.head, {}));
      const whole = async (): Promise<boolean> => {
        const { size, cosigned } = await head();
        return cosigned?.size === size;
      };
      await expect.poll(whole, patience).toBe(true);
      return (await head()).size;
    },
  };
  await node.serve();
  await tour.meanwhile(operator, `conclave login ${name}`);
  return node;
}

/** Waits until all of them follow the same access list. */
export async function agree(...nodes: readonly TourNode[]): Promise<void> {
  const lists = async (): Promise<number> =>
    new Set(
      await Promise.all(
        nodes.map(async (node) => {
          const { pool: of } = await node.status();
          return `${of.poolId} ${of.hash} ${of.membership}`;
        }),
      ),
    ).size;
  await expect.poll(lists, { ...patience, message: 'one access list' }).toBe(1);
}

/** Sockets belong to a process that runs. */
const isKept = (path: string): boolean => !/(?:control\.sock|store\.lock\S*)$/.test(path);

/** Puts the copy of a data folder in the place of another one. */
export async function replace(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, filter: isKept });
}
