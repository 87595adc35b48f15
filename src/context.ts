import type { Config } from './config/config.ts';
import type { NodeKeys } from './config/node-keys.ts';
import type { GossipPort } from './gossip/port.ts';
import type { Log } from './log.ts';
import type { Offload } from './offload/port.ts';
import type { RealtimePort } from './realtime/port.ts';
import type { BlockStore } from './store/blocks/blocks.ts';
import type { Database, Db } from './store/database.ts';

export interface Clock {
  /** milliseconds since 1970 */
  now(): number;
}

/** Bounds how much heavy work (Argon2, PBKDF2) runs and waits at once. */
export interface HeavyWork {
  /**
   * @param signal gives up waiting; what has begun goes on
   * @throws Problem unavailable OVERLOADED when the queue is full, and the signal's reason
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** the same for work of one member or client, who share it fairly; the `heavy` of a request's context is its caller's */
  of(owner: string): HeavyWork;
}

/** How far a piece of work is. A total of 0 is not known. */
export interface WorkProgress<Stage extends string = string> {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
}

/** Whoever asked, as long as they wait: what nobody waits for any more can be given up. */
export interface Waiting {
  readonly signal: AbortSignal;
  /**
   * Room in memory for an answer that is large, before it is made. Asked for again, by a transaction that runs again, it is the same room.
   * @throws Problem tooMany RATE_LIMITED, unavailable OVERLOADED
   */
  reserve(bytes: number): void;
}

/** Where long requests of this process note how far they are, for whoever asks meanwhile. Nothing of it outlives the work. */
export interface ProgressBoard {
  /** Work begins that is known by this name; it is over when the note is disposed of. */
  begin<Stage extends string>(name: string): ProgressNote<Stage>;
  /** How far the work of this name is, the last that began where there are several. */
  of(name: string): WorkProgress | undefined;
}

export interface ProgressNote<Stage extends string = string> extends Disposable {
  tell(stage: Stage, done: number, total: number): void;
}

/** The running program, as its administrators see it. */
export interface Instance {
  /** when it opened the store, in milliseconds since 1970 */
  readonly startedAt: number;
  /** the URLs that it listens on, filled in by the listener; none in a command */
  readonly addresses: string[];
}

/** A request that its sender may repeat, known by the key that they gave it. Services use it through `repeats.ts`. */
export interface Repeatable {
  /**
   * @returns what the first try answered, or undefined where this is the first
   * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
   */
  earlier(db: Db): Promise<{ readonly reply: unknown } | undefined>;
  /** In the transaction that does what was asked, once in it. */
  keep(db: Db, reply: unknown): Promise<void>;
}

/** All that a service needs from the outside. Tests override parts of it. No field is optional: a copy that gets a further one is slow. */
export interface Context {
  readonly config: Config;
  readonly instance: Instance;
  readonly keys: NodeKeys;
  readonly store: Database;
  /** the store, or the transaction that is running */
  readonly db: Db;
  readonly blocks: BlockStore;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly heavy: HeavyWork;
  /** work in other threads, for what would keep this one from answering */
  readonly offload: Offload;
  readonly progress: ProgressBoard;
  /** of a request that may take long */
  readonly caller: Waiting | undefined;
  readonly gossip: GossipPort;
  readonly realtime: RealtimePort;
  /** what the services of this node may record in the ledger */
  readonly ledgerTypes: ReadonlySet<string>;
  readonly log: Log;
  /** the request that is carried out, where its sender may repeat it */
  readonly repeatable: Repeatable | undefined;
  /** runs `action` after the commit of the running transaction, or at once outside of one */
  afterCommit(action: () => void | Promise<void>): void;
}

/**
 * Runs `body` in one transaction and gives it a context whose announcements leave only after the commit.
 * Inside another transaction it joins that one.
 */
export async function transaction<T>(ctx: Context, body: (tx: Context) => Promise<T>): Promise<T> {
  if (ctx.db !== ctx.store.db) return await body(ctx);
  let announcements: (() => void | Promise<void>)[] = [];
  const result = await ctx.store.transaction(async (db) => {
    // A transaction may run again after a serialisation failure: what the first try announced never happened.
    announcements = [];
    return await body({ ...ctx, db, afterCommit: (action) => void announcements.push(action) });
  });
  for (const announce of announcements) {
    try {
      await announce();
    } catch (error) {
      ctx.log.error('an action after a commit failed', { error });
    }
  }
  return result;
}
