import { Problem } from '../../../base/problem.ts';
import { unlessAborted } from '../unless-aborted.ts';

/** One batch of a queue is handled at a time, and one more may wait for it. */
export interface Turns {
  /**
   * Does the work when it is this one's turn.
   * @throws Problem tooMany RATE_LIMITED when another one waits; the reason of the signal, if it is aborted before its turn
   */
  take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Turn {
  readonly over: Promise<void>;
  /** somebody waits for its end */
  awaited: boolean;
}

export function createTurns(): Turns {
  const turns = new Map<string, Turn>();
  return {
    async take(key, signal, work) {
      for (let before = turns.get(key); before !== undefined; before = turns.get(key)) {
        if (before.awaited)
          throw new Problem('tooMany', 'RATE_LIMITED', 'This node still handles earlier messages. Try again later.');
        before.awaited = true;
        try {
          await unlessAborted(before.over, signal);
        } finally {
          before.awaited = false;
        }
      }
      let end = (): void => undefined;
      turns.set(key, { over: new Promise((resolve) => void (end = resolve)), awaited: false });
      try {
        return await work();
      } finally {
        turns.delete(key);
        end();
      }
    },
  };
}
