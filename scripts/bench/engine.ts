import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/base/log.ts';
import { openEngine, type Engine } from '../../src/node/engine.ts';
import { ownFolder } from './harness.ts';

/** An engine over an embedded store of its own, without rate limits. */
export async function withEngine<T>(measure: (engine: Engine) => Promise<T>): Promise<T> {
  await using folder = await ownFolder();
  const place = { home: folder.path, cwd: folder.path };
  const { config, secrets } = await loadConfig({ flags: { 'data-dir': folder.path }, env: {}, ...place });
  const free = { ...config, limits: { ...config.limits, enabled: false } };
  await using engine = await openEngine(free, secrets, { create: true, log: silentLog });
  return await measure(engine);
}

/** The longest stall of the event loop in some rounds of work, in milliseconds: the shortest of them, as others only ever add. */
export async function stalled(rounds: number, work: (round: number) => Promise<unknown>): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await work(round);
    delay.disable();
    longest.push(delay.max / 1e6);
  }
  return Math.min(...longest);
}
