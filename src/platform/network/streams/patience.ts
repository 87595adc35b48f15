import type { StreamLimits } from '../limits.ts';

/** Counts how long this side waits for the other one, and gives up when that doesn't move, or moves too little. */
export interface Patience {
  /** waits for the other side. @throws StoodStill */
  with<T>(waiting: Promise<T>): Promise<T>;
  /** the other side moved so many bytes */
  moved(bytes: number): void;
}

export class StoodStill extends Error {
  override readonly name = 'StoodStill';

  constructor() {
    super('the other side of a stream stood still');
  }
}

type PatienceLimits = Pick<StreamLimits, 'idleMs' | 'progress'>;

/** Only waiting counts: what this side takes to read, write and decide is not the fault of the other one. */
export function createPatience(
  { idleMs, progress }: PatienceLimits,
  now: () => number = performance.now.bind(performance),
): Patience {
  let waitedMs = 0;
  let bytes = 0;
  return {
    async with(waiting) {
      const from = now();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new StoodStill()), Math.min(idleMs, progress.perMs - waitedMs));
      });
      try {
        return await Promise.race([waiting, late]);
      } finally {
        clearTimeout(timer);
        waitedMs += now() - from;
      }
    },
    moved(count) {
      bytes += count;
      if (bytes < progress.bytes) return;
      bytes = 0;
      waitedMs = 0;
    },
  };
}
