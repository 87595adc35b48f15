import { setTimeout as sleep } from 'node:timers/promises';

const FREE = 0;
const NATIVE = 1;
const ENDING = 2;
const PAUSE_MS = 10;

/** What a thread and its owner share: 4 bytes. */
export function newThreadState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** In the thread: `work` has begun in an addon only if the owner had not decided to end the thread, and the owner waits for its end. */
export async function inNative<T>(state: Int32Array, work: () => Promise<T>): Promise<T> {
  if (Atomics.compareExchange(state, 0, FREE, NATIVE) !== FREE)
    throw new Error('the thread is ending, or runs an addon already');
  try {
    return await work();
  } finally {
    Atomics.store(state, 0, FREE);
  }
}

/** In the owner: returns when the thread runs no addon, and will begin none. */
export async function beforeEnd(state: Int32Array, isGone: () => boolean): Promise<void> {
  while (Atomics.compareExchange(state, 0, FREE, ENDING) === NATIVE && !isGone()) await sleep(PAUSE_MS);
}
