// One of the processes of ledger-processes.ts: a node over PostgreSQL, of which members read entries of password vaults.
//
//   tsx ledger-reader.ts <data directory>
//
// The URL of the database comes from CONCLAVE_DATABASE. Each message is a `Slice`; the answer is a `Taken`.

import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/load.ts';
import { openEngine } from '../../src/engine.ts';
import { silentLog } from '../../src/log.ts';

export interface Slice {
  readonly token: string;
  /** one for each reader: the path of an entry */
  readonly paths: readonly string[];
  readonly ms: number;
  /** from the beginning of one read of a reader to the next, at least */
  readonly everyMs: number;
}

export interface Taken {
  readonly perSecond: number;
  readonly failed: number;
  /** 99 of 100 reads took at most this many milliseconds */
  readonly p99: number;
  /** from the answer to the place of its entry: 19 of 20 took at most this many milliseconds */
  readonly placedMs: number;
}

const [dataDir = ''] = process.argv.slice(2);
const { config, secrets } = await loadConfig({
  flags: { 'data-dir': dataDir },
  env: process.env,
  home: dataDir,
  cwd: dataDir,
});
const engine = await openEngine(config, secrets, { log: silentLog });
const { ledger } = engine.context;

async function read(token: string, path: string): Promise<boolean> {
  const request = new Request(`http://bench.test${path}`, { headers: { authorization: `Bearer ${token}` } });
  const response = await engine.fetch(request);
  return (await response.arrayBuffer()).byteLength > 0 && response.status === 200;
}

function reached(share: number, sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

async function run({ token, paths, ms, everyMs }: Slice): Promise<Taken> {
  const began = performance.now();
  const took: number[] = [];
  const placed: number[] = [];
  let failed = 0;
  let watched = false;
  const watch = async (): Promise<void> => {
    if (watched) return;
    watched = true;
    const from = performance.now();
    await ledger.settled();
    placed.push(performance.now() - from);
    watched = false;
  };
  const reader = async (path: string): Promise<void> => {
    // Not all at the same moment.
    if (everyMs > 0) await sleep(Math.random() * everyMs);
    while (performance.now() - began < ms) {
      const from = performance.now();
      if (!(await read(token, path))) failed += 1;
      took.push(performance.now() - from);
      void watch();
      const left = from + everyMs - performance.now();
      if (left > 0) await sleep(left);
    }
  };
  await Promise.all(paths.map(reader));
  const seconds = (performance.now() - began) / 1000;
  await ledger.settled();
  took.sort((a, b) => a - b);
  placed.sort((a, b) => a - b);
  return {
    perSecond: (took.length - failed) / seconds,
    failed,
    p99: reached(0.99, took),
    placedMs: reached(0.95, placed),
  };
}

process.on('message', (slice: Slice) => void run(slice).then((taken) => process.send?.(taken)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
