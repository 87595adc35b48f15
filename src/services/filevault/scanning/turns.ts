import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';

/** Files that may wait for their turn. */
const QUEUED = 256;

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/** By store, because one process can have several in tests. */
const turnsOf = new WeakMap<object, Turns>();

/**
 * Runs work as soon as less than `atOnce` others run in this process.
 * @throws Problem unavailable OVERLOADED when too many wait
 */
export async function inTurn<T>({ store }: Pick<Context, 'store'>, atOnce: number, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(store) ?? { running: 0, waiting: [] };
  turnsOf.set(store, turns);
  if (turns.running >= atOnce) {
    if (turns.waiting.length >= QUEUED)
      throw new Problem('unavailable', 'OVERLOADED', 'Too many files wait for the scanner. Try again.', {
        retryAfterSeconds: 10,
      });
    // Whoever ends hands its turn over, so the count stays.
    await new Promise<void>((resolve) => turns.waiting.push(resolve));
  } else turns.running += 1;
  try {
    return await work();
  } finally {
    const next = turns.waiting.shift();
    if (next === undefined) turns.running -= 1;
    else next();
  }
}
