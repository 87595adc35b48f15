import type { TokenBucket } from './limits.ts';

export interface TokenBuckets {
  /**
   * takes `count` tokens of `key`; false: none is left, and nothing is counted. More than are left leave a debt, so that what comes
   * together is not refused for ever.
   */
  take(key: string, nowMs: number, count?: number): boolean;
  /** gives back a token of `key` that was taken for nothing */
  give(key: string, nowMs: number): void;
  /** whether `key` has a token, without taking it */
  has(key: string, nowMs: number): boolean;
}

interface Level {
  tokens: number;
  at: number;
}

/** With more keys than this, as in a flood from many addresses, the least recently used keys are forgotten and start again. */
const MAX_KEYS = 10_000;

/** Token buckets by key, in bounded memory. */
export function tokenBuckets({ burst, perSecond }: TokenBucket, maxKeys = MAX_KEYS): TokenBuckets {
  const levels = new Map<string, Level>();

  function levelOf(key: string, nowMs: number): Level {
    const level = levels.get(key) ?? { tokens: burst, at: nowMs };
    // When the clock is set back, the number of tokens does not change.
    const passed = Math.max(0, nowMs - level.at) / 1000;
    return { tokens: Math.min(burst, level.tokens + passed * perSecond), at: nowMs };
  }

  function set(key: string, level: Level): void {
    // The entry is deleted and set again, so that the map is ordered by last use.
    levels.delete(key);
    levels.set(key, level);
    const oldest = levels.size > maxKeys ? levels.keys().next().value : undefined;
    if (oldest !== undefined) levels.delete(oldest);
  }

  return {
    give(key, nowMs) {
      const level = levelOf(key, nowMs);
      set(key, { ...level, tokens: Math.min(burst, level.tokens + 1) });
    },
    has: (key, nowMs) => levelOf(key, nowMs).tokens >= 1,
    take(key, nowMs, count = 1) {
      const level = levelOf(key, nowMs);
      const may = level.tokens >= 1;
      if (may) level.tokens -= count;
      set(key, level);
      return may;
    },
  };
}
