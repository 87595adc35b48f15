import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

export type EngineName = 'sqljs' | 'postgres';

/** Either the whole store or one transaction on it; all queries are written against this type. */
export type Db = Kysely<Tables>;

export interface Database extends AsyncDisposable {
  readonly engine: EngineName;
  /** For reads. A statement that writes through this handle is a transaction of its own. */
  readonly db: Db;
  /**
   * Runs `body` and resolves when its writes are on disk. If `body` throws, or the commit fails, none of them is visible.
   * Transactions behave as if they ran one after another, on both engines. PostgreSQL runs a body again when it collides with another one,
   * or throws a UniqueViolation, so a body must change nothing but the database. Statements that need nothing of each other's answers may
   * be started at once: PostgreSQL gets them together.
   * A body must wait for nothing but the database, and must use only the handle that it is given. A read through `db`, or another
   * transaction, would wait for the body itself.
   * A statement that throws ends the transaction, whether or not `body` catches the error.
   * @throws Problem unavailable STORE_FULL when the disk is full
   * @throws Problem internal TRANSACTION_STUCK when `body` waits for something else for seconds
   * @throws UniqueViolation
   */
  transaction<T>(body: (db: Db) => Promise<T>): Promise<T>;
  /** For migrations and imports: one transaction that no other process runs at the same time. It may wait between its statements. */
  exclusively<T>(body: (db: Db) => Promise<T>): Promise<T>;
  /**
   * For what one process after another does for all of them. PostgreSQL runs one such transaction at a time, and it collides with no other
   * transaction: each statement sees what was committed when it began, and what others have read does not matter to it. A body may use only
   * rows that no transaction of another kind changes.
   * @throws Problem unavailable STORE_BUSY when another process takes many seconds for its own
   */
  inTurn<T>(body: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Shows all that was committed before the call, unchanged for as long as `body` takes. Others read and write meanwhile. Disposing the
   * database waits for the snapshot to end.
   */
  snapshot<T>(body: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Checks whether the store can keep new writes. It writes something only when the newest transaction could not be kept.
   * @throws Problem unavailable STORE_GONE | STORE_FULL | STORE_UNAVAILABLE
   */
  assertWritable(): Promise<void>;
  /** Hears the signals that `notify` sends, after their commit. See signals.ts. */
  listen(channel: string, listener: SignalListener): Promise<AsyncDisposable>;
}

/** The embedded engine gives its database file, which does not change and needs no other file. PostgreSQL gives a handle. */
export type Snapshot = { readonly kind: 'file'; readonly file: string } | { readonly kind: 'handle'; readonly db: Db };

export interface SignalListener {
  readonly onSignal: (payload: string) => void;
  /** Called when signals may have been missed: the connection to PostgreSQL was lost and is there again. */
  readonly onGap?: (() => void) | undefined;
}
