import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/base/log.ts';
import { openEngine, type Engine } from '../../src/node/engine.ts';
import { median, ownFolder } from './harness.ts';
import { startEngine } from './server.ts';

/** An engine over a store of its own, without rate limits. @param kind `sqljs` or `postgres` */
export async function withEngine<T>(measure: (engine: Engine) => Promise<T>, kind = 'sqljs'): Promise<T> {
  await using folder = await ownFolder();
  await using database = await startEngine(kind);
  const place = { home: folder.path, cwd: folder.path };
  const { config, secrets } = await loadConfig({ flags: { 'data-dir': folder.path }, env: database.env, ...place });
  const free = { ...config, limits: { ...config.limits, enabled: false } };
  await using engine = await openEngine(free, secrets, { create: true, log: silentLog });
  return await measure(engine);
}

/** The longest stall of the event loop in a round of work, in milliseconds: the median of some rounds, which one slow moment of the machine does not move. */
export async function stalled(rounds: number, work: (round: number) => Promise<unknown>): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await work(round);
    // What stands still at the end of the work is counted when the next timer is late.
    await sleep(5);
    delay.disable();
    longest.push(delay.max / 1e6);
  }
  return median(longest);
}
