import RateLimiterPostgres from 'rate-limiter-flexible/lib/RateLimiterPostgres.js';
import type { Rate } from '../config/kinds.ts';
import type { Log } from '../base/log.ts';
import { counterOn, memoryLimiter, type Counter } from './counter.ts';

/** The table in which several processes count together. */
export interface CounterStore {
  readonly name: string;
  query(statement: {
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** Counts in the store. While the store can't be reached, this process counts alone, which is better than not counting. */
export function sharedCounter(prefix: string, rate: Rate, store: CounterStore, log: Log): Counter {
  const client = {
    query: (statement: { text: string; values?: unknown[] }) =>
      store.query(statement).catch((error: unknown) => {
        log.warn('the database does not answer; this process counts rate limits alone', { error });
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
    // A caller over the limit is refused from memory, so a flood does not reach the database.
    inMemoryBlockOnConsumed: rate.points + 1,
    insuranceLimiter: memoryLimiter(prefix, rate),
  });
  return counterOn(limiter, rate);
}
