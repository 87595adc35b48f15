import { openPool } from './pool.ts';

/** Counts requests of several processes together, in the form that `rate-limiter-flexible` expects. */
export interface CounterTable extends AsyncDisposable {
  readonly name: string;
  query(statement: {
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

const NAME = 'rate_limits';
const PURGE_MS = 300_000;
/** Two processes may make the table at the same time. PostgreSQL then lets one of them fail with this code. */
const UNIQUE_VIOLATION = '23505';

/**
 * Opens a table of counters beside the store. The table is unlogged, since counts may be lost in a crash. It is used outside of the store's
 * serializable transactions, because requests from one address would collide there.
 *
 * @param url postgres://…
 */
export async function openCounterTable(url: string): Promise<CounterTable> {
  const { pool } = await openPool(url);
  try {
    await pool.query(
      `create unlogged table if not exists ${NAME} (key varchar(255) primary key, points integer not null, expire bigint)`,
    );
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) {
      await pool.end();
      throw error;
    }
  }
  const purge = setInterval(() => {
    // An expired row is reused when its key comes again. This removes expired rows whose key doesn't come again.
    pool.query(`delete from ${NAME} where expire < $1`, [Date.now()]).catch(() => undefined);
  }, PURGE_MS).unref();

  return {
    name: NAME,
    query: ({ text, values = [] }) => pool.query(text, [...values]),
    async [Symbol.asyncDispose]() {
      clearInterval(purge);
      await pool.end();
    },
  };
}
