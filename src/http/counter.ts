// The package's main entry loads the clients of twenty databases.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import type { Rate } from '../config/kinds.ts';

/** The result of counting one request. */
export interface Count {
  readonly limit: number;
  readonly remaining: number;
  /** milliseconds until the count starts again at 0 */
  readonly resetMs: number;
  readonly exceeded: boolean;
}

export interface Counter {
  take(key: string): Promise<Count>;
  /** takes one back from the count */
  giveBack(key: string): Promise<void>;
  /** sets the count to 0 */
  free(key: string): Promise<void>;
}

type Limiter = Pick<RateLimiterMemory, 'consume' | 'reward' | 'delete'>;

export function memoryCounter(prefix: string, rate: Rate): Counter {
  return counterOn(memoryLimiter(prefix, rate), rate);
}

export function memoryLimiter(prefix: string, rate: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: prefix, points: rate.points, duration: rate.seconds });
}

export function counterOn(limiter: Limiter, { points }: Rate): Counter {
  return {
    take: (key) =>
      limiter.consume(key).then(
        ({ remainingPoints, msBeforeNext }) => ({
          limit: points,
          remaining: remainingPoints,
          resetMs: msBeforeNext,
          exceeded: false,
        }),
        (refused: unknown) => {
          if (!(refused instanceof RateLimiterRes)) throw refused;
          return { limit: points, remaining: 0, resetMs: refused.msBeforeNext, exceeded: true };
        },
      ),
    giveBack: async (key) => void (await limiter.reward(key)),
    free: async (key) => void (await limiter.delete(key)),
  };
}
