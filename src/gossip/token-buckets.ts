import type { TokenBucket } from './limits.ts';

export interface TokenBuckets {
  /** whether `key` may once more; counts only when it may */
  take(key: string, nowMs: number): boolean;
  /** whether it might, without counting */
  has(key: string, nowMs: number): boolean;
}

interface Level {
  tokens: number;
  at: number;
}

/** More keys than this, such as a flood from many addresses, and those that are longest unused start anew. */
const MAX_KEYS = 10_000;

/** Counts by key in bounded memory. */
export function tokenBuckets({ burst, perSecond }: TokenBucket, maxKeys = MAX_KEYS): TokenBuckets {
  const levels = new Map<string, Level>();

  function levelOf(key: string, nowMs: number): Level {
    const level = levels.get(key) ?? { tokens: burst, at: nowMs };
    // A clock that is set back gives nothing and takes nothing.
    const passed = Math.max(0, nowMs - level.at) / 1000;
    return { tokens: Math.min(burst, level.tokens + passed * perSecond), at: nowMs };
  }

  return {
    has: (key, nowMs) => levelOf(key, nowMs).tokens >= 1,
    take(key, nowMs) {
      const level = levelOf(key, nowMs);
      const may = level.tokens >= 1;
      if (may) level.tokens -= 1;
      // Set again so that the map's order is that of use.
      levels.delete(key);
      levels.set(key, level);
      const oldest = levels.size > maxKeys ? levels.keys().next().value : undefined;
      if (oldest !== undefined) levels.delete(oldest);
      return may;
    },
  };
}
