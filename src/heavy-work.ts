import type { HeavyWork } from './context.ts';
import { Problem } from './problem.ts';

export interface HeavyWorkLoad extends HeavyWork {
  readonly running: number;
  readonly waiting: number;
}

/** What a client that was turned away should wait: about as long as a full queue of the default length takes. */
const RETRY_SECONDS = 5;

/** Runs at most `atOnce` pieces of work at a time, in the order in which they came, and lets at most `queued` wait. */
export function heavyWork({ atOnce, queued }: { readonly atOnce: number; readonly queued: number }): HeavyWorkLoad {
  const queue: (() => void)[] = [];
  let running = 0;

  function enter(): Promise<void> | undefined {
    if (running < atOnce) {
      running += 1;
      return undefined;
    }
    if (queue.length >= queued) {
      throw new Problem(
        'unavailable',
        'OVERLOADED',
        'Too many passwords are being checked at the moment. Try again in a few seconds.',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      );
    }
    return new Promise((resolve) => queue.push(resolve));
  }

  function leave(): void {
    const next = queue.shift();
    // The place passes from one to the next, so that nobody who comes in between takes it.
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
