import type { Clock } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { QueueName } from './outbox-rows.ts';

/** A message that failed for so long, and so often, is given up: the others of its queue wait behind it. */
const GIVE_UP_MS = 86_400_000;
const GIVE_UP_TRIES = 16;

/** Knows the message of each queue that fails for a reason of its own. It begins anew with the process. */
export interface Patience {
  /** @returns whether the message is to be given up */
  failed(queue: QueueName, id: string, error: unknown): boolean;
}

export function createPatience(clock: Clock): Patience {
  const failing = new Map<string, { readonly id: string; readonly since: number; tries: number }>();
  return {
    failed({ nodeId, channel }, id, error) {
      // A problem says what is wrong with this node, such as its store. That is no reason to lose messages.
      if (error instanceof Problem) return false;
      const key = `${nodeId} ${channel}`;
      let known = failing.get(key);
      if (known?.id !== id) failing.set(key, (known = { id, since: clock.now(), tries: 0 }));
      known.tries += 1;
      if (known.tries < GIVE_UP_TRIES || clock.now() - known.since < GIVE_UP_MS) return false;
      failing.delete(key);
      return true;
    },
  };
}
