import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate } from '../config/config.ts';
import type { Log } from '../log.ts';

/** What a counter says after it counted one. */
export interface Count {
  readonly limit: number;
  readonly remaining: number;
  /** milliseconds until it starts anew */
  readonly resetMs: number;
  readonly exceeded: boolean;
}

export interface Counter {
  take(key: string): Promise<Count>;
}

/** The table in which processes count together. */
export interface CounterStore {
  readonly name: string;
  query(statement: {
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

type Limiter = Pick<RateLimiterMemory, 'consume'>;

export function memoryCounter(prefix: string, rate: Rate): Counter {
  return counterOn(memoryLimiter(prefix, rate), rate);
}

/** Counts in the store; while that can't be reached, this process counts alone, which is better than not at all. */
export function sharedCounter(prefix: string, rate: Rate, store: CounterStore, log: Log): Counter {
  const client = {
    query: (statement: { text: string; values?: unknown[] }) =>
      store.query(statement).catch((error: unknown) => {
        log.warn('rate limits are counted by this process alone: the database does not answer', { error });
        throw error;
      }),
  };
  const limiter = new RateLimiterPostgres({
    storeClient: client,
    storeType: 'client',
    tableName: store.name,
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: prefix,
    points: rate.points,
    duration: rate.seconds,
    // Whoever is over the limit is answered from memory, so that a flood doesn't reach the database.
    inMemoryBlockOnConsumed: rate.points + 1,
    insuranceLimiter: memoryLimiter(prefix, rate),
  });
  return counterOn(limiter, rate);
}

function memoryLimiter(prefix: string, rate: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: prefix, points: rate.points, duration: rate.seconds });
}

function counterOn(limiter: Limiter, { points }: Rate): Counter {
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
  };
}
