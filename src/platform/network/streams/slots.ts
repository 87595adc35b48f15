import { Problem } from '../../../base/problem.ts';
import type { StreamLimits } from '../limits.ts';

/** The places for streams of one direction. */
export interface Slots {
  /**
   * Takes a place of a node. It is free again when it is disposed of.
   * @throws Problem tooMany STREAMS_BUSY
   */
  take(nodeId: string): Disposable;
}

export function createSlots({ ofPeer, ofAll }: StreamLimits): Slots {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(nodeId) {
      const own = taken.get(nodeId) ?? 0;
      if (own >= ofPeer || all >= ofAll)
        throw new Problem('tooMany', 'STREAMS_BUSY', 'Too many streams at once. Try again when one has ended.');
      taken.set(nodeId, own + 1);
      all += 1;
      let free = false;
      return {
        [Symbol.dispose]() {
          if (free) return;
          free = true;
          all -= 1;
          const left = (taken.get(nodeId) ?? 1) - 1;
          if (left > 0) taken.set(nodeId, left);
          else taken.delete(nodeId);
        },
      };
    },
  };
}
