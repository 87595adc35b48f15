import { vi } from 'vitest';

/** Waits until it holds. What doesn't within a minute hangs; vi.waitFor by itself gives up after a second, which a busy machine takes. */
export async function eventually<T>(holds: () => T | Promise<T>): Promise<T> {
  return await vi.waitFor(holds, { timeout: 60_000, interval: 20 });
}
