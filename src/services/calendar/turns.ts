import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one piece of work may keep all others waiting. */
const SLICE_MS = 8;

/** For work of many small steps: between two of them, others have their turn when the work has gone on for some milliseconds. */
export interface Turns {
  take(): Promise<void>;
}

export function createTurns(): Turns {
  let since = performance.now();
  return {
    async take() {
      if (performance.now() - since < SLICE_MS) return;
      await nextTurn();
      since = performance.now();
    },
  };
}
