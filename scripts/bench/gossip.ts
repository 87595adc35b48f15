import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gossipNodes, until, untilConnected, type GossipNode } from '../../test/support/gossip-nodes.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { catchUp, outboxRate } from './gossip-pairs.ts';
import { printTable } from './table.ts';

/**
 * Five nodes on loopback in one process, so that its processor time is that of the whole pool; each announcement is signed, written
 * durably by every node, and checked by every node.
 */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5' },
    burst: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '1024' },
    paced: { type: 'string', default: '200' },
  },
});
const count = Number(values.nodes);
const payload = 'x'.repeat(Number(values.bytes));

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
await using _ = { [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }) };
await using pool = await gossipNodes(count, { openStore });
await untilConnected(pool.nodes);
// Meshes are grafted at the first heartbeats, and with pings nodes tell whom they hear.
await new Promise((resolve) => setTimeout(resolve, 1_500));
await Promise.all(pool.nodes.map(async (node) => await node.network().ping()));
// A node runs for days: what is measured is not how the machine compiles.
await measure('warming up', 100, 20);

const rows = [await measure('50 a second', Number(values.paced), 20), await measure('burst', Number(values.burst), 0)];
printTable(
  Object.keys(rows[0] ?? {}),
  rows.map((row) => Object.values(row)),
);

const versions = 1_000;
const caughtUp = await catchUp(versions, openStore);
process.stdout.write(
  `${versions} versions of the access list: caught up in ${(caughtUp / 1000).toFixed(2)} s (aim: below 5 s)\n`,
);
const rate = await outboxRate(3_000, openStore);
process.stdout.write(
  `outbox: ${rate.toFixed(0)} acknowledged messages a second between two nodes (aim: at least 1,000)\n`,
);

/** Written as durably as a server writes. */
async function openStore(): Promise<Database> {
  return await openDatabase({ dataDir: await mkdtemp(join(folder, 'node-')), create: true, command: 'a benchmark' });
}

async function measure(what: string, announcements: number, pauseMs: number): Promise<Record<string, string>> {
  const { nodes } = pool;
  const [first, ...others] = nodes as [GossipNode, ...GossipNode[]];
  for (const { heard } of nodes) heard.length = 0;
  const arrived: number[] = [];
  for (const { heard } of others) {
    const push = heard.push.bind(heard);
    heard.push = (...items) => {
      for (const { payload: said } of items) arrived.push(performance.now() - (said as { at: number }).at);
      return push(...items);
    };
  }
  const cpu = process.cpuUsage();
  const start = performance.now();
  const said: Promise<void>[] = [];
  for (let at = 0; at < announcements; at += 1) {
    said.push(first.port.announce('test', { at: performance.now(), payload }));
    // By the time since the start, so that a late timer doesn't slow the pace.
    const early = start + (at + 1) * pauseMs - performance.now();
    if (pauseMs > 0 && early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
  await Promise.all(said);
  const signed = performance.now() - start;
  const byGossip = (): boolean => others.every(({ heard }) => heard.length >= announcements);
  await until('all were heard', byGossip, 20_000).catch(() => undefined);
  const missing = others.reduce((sum, { heard }) => sum + announcements - heard.length, 0);
  if (missing > 0) {
    await Promise.all(nodes.map(async (node) => await node.network().reconcile()));
    await until('the rest was reconciled', byGossip, 60_000);
  }
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = arrived.toSorted((one, other) => one - other);
  return {
    what,
    announcements: String(announcements),
    'p50 ms': quantile(sorted, 0.5),
    'p99 ms': quantile(sorted, 0.99),
    'signed ms': signed.toFixed(0),
    'a second': ((announcements / took) * 1000).toFixed(0),
    'CPU ms each, all nodes': ((user + system) / 1000 / announcements).toFixed(2),
    'by reconciliation': String(missing),
    'RSS MB': (process.memoryUsage.rss() / 1e6).toFixed(0),
  };
}

function quantile(sorted: readonly number[], at: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN).toFixed(1);
}
