import { setTimeout as sleep } from 'node:timers/promises';

/** Who has collided so often goes before all others of its process. */
const collisions = 10;
/** Nobody waits longer for those who go first: what they do may itself wait for the one who waits. */
const longestMs = 1_000;
const longestPauseMs = 100;

/** How often one transaction has collided. Dispose of it when the transaction has ended. */
export interface Attempts extends Disposable {
  /** waits before the next attempt */
  pause(): Promise<void>;
}

/** The order of the transactions of a process that run again because they collided. */
export interface Precedence {
  /** waits for those who go first, and counts the attempts of another transaction */
  begin(): Promise<Attempts>;
}

/**
 * Of transactions that collide the quickest commits, and the others run again. So a slow one among many quick ones would lose every time.
 * After some collisions it goes first: the others of the process wait until it has ended.
 * @param random for the pauses between attempts: below 1, as Math.random
 */
export function createPrecedence(random: () => number): Precedence {
  let waiting = 0;
  let first: Promise<void> = Promise.resolve();

  async function letThemGoFirst(those: Promise<void>): Promise<void> {
    const over = new AbortController();
    await Promise.race([those, sleep(longestMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  return {
    async begin() {
      if (waiting > 0) await letThemGoFirst(first);
      let collided = 0;
      let end: (() => void) | undefined;
      return {
        async pause() {
          collided += 1;
          if (collided === collisions) {
            const before = first;
            const mine = new Promise<void>((resolve) => {
              end = resolve;
            });
            waiting += 1;
            first = before.then(() => mine);
            await letThemGoFirst(before);
          } else if (collided < collisions && waiting > 0) await letThemGoFirst(first);
          // Whoever goes first now has at most other processes to fear, so its pauses grow anew.
          const exponent = collided < collisions ? collided : collided - collisions;
          await sleep(random() * Math.min(longestPauseMs, 2 ** exponent));
        },
        [Symbol.dispose]() {
          if (end === undefined) return;
          waiting -= 1;
          end();
        },
      };
    },
  };
}
