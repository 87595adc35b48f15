import {
  DefaultQueryExecutor,
  Kysely,
  Transaction,
  type CompiledQuery,
  type ConnectionProvider,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type KyselyProps,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Db } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** How an engine runs one compiled statement, and sends a signal (see signals.ts). `atCommit`: see at-commit.ts, `savepoint`: savepoint.ts. */
export interface Session {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
  notify(channel: string, payload: string): Promise<void>;
  atCommit(statement: string): Promise<void>;
  savepoint<T>(body: () => Promise<T>): Promise<T>;
}

function refuse(): never {
  throw new Error('open transactions with Database.transaction, never through kysely');
}

const noConnections: ConnectionProvider = { provideConnection: refuse };

const noDriver: Driver = {
  init: async () => {},
  acquireConnection: refuse,
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  releaseConnection: async () => {},
  destroy: async () => {},
};

/**
 * Hands compiled statements straight to the engine. Kysely's own way (acquire, execute, release) takes five more promises for each
 * statement. It also lets other work run between the moment when a connection is handed out and its use.
 */
export class SessionExecutor extends DefaultQueryExecutor {
  readonly session: Session;

  constructor(compiler: QueryCompiler, adapter: DialectAdapter, session: Session) {
    super(compiler, adapter, noConnections);
    this.session = session;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.session.execute(query) as Promise<QueryResult<R>>;
  }

  // oxlint-disable-next-line require-yield -- kysely wants a generator here; a statement must not stay open across awaits
  override async *stream<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read large tables in pages, by key; streams are not part of the store');
  }
}

/** The session behind a handle that the store gave. */
export function sessionOf(db: Db): Session {
  const executor = db.getExecutor();
  if (!(executor instanceof SessionExecutor))
    throw new TypeError('this goes through the handle that the store gave, without plugins');
  return executor.session;
}

/** Makes the `Db` handles that queries use. */
export interface Handles {
  store(session: Session): Db;
  transaction(session: Session): Db;
}

export function handlesOf(dialect: Omit<Dialect, 'createDriver'>): Handles {
  const complete: Dialect = { ...dialect, createDriver: () => noDriver };
  const compiler = dialect.createQueryCompiler();
  const adapter = dialect.createAdapter();
  const props = (session: Session): KyselyProps => ({
    config: { dialect: complete },
    driver: noDriver,
    executor: new SessionExecutor(compiler, adapter, session),
    dialect: complete,
  });
  return {
    store: (session) => new Kysely<Tables>(props(session)),
    transaction: (session) => new Transaction<Tables>(props(session)),
  };
}

/** Whether a statement can only read. A raw statement counts as writing unless it begins with one of the reading words. */
export function isRead(query: CompiledQuery): boolean {
  if (query.query.kind === 'SelectQueryNode') return true;
  return query.query.kind === 'RawNode' && /^\s*(?:select|values|explain|pragma)\b/i.test(query.sql);
}
