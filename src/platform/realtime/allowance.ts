import type { Clock } from '../../service/context.ts';

interface Window {
  since: number;
  taken: number;
}

/**
 * A limit of `count` per period of `seconds`. A period begins with the first use after the last period.
 *
 * @returns a function that takes `weight` (default 1) and returns false if less is left
 */
export function allowance(count: number, seconds: number, clock: Clock): (weight?: number) => boolean {
  const window = { since: -Infinity, taken: 0 };
  return (weight = 1) => {
    if (isOver(window, seconds, clock)) Object.assign(window, { since: clock.now(), taken: 0 });
    window.taken += weight;
    return window.taken <= count;
  };
}

/** The same for each key. A count outlives the key's sockets, and is forgotten when its period is over. */
export function allowances(
  count: number,
  seconds: number,
  clock: Clock,
): { take(key: string, weight: number): boolean; readonly size: number } {
  const oldestFirst = new Map<string, Window>();
  return {
    take(key, weight) {
      for (const [old, window] of oldestFirst) {
        if (!isOver(window, seconds, clock)) break;
        oldestFirst.delete(old);
      }
      const window = oldestFirst.get(key) ?? { since: clock.now(), taken: 0 };
      oldestFirst.set(key, window);
      window.taken += weight;
      return window.taken <= count;
    },
    get size() {
      return oldestFirst.size;
    },
  };
}

/** A clock that was set back must not lengthen the period. */
function isOver({ since }: Window, seconds: number, clock: Clock): boolean {
  const now = clock.now();
  return now - since >= seconds * 1000 || now < since;
}
