import type { LedgerPort } from './ports/ledger.ts';
import type { Config } from '../config/config.ts';
import type { NodeKeys } from '../config/node-keys.ts';
import type { GossipPort } from './ports/network.ts';
import type { LedgerCheck } from './ports/ledger-check.ts';
import type { Log } from '../base/log.ts';
import type { NotificationRulesOf } from './ports/notification-rules.ts';
import type { Offload } from './ports/workers.ts';
import type { Outgoing } from './ports/outbound.ts';
import type { RealtimePort } from './ports/realtime.ts';
import type { BlockStore } from '../platform/store/blocks/blocks.ts';
import type { Database, Db } from '../platform/store/database.ts';
import type { Erasure } from '../platform/store/erasure.ts';

export interface Clock {
  /** milliseconds since 1970 */
  now(): number;
}

/** Limits how much heavy work (Argon2, PBKDF2) runs at once, and how much of it waits. */
export interface HeavyWork {
  /**
   * @param signal ends the waiting; work that has begun continues
   * @throws Problem unavailable OVERLOADED when the queue is full; the signal's reason when it is aborted
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** the same limit, shared fairly between members and clients; in the context of a request, `heavy` is already its caller's */
  of(owner: string): HeavyWork;
}

/** The progress of a piece of work. A total of 0 means that the total is not known. */
export interface WorkProgress<Stage extends string = string> {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
}

/** The caller who waits for the answer. When the caller stops waiting, the work can be given up. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** of the URL that was asked, such as `https://home.example`: the caller's word, so it is good for answers to the caller alone */
  readonly origin?: string;
  /**
   * Reserves memory for a large answer before it is made. A transaction that runs again gets the same reservation, not a second one.
   * @throws Problem tooMany RATE_LIMITED, unavailable OVERLOADED
   */
  reserve(bytes: number): void;
}

/** Long requests of this process note their progress here, and other requests can ask for it. A note is deleted when its work ends. */
export interface ProgressBoard {
  /** Starts a note under the name of the work. The work counts as over when the note is disposed of. */
  begin<Stage extends string>(name: string): ProgressNote<Stage>;
  /** The progress of the work with this name. If several have the name, it is the one that began last. */
  of(name: string): WorkProgress | undefined;
}

export interface ProgressNote<Stage extends string = string> extends Disposable {
  tell(stage: Stage, done: number, total: number): void;
}

/** What a server made of its configuration when it read it again. */
export interface ReloadResult {
  /** why nothing of it was taken over, for people */
  readonly refused: string | undefined;
  /** keys of the options that differ and need a restart */
  readonly waiting: readonly string[];
}

/** Facts about the running program for its administrators. */
export interface Instance {
  /** when it opened the store, in milliseconds since 1970 */
  readonly startedAt: number;
  /** the URLs that it listens on, filled in by the listener; empty in a command */
  readonly addresses: string[];
  /** what became of the configuration when it was last read again; undefined: it is that of the start */
  reload: ReloadResult | undefined;
}

/** A request that its sender may repeat, identified by the sender's idempotency key. Services use it through `repeats.ts`. */
export interface Repeatable {
  /**
   * @returns the reply to the first try, or undefined when this is the first try
   * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
   */
  earlier(db: Db): Promise<{ readonly reply: unknown } | undefined>;
  /** Stores the reply. Call it once, in the transaction that carries out the request. */
  keep(db: Db, reply: unknown): Promise<void>;
}

/** All that a service needs from outside. Tests override parts of it. No field is optional, because adding a field to a copy is slow. */
export interface Context {
  readonly config: Config;
  readonly instance: Instance;
  readonly keys: NodeKeys;
  readonly store: Database;
  /** the store, or the transaction that is running */
  readonly db: Db;
  readonly blocks: BlockStore;
  /** keys outside the database, which can be erased for good */
  readonly erasure: Erasure;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly heavy: HeavyWork;
  /** runs work in other threads when it would block this thread for too long */
  readonly offload: Offload;
  readonly progress: ProgressBoard;
  /** the progress of a request that may take long */
  readonly caller: Waiting | undefined;
  readonly gossip: GossipPort;
  /** the way to servers outside of the pool whose addresses strangers gave */
  readonly outgoing: Outgoing;
  readonly realtime: RealtimePort;
  readonly ledger: LedgerPort;
  /** the types of entries that the services of this node may record in the ledger */
  readonly ledgerTypes: ReadonlySet<string>;
  /** what the services compare with their entries */
  readonly ledgerChecks: readonly LedgerCheck[];
  /** what the services know of the notifications that they cause */
  readonly notificationRules: readonly NotificationRulesOf<Context>[];
  readonly log: Log;
  /** the current request, if its sender may repeat it */
  readonly repeatable: Repeatable | undefined;
  /** runs `action` after the commit of the running transaction, or at once if there is no transaction */
  afterCommit(action: () => void | Promise<void>): void;
}

/** The part of a context that transactions need. */
type Transacting = Pick<Context, 'store' | 'db' | 'log' | 'afterCommit'>;

/**
 * Runs `body` in one transaction and gives it a context whose announcements are sent only after the commit.
 * If a transaction is already running, `body` becomes part of it.
 */
export async function transaction<T, C extends Transacting = Context>(ctx: C, body: (tx: C) => Promise<T>): Promise<T> {
  if (ctx.db !== ctx.store.db) return await body(ctx);
  let announcements: (() => void | Promise<void>)[] = [];
  const result = await ctx.store.transaction(async (db) => {
    // A transaction may run again after a serialisation failure, so the announcements of the failed try are dropped.
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
