import type { Client, ClientBase, CustomTypesConfig, Pool, PoolConfig } from 'pg';
import { Problem } from '../../../base/problem.ts';

/** Connections of one process. Few are busy at once, because bodies of transactions wait only for the database. */
export const poolSize = 10;
/** Turns have their own connections: at full load they would wait for one longer than they take. Each turn waits for the one before. */
const turnPoolSize = 2;
const connectMs = 5_000;
/** The server ends a body that waits for something else for this long, and frees its locks. */
const idleInTransactionMs = 10_000;

/** Types by their OIDs in pg_type. */
const oid = { bytea: 17, int8: 20, numeric: 1700 } as const;

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError('a number in the store is too large to be exact');
  return value;
}

/** @throws Problem invalid STORE_URL; the message never repeats the URL, because it holds a password */
function checkUrl(url: string): void {
  let protocol: string | undefined;
  try {
    ({ protocol } = new URL(url));
  } catch {
    // The error is reported below: the error of URL contains the URL, which holds a password.
  }
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new Problem(
      'invalid',
      'STORE_URL',
      'The URL of the database is not of the form postgres://user:password@host:port/name',
    );
}

export interface Connections {
  readonly pool: Pool;
  /** for transactions of `inTurn` */
  readonly turns: Pool;
  /** the configuration for a separate connection that listens */
  readonly config: PoolConfig;
  readonly Client: typeof Client;
}

/** @throws Problem invalid STORE_URL */
export async function openPool(url: string): Promise<Connections> {
  checkUrl(url);
  // Only processes that use PostgreSQL wait for its client to load.
  const { default: pg } = await import('pg');
  const parserOf = pg.types.getTypeParser as (id: number, format?: 'text' | 'binary') => (text: string) => unknown;
  const parseBytes = parserOf(oid.bytea) as (text: string) => Buffer;
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'conclave',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    pipeline: true,
    types: {
      getTypeParser: ((id: number, format?: 'text' | 'binary') => {
        if (id === oid.int8 || id === oid.numeric) return toNumber;
        if (id === oid.bytea) return (text: string) => new Uint8Array(parseBytes(text));
        return parserOf(id, format);
      }) as CustomTypesConfig['getTypeParser'],
    },
  };
  async function prepare(client: ClientBase): Promise<void> {
    // Prevents the same crash as the handler of the pool below, while the connection is in use.
    client.on('error', () => {});
    // Backslashes in quotes are backslashes: the server's configuration could have it otherwise. Compiling a statement to machine code takes
    // the server a second for one that takes milliseconds, and each connection compiles its own.
    await client.query(
      `set idle_in_transaction_session_timeout = ${idleInTransactionMs}; set standard_conforming_strings = on; set jit = off`,
    );
  }
  const poolOf = (max: number): Pool => {
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for the promise, though its types don't say so
    const pool = new pg.Pool({ ...config, max, onConnect: prepare });
    // A broken idle connection is replaced when it is needed. Without this listener it would end the process.
    pool.on('error', () => {});
    return pool;
  };
  return { pool: poolOf(poolSize), turns: poolOf(turnPoolSize), config, Client: pg.Client };
}
