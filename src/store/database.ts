import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

export type EngineName = 'sqljs' | 'postgres';

/** Either the whole store or one transaction on it; queries are written against this alone. */
export type Db = Kysely<Tables>;

export interface Database extends AsyncDisposable {
  readonly engine: EngineName;
  /** For reads. A statement that writes here is a transaction of its own. */
  readonly db: Db;
  /**
   * Runs `body` and resolves when what it wrote is on disk. If `body` throws, or the commit fails, nothing of it is visible.
   * Transactions behave as if they ran one after another, on both engines; PostgreSQL runs a body again when it collides with
   * another, so a body changes nothing but the database.
   * No waiting for anything but the database inside, and only through the handle that it is given: a read through `db`, or
   * another transaction, would wait for itself.
   * A statement that throws ends the transaction, whether or not `body` catches the error.
   * @throws Problem unavailable STORE_FULL when the disk is full
   * @throws Problem internal TRANSACTION_STUCK when `body` waits for something else for seconds
   * @throws UniqueViolation
   */
  transaction<T>(body: (db: Db) => Promise<T>): Promise<T>;
  /** One transaction that no other process runs at the same time, and that may wait between its statements: migrations, imports. */
  exclusively<T>(body: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Everything that was committed before the call, as it was at that moment, for as long as `body` takes; others read and write
   * meanwhile. Disposing the database waits for it.
   */
  snapshot<T>(body: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Whether what is written now would be kept. Writes something only where the newest transaction could not be.
   * @throws Problem unavailable STORE_GONE | STORE_FULL | STORE_UNAVAILABLE
   */
  assertWritable(): Promise<void>;
  /** What `notify` sends, after its commit. See signals.ts. */
  listen(channel: string, listener: SignalListener): Promise<AsyncDisposable>;
}

/** The embedded engine gives its database file, which does not change and needs no other file; PostgreSQL a handle. */
export type Snapshot = { readonly kind: 'file'; readonly file: string } | { readonly kind: 'handle'; readonly db: Db };

export interface SignalListener {
  readonly onSignal: (payload: string) => void;
  /** Signals may have been missed: the connection to PostgreSQL was lost and is there again. */
  readonly onGap?: (() => void) | undefined;
}
