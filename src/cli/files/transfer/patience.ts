import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../../base/problem.ts';

/** Milliseconds between attempts. Together two minutes: a server that is started again is there by then. */
const DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000];
/** A server may ask for hours. A person would rather know. */
const LONGEST_WAIT_MS = 300_000;

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** milliseconds between attempts */
  readonly delays?: readonly number[] | undefined;
}

/**
 * Repeats a request that got no answer, or for which the server wants time. It waits longer each time, and as long as the server asks for.
 *
 * @param work may be done more than once
 * @throws Problem of the last attempt
 */
export async function persistently<T>(work: () => Promise<T>, patience: Patience = {}): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    patience.signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      await pauseAfter(error, attempt, patience);
    }
  }
}

/** Waits before the next attempt. @throws the error if another attempt is of no use */
export async function pauseAfter(
  error: unknown,
  attempt: number,
  { signal, delays = DELAYS_MS }: Patience,
): Promise<void> {
  const delay = delays[attempt];
  if (delay === undefined || !isPassing(error)) throw error;
  const asked = (error.retryAfterSeconds ?? 0) * 1_000;
  if (asked > LONGEST_WAIT_MS) throw error;
  // Requests that failed together don't all come back together.
  await sleep(Math.max(asked, delay * (0.75 + Math.random() / 2)), undefined, { signal });
}

/** Whether the same request can succeed later. */
function isPassing(error: unknown): error is Problem {
  if (!(error instanceof Problem)) return false;
  return (error.kind === 'network' && error.code === 'NETWORK') || ['tooMany', 'unavailable'].includes(error.kind);
}

/** Whether everything else would fail for the same reason. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof Problem) || error.kind === 'unauthenticated' || isPassing(error);
}
