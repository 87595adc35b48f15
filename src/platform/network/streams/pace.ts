import type { TokenBucket } from '../limits.ts';

/** How quickly bytes may leave, by key. */
export interface Pace {
  /** milliseconds until `bytes` may leave; 0: they leave now, and are counted */
  take(key: string, bytes: number, nowMs: number): number;
  /** forgets keys that have their whole burst again */
  tidy(nowMs: number): void;
}

/** Remembers of each key only the time at which all of its bytes would have left at its speed. */
export function createPace({ burst, perSecond }: TokenBucket): Pace {
  const dueAt = new Map<string, number>();
  const burstMs = (burst / perSecond) * 1000;
  return {
    take(key, bytes, nowMs) {
      const due = Math.max(dueAt.get(key) ?? nowMs, nowMs);
      const wait = due - nowMs - burstMs;
      if (wait > 0) return Math.ceil(wait);
      dueAt.set(key, due + (bytes / perSecond) * 1000);
      return 0;
    },
    tidy(nowMs) {
      for (const [key, due] of dueAt) if (due <= nowMs) dueAt.delete(key);
    },
  };
}
