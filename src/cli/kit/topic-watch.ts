import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { Problem } from '../../base/problem.ts';
import { openEar, type Patience } from './ear.ts';

/** After so long a server that has had too many requests, and names no time, is asked again. */
const RESPITE_SECONDS = 30;

export interface Watching {
  /** looks, tells what is new, and answers whether to go on */
  readonly look: () => Promise<boolean>;
  /** called once while the server cannot be reached */
  readonly trouble: (problem: Problem) => void;
  readonly patience?: Patience | undefined;
  /** ends the watch */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks whenever something happens in topics of the caller, and now and then in case an event was lost.
 * @param topics of an account
 */
export async function watchTopics(
  client: Client,
  topics: (accountId: string) => readonly string[],
  { look, trouble, patience, signal }: Watching,
): Promise<void> {
  using ear = openEar(client, async () => topics, patience);
  signal?.addEventListener('abort', () => ear[Symbol.dispose](), { once: true });
  let away = false;
  const over = () => signal?.aborted === true;
  while (!over()) {
    try {
      await ear.listen();
      ear.take();
      if (!(await look())) return;
      away = false;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!away) trouble(error);
      away = true;
      if (error.kind === 'tooMany')
        await sleep((error.retryAfterSeconds ?? RESPITE_SECONDS) * 1_000, undefined, { signal }).catch(() => undefined);
    }
    if (!over()) await ear.wait(1);
  }
}

function isPassing(error: unknown): error is Problem {
  if (!(error instanceof Problem)) return false;
  // Another command has the store open for long, or a server starts.
  return error.code === 'STORE_IN_USE' || ['network', 'unavailable', 'tooMany', 'internal'].includes(error.kind);
}
