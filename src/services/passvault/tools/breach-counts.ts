import type { Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { breachCount } from './breach.ts';

/** Questions at once: politeness towards a service that is free. */
const AT_ONCE = 8;
/** For all of them together: who waits for a report wants it. */
const TIMEOUT_MS = 60_000;

/**
 * How often each of many passwords occurs in known breaches, by its hash.
 * @returns undefined when that could not be found out for all of them
 */
export async function breachCounts(
  ctx: Context,
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number> | undefined> {
  const counts = new Map<string, number>();
  const waiting = [...hashes];
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  const work = async () => {
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      counts.set(hash, await breachCount(ctx, hash, stop.signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return counts;
  } catch (error) {
    if (error instanceof Problem && error.code === 'BREACH_SERVICE_UNAVAILABLE') return undefined;
    throw error;
  } finally {
    waiting.length = 0;
    clearTimeout(timer);
    stop.abort();
  }
}
