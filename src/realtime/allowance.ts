import type { Clock } from '../context.ts';

/**
 * So many in so long a time, counted from the first one of each time.
 *
 * @returns takes one; false when there are none left
 */
export function allowance(count: number, seconds: number, clock: Clock): () => boolean {
  let since = -Infinity;
  let taken = 0;
  return () => {
    const now = clock.now();
    // A clock that was set back doesn't stretch the time.
    if (now - since >= seconds * 1000 || now < since) {
      since = now;
      taken = 0;
    }
    taken += 1;
    return taken <= count;
  };
}
