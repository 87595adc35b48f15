import type { Clock } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { QueueName } from './outbox-rows.ts';

/** A message that failed for so long, and so often, is given up: the others of its queue may wait behind it. */
const GIVE_UP_MS = 86_400_000;
const GIVE_UP_TRIES = 16;
/** Messages that are known to fail. Of more, the one that began first begins anew. */
const MOST = 10_000;

/** Knows the messages of each queue that fail for a reason of their own. It begins anew with the process. */
export interface Patience {
  /** @returns whether the message is to be given up */
  failed(queue: QueueName, id: string, error: unknown): boolean;
}

export function createPatience(clock: Clock): Patience {
  const failing = new Map<string, { readonly since: number; tries: number }>();
  return {
    failed({ nodeId, channel }, id, error) {
      // A problem says what is wrong with this node, such as its store. That is no reason to lose messages.
      if (error instanceof Problem) return false;
      const key = `${nodeId} ${channel} ${id}`;
      let known = failing.get(key);
      if (known === undefined) {
        if (failing.size >= MOST) failing.delete([...failing.keys()][0] ?? '');
        failing.set(key, (known = { since: clock.now(), tries: 0 }));
      }
      known.tries += 1;
      if (known.tries < GIVE_UP_TRIES || clock.now() - known.since < GIVE_UP_MS) return false;
      failing.delete(key);
      return true;
    },
  };
}
