import { PostgresAdapter, PostgresIntrospector, CompiledQuery, type QueryResult } from 'kysely';
import type { Pool, PoolClient, QueryResult as PostgresResult } from 'pg';
import { Problem } from '../../../base/problem.ts';
import type { Database, Db } from '../database.ts';
import { handlesOf, isRead, type Session } from '../executor.ts';
import { ServerCompiler } from '../per-engine.ts';
import { createListeners } from '../signals.ts';
import { UniqueViolation } from '../violation.ts';
import { isRepeated } from '../written-query.ts';
import { Collision, failureOf, StaleStatement } from './failure.ts';
import { channelPrefix, createListener } from './listener.ts';
import { openPool, poolSize, type Connections } from './pool.ts';
import { createPrecedence } from './precedence.ts';

/** The ASCII bytes of "Conc". All programs that use a database share its advisory locks. */
const exclusiveLock = 0x43_6f_6e_63;
/** The ASCII bytes of "Turn". */
const turnLock = 0x54_75_72_6e;
/** PostgreSQL ends a process's transaction that does nothing for 10 s, so whoever waits longer waits for one that works. */
const longestTurn = '15s';
/**
 * A statement that reads a whole table, as the planner would have it for a small one, collides with whatever others write there. It is planned
 * so under a name of its own: outside of transactions a large table is sometimes read faster from end to end.
 */
const beginSerializable = 'begin isolation level serializable; set local enable_seqscan = off';
/** One round trip: a statement of its own sees what was committed before it, so the lock comes first. */
const beginTurn = `begin isolation level read committed; set local lock_timeout = '${longestTurn}'; select pg_advisory_xact_lock(${turnLock})`;
/** For transactions that may wait for another store or a disk between two statements. */
const patient = 'set local idle_in_transaction_session_timeout = 0';
/** Fifty requests for one row, ten at a time, all succeed in far fewer attempts. */
const mostAttempts = 50;
/**
 * PostgreSQL may say that a key is there already when its row came after the transaction had begun. The next attempt sees that row. One that
 * fails so again, and again, has found no key that a body would have seen.
 */
const unseenKeys = 3;

const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new ServerCompiler(),
  createIntrospector: (db: ConstructorParameters<typeof PostgresIntrospector>[0]) => new PostgresIntrospector(db),
};

interface Queries {
  query(statement: { text: string; values: unknown[]; name?: string | undefined }): Promise<PostgresResult>;
}

/** Names of prepared statements, by the text. A name is good for all connections of the process, each of which keeps its plan. */
const mostNames = 2_000;
const names = new Map<string, string>();

/**
 * Statements whose text comes again are prepared: planning the filter of the social network takes PostgreSQL three times as long as reading
 * a page through it. The others are too many to keep.
 */
function nameOf(query: CompiledQuery, plan: string): string | undefined {
  if (!isRepeated(query)) return undefined;
  let name = names.get(query.sql);
  if (name === undefined && names.size < mostNames) {
    name = `conclave ${names.size}`;
    names.set(query.sql, name);
  }
  return name && name + plan;
}

/** @param plan tells plans of one statement apart */
async function run(on: Queries, query: CompiledQuery, plan = ''): Promise<QueryResult<unknown>> {
  const { sql: text, parameters } = query;
  try {
    const { rows, rowCount, command } = await on.query({ name: nameOf(query, plan), text, values: [...parameters] });
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    throw failureOf(error);
  }
}

async function sendSignal(on: Queries, channel: string, payload: string): Promise<void> {
  try {
    await on.query({ text: 'select pg_notify($1, $2)', values: [channelPrefix + channel, payload] });
  } catch (error) {
    throw failureOf(error);
  }
}

/**
 * Opens the store in PostgreSQL. Transactions are SERIALIZABLE and run again when they collide. So they behave like transactions of the
 * embedded engine, which run one after another.
 * @param random for the pauses between attempts: below 1, as Math.random
 * @param open opens its connections
 * @throws Problem invalid STORE_URL
 */
export async function openPostgresDatabase(
  url: string,
  random: () => number = Math.random,
  open: (url: string) => Promise<Connections> = openPool,
): Promise<Database> {
  const { pool, turns, config, Client } = await open(url);
  const handles = handlesOf(dialect);
  const precedence = createPrecedence(random);
  const listeners = createListeners();
  const listener = createListener(() => new Client(config), listeners);
  let closing: Promise<void> | undefined;

  function refuseClosed(): void {
    if (closing) throw new Problem('unavailable', 'STORE_CLOSED', 'The store is closed');
  }

  async function connect(from: Pool): Promise<PoolClient> {
    refuseClosed();
    try {
      return await from.connect();
    } catch (error) {
      throw failureOf(error);
    }
  }

  async function attempt<T>(begin: readonly string[], body: (db: Db) => Promise<T>, from: Pool): Promise<T> {
    const client = await connect(from);
    const plan = begin.includes(beginSerializable) ? ' by index' : '';
    let ended = false;
    let failure: { error: unknown } | undefined;
    let broken: Error | undefined;
    let last: Promise<unknown> = Promise.resolve();
    let [hasBegun, waiting] = [false, 0];
    const starting = async (): Promise<void> => {
      await Promise.all(begin.map(async (statement) => await client.query(statement)));
      hasBegun = true;
    };
    const begun = starting();
    // It is awaited below.
    begun.catch(() => {});
    const checked = async <R>(action: () => Promise<R>): Promise<R> => {
      if (ended) throw new Error('this transaction has ended; its handle is good only inside its body');
      if (failure) throw failure.error;
      try {
        return await action();
      } catch (error) {
        // Those that were sent behind it fail too, and only say that the transaction has failed.
        failure ??= { error: hasBegun ? error : await begun.then(() => error, failureOf) };
        throw failure.error;
      }
    };
    // A connection runs one statement after another. Those that a body starts at once are sent at once, because to wait for each answer
    // costs more than most statements do. The first is sent with the beginning. If that failed, what it writes would stay.
    const inTurn = <R>(action: () => Promise<R>, reads = false): Promise<R> => {
      const atOnce = waiting === 0 && (hasBegun || reads);
      if (!atOnce) waiting += 1;
      const done = atOnce
        ? checked(action)
        : Promise.allSettled([last, begun]).then(async () => {
            waiting -= 1;
            await begun;
            return await checked(action);
          });
      last = done.catch(() => {});
      return done;
    };
    const atCommit: string[] = [];
    const session: Session = {
      execute: (query) => inTurn(() => run(client, query, plan), isRead(query)),
      notify: (channel, payload) => inTurn(() => sendSignal(client, channel, payload)),
      atCommit: (statement) => inTurn(async () => void atCommit.push(statement)),
      async savepoint(part) {
        const command = (text: string) => inTurn(async () => void (await run(client, CompiledQuery.raw(text))));
        const before = atCommit.length;
        await command('savepoint part');
        try {
          const value = await part();
          await command('release savepoint part');
          return value;
        } catch (error) {
          // A failed statement ends the whole transaction, so this throws then.
          await command('rollback to savepoint part');
          await command('release savepoint part');
          atCommit.length = before;
          throw error;
        }
      },
    };
    try {
      const value = await body(handles.transaction(session));
      await begun;
      await last;
      if (failure) throw failure.error;
      ended = true;
      await client.query([...atCommit, 'commit'].join('; '));
      return value;
    } catch (error) {
      ended = true;
      await last;
      try {
        await client.query('rollback');
      } catch (lost) {
        broken = lost instanceof Error ? lost : new Error(String(lost));
      }
      if (failure?.error instanceof StaleStatement) broken = failure.error;
      // A body may have caught the error of its statement and thrown another one.
      throw failure?.error instanceof Collision ? failure.error : failureOf(error);
    } finally {
      // A connection that failed even at the rollback is not used again.
      client.release(broken);
    }
  }

  async function repeat<T>(begin: readonly string[], body: (db: Db) => Promise<T>, from: Pool = pool): Promise<T> {
    using attempts = await precedence.begin();
    let keys = 0;
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt(begin, body, from);
      } catch (error) {
        if (error instanceof UniqueViolation) keys += 1;
        else if (!(error instanceof Collision)) throw error;
        if (keys === unseenKeys) throw error;
        if (tried === mostAttempts)
          throw new Problem('unavailable', 'STORE_BUSY', 'Too many requests change the same data at once. Try again', {
            cause: error,
          });
        await attempts.pause();
      }
    }
  }

  const outside: Session = {
    async execute(query) {
      for (let tried = 0; ; tried += 1) {
        refuseClosed();
        try {
          return await run(pool, query);
        } catch (error) {
          // The pool ends a connection whose statement failed, and each has statements of its own.
          if (!(error instanceof StaleStatement) || tried === poolSize) throw error;
        }
      }
    },
    async notify(channel, payload) {
      refuseClosed();
      await sendSignal(pool, channel, payload);
    },
    async atCommit() {
      throw new Error('a statement at the commit joins a transaction');
    },
    async savepoint() {
      throw new Error('a savepoint joins a transaction');
    },
  };

  async function close(): Promise<void> {
    await Promise.all([listener.close(), pool.end(), turns.end()]);
  }

  return {
    engine: 'postgres',
    // The first query of a reading shows whether the server answers, so nothing is checked here.
    assertWritable: async () => undefined,
    db: handles.store(outside),
    transaction: (body) => repeat([beginSerializable], body),
    // Not serializable: a serializable transaction would see the store as it was before it got the lock.
    exclusively: (body) =>
      repeat(['begin isolation level read committed', patient, `select pg_advisory_xact_lock(${exclusiveLock})`], body),
    inTurn: (body) => repeat([beginTurn], body, turns),
    snapshot: (body) =>
      repeat(['begin isolation level repeatable read read only', patient], (db) => body({ kind: 'handle', db })),
    listen: (channel, entry) => listener.listen(channel, entry),
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}
