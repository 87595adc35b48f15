import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../../base/problem.ts';

/** For an answer that does not say how long to wait. */
const RESPITE_SECONDS = 5;

/** Repeats work for which the server wants time: thousands of messages are more than its limits allow at once. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'tooMany') throw error;
      await sleep((error.retryAfterSeconds ?? RESPITE_SECONDS) * 1_000);
    }
  }
}
