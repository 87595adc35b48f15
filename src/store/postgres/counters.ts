import { openPool } from './pool.ts';

/** Where processes count requests together, as `rate-limiter-flexible` wants to see it. */
export interface CounterTable extends AsyncDisposable {
  readonly name: string;
  query(statement: {
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

const NAME = 'rate_limits';
const PURGE_MS = 300_000;
/** Two processes that make one table at the same time; PostgreSQL lets one of them fail. */
const UNIQUE_VIOLATION = '23505';

/**
 * A table of counters beside the store: unlogged, since counts may be lost in a crash, and outside of the store's serializable
 * transactions, where requests of one address would only collide.
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
    // Rows that have run out are reused when their key comes again; those whose key doesn't come are what is removed here.
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
