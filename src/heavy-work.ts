import type { HeavyWork } from './context.ts';
import { Problem } from './problem.ts';

export interface HeavyWorkLoad extends HeavyWork {
  readonly running: number;
  readonly waiting: number;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (problem: Problem) => void;
}

/** What a client that was turned away should wait: about as long as a full queue of the default length takes. */
const RETRY_SECONDS = 5;
/** Whose work it is where nobody is named: the node's own. */
const NODE = '';

/**
 * Runs at most `atOnce` pieces of work at a time, and lets at most `queued` wait. Owners take turns, each with its work in the order in
 * which it came; when all places are taken, whoever has most of them gives one up to whoever would have fewer. So nobody, however
 * much they ask for, keeps the others waiting for more than one piece each, or out.
 */
export function heavyWork({ atOnce, queued }: { readonly atOnce: number; readonly queued: number }): HeavyWorkLoad {
  /** by owner, the one whose turn is next first; none is empty */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function enter(owner: string): Promise<void> | undefined {
    if (running < atOnce) {
      running += 1;
      return undefined;
    }
    if (waiting >= queued) makeRoom(owner);
    waiting += 1;
    return new Promise((start, refuse) => {
      const mine = queues.get(owner);
      if (mine === undefined) queues.set(owner, [{ start, refuse }]);
      else mine.push({ start, refuse });
    });
  }

  /** @throws Problem unavailable OVERLOADED where nobody has more waiting than this owner would have */
  function makeRoom(owner: string): void {
    const mine = queues.get(owner)?.length ?? 0;
    let most: Waiting[] = [];
    for (const queue of queues.values()) if (queue.length > most.length) most = queue;
    if (most.length <= mine + 1) throw overloaded();
    waiting -= 1;
    most.pop()?.refuse(overloaded());
  }

  function leave(): void {
    const [next] = queues;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [owner, queue] = next;
    const first = queue.shift();
    queues.delete(owner);
    if (queue.length > 0) queues.set(owner, queue);
    waiting -= 1;
    // The place passes from one to the next, so that nobody who comes in between takes it.
    first?.start();
  }

  async function run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await enter(owner);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  const of = (owner: string): HeavyWork => ({ run: (work) => run(owner, work), of });

  return {
    ...of(NODE),
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}

function overloaded(): Problem {
  const message = 'Too many passwords are being checked at the moment. Try again in a few seconds.';
  return new Problem('unavailable', 'OVERLOADED', message, { retryAfterSeconds: RETRY_SECONDS });
}
