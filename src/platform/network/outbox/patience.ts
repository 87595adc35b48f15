import type { Clock, Context } from '../../../service/context.ts';
import { Problem, type ProblemKind } from '../../../base/problem.ts';
import type { OutboxLimits } from './limits.ts';
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

/** Doubles with each attempt, and is between 75 % and 125 % of that, so that nodes don't all come back at the same time. */
export function pauseAfter(
  attempts: number,
  { least, most }: OutboxLimits['retryMs'],
  random: Context['random'],
): number {
  const pause = Math.min(most, least * 2 ** Math.min(attempts - 1, 30));
  return Math.round(pause * (0.75 + (random(1)[0] ?? 0) / 512));
}

const passing: ReadonlySet<ProblemKind> = new Set(['unavailable', 'internal', 'network', 'tooMany']);

/** A problem of this node, such as its store, or of the moment. That is no reason to lose messages. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && passing.has(error.kind);
}

export function createPatience(clock: Clock): Patience {
  const failing = new Map<string, { readonly since: number; tries: number }>();
  return {
    failed({ nodeId, channel }, id, error) {
      if (isPassing(error)) return false;
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
