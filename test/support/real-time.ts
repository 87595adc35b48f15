/**
 * The only pauses of the tests, each named by why no busy machine can make it too short. What a test waits for is a state (`eventually`,
 * `until`), and time that it is about is that of a clock in its hand.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so. What never is hangs, and vitest says where; see `eventually` for what an expectation says better. */
export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await sleep(5);
}

/**
 * Looks for some time, again and again, whether it stays so. It is for what must not happen: the longer the machine takes for everything,
 * the less of a fault is seen, and what is right passes at any speed.
 */
export async function staysSo(check: () => unknown, ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(5)) await check();
  await check();
}

/** Work that takes at least so long, as that of a test's own handler or server; nothing may depend on its taking no longer. */
export async function slowly<T = void>(ms: number, result?: T): Promise<T> {
  return (await sleep(ms, result)) as T;
}

/** Some moment for a kill or a disturbance: any is right, and all of them together should be many. */
export async function someMoment(ms: number): Promise<void> {
  await sleep(ms);
}

/** A limit that the test wants to see exceeded: so much later is as good. */
export function elapses<T extends number | string>(limit: T): T {
  return limit;
}
