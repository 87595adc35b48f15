import { setMaxListeners } from 'node:events';
import type { HeavyWork } from './context.ts';
import { Problem } from '../base/problem.ts';

export interface HeavyWorkLoad extends HeavyWork {
  readonly running: number;
  readonly waiting: number;
}

export interface HeavyWorkOptions {
  readonly atOnce: number;
  readonly queued: number;
  /** the message for a refused caller, a full sentence */
  readonly reason?: string;
  /** If set, each owner may have one piece at a time, running or waiting. A second piece is refused with this message, a full sentence. */
  readonly onePerOwner?: string | undefined;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: Error) => void;
}

/** How long a refused client should wait: about the time that a full queue of the default length takes. */
const RETRY_SECONDS = 5;
/** The owner name for the node's own work. */
const NODE = '';

/**
 * Runs at most `atOnce` pieces of work at a time, and queues at most `queued`. Owners take turns, and the work of one owner runs in order
 * of arrival. When the queue is full, the owner with the most queued work loses a place to an owner with less. So no owner can shut
 * another one out, or make it wait for more than one piece of work.
 */
export function heavyWork({
  atOnce,
  queued,
  reason = 'Too many passwords are being checked at the moment.',
  onePerOwner,
}: HeavyWorkOptions): HeavyWorkLoad {
  /** the queues by owner, in the order of their turns; no queue in the map is empty */
  const queues = new Map<string, Waiting[]>();
  /** the owners that have a piece of work, if each may have only one */
  const busy = new Set<string>();
  let running = 0;
  let waiting = 0;

  function enter(owner: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (running < atOnce) {
      running += 1;
      return undefined;
    }
    if (waiting >= queued) makeRoom(owner);
    waiting += 1;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => withdraw(owner, one, signal?.reason as Error);
      // A signal may live as long as the server, and what waited once is not to stay with it.
      const forget = (): void => signal?.removeEventListener('abort', giveUp);
      const one: Waiting = {
        start: () => {
          forget();
          resolve();
        },
        refuse: (why) => {
          forget();
          reject(why);
        },
      };
      const mine = queues.get(owner);
      if (mine === undefined) queues.set(owner, [one]);
      else mine.push(one);
      if (signal === undefined) return;
      // As many as may wait, and no leak: without this, Node warns of more than ten.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', giveUp);
    });
  }

  /** Removes work that was aborted from the queue, unless it has begun or was refused. */
  function withdraw(owner: string, one: Waiting, reasonToGo: Error): void {
    const queue = queues.get(owner) ?? [];
    const at = queue.indexOf(one);
    if (at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) queues.delete(owner);
    waiting -= 1;
    one.refuse(reasonToGo);
  }

  /** @throws Problem unavailable OVERLOADED when no other owner has more work waiting than this owner would have */
  function makeRoom(owner: string): void {
    const mine = queues.get(owner)?.length ?? 0;
    let most: Waiting[] = [];
    for (const queue of queues.values()) if (queue.length > most.length) most = queue;
    if (most.length <= mine + 1) throw overloaded(reason);
    waiting -= 1;
    most.pop()?.refuse(overloaded(reason));
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
    // The free place goes directly to the next in the queue, so new work cannot take it first.
    first?.start();
  }

  async function runInTurn<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await enter(owner, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async function run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (onePerOwner === undefined || owner === NODE) return await runInTurn(owner, work, signal);
    if (busy.has(owner)) throw tooMany(onePerOwner);
    busy.add(owner);
    try {
      return await runInTurn(owner, work, signal);
    } finally {
      busy.delete(owner);
    }
  }

  const of = (owner: string): HeavyWork => ({ run: (work, signal) => run(owner, work, signal), of });

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

function overloaded(reason: string): Problem {
  const message = `${reason} Try again in a few seconds.`;
  return new Problem('unavailable', 'OVERLOADED', message, { retryAfterSeconds: RETRY_SECONDS });
}

function tooMany(reason: string): Problem {
  const message = `${reason} Try again when it has ended.`;
  return new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds: RETRY_SECONDS });
}
