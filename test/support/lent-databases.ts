import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { migrationTable } from '../../src/platform/store/migrations.ts';
import { openPool, type Connections } from '../../src/platform/store/postgres/pool.ts';

/** A database of PostgreSQL for one test. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** One that other tests may have had before, with connections that know its tables and have plans for its statements. */
export interface LentDatabase extends AsyncDisposable {
  readonly url: string;
  readonly connections: Connections;
}

interface Kept extends Pick<LentDatabase, 'url' | 'connections'> {
  readonly schema: string;
  /** the server's processes of the connections */
  readonly own: ReadonlySet<number>;
}

/**
 * Databases that tests of this process gave back. Making one costs PostgreSQL 300 files, as much time as the test that wants it;
 * emptying one costs a tenth, and so does connecting to it.
 */
const free: Kept[] = [];

/** A migrated, empty database. Disposing it empties it for the next test, unless the test changed more than rows. */
export async function lendPostgresDatabase(make: () => Promise<TestDatabase>): Promise<LentDatabase> {
  const kept = free.pop() ?? (await keep((await make()).url));
  const { url, connections } = kept;
  const { pool, turns } = connections;
  return {
    url,
    connections: { ...connections, pool: withoutEnd(pool), turns: withoutEnd(turns) },
    [Symbol.asyncDispose]: () => giveBack(kept),
  };
}

async function keep(url: string): Promise<Kept> {
  const connections = await openPool(url);
  const own = new Set<number>();
  for (const pool of [connections.pool, connections.turns]) {
    pool.options.idleTimeoutMillis = 0;
    pool.options.allowExitOnIdle = true;
    pool.on('connect', (client) => void own.add(processOf(client)));
    pool.on('remove', (client) => void own.delete(processOf(client)));
  }
  return { url, connections, own, schema: await schemaOf(connections.pool) };
}

function processOf(client: unknown): number {
  return (client as { processID: number }).processID;
}

/** What a test ends is only its use of a pool: it waits for what the test does with it. */
function withoutEnd(pool: Pool): Pool {
  const lent = {
    connect: pool.connect.bind(pool),
    query: pool.query.bind(pool),
    end: async () => {
      while (pool.totalCount > pool.idleCount) await sleep(1);
    },
  };
  // Its store uses no more of it.
  return lent as unknown as Pool;
}

async function giveBack(kept: Kept): Promise<void> {
  const { pool } = kept.connections;
  const same = await (async () => {
    await pool.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> all ($1)',
      [[...kept.own]],
    );
    await pool.query(emptying);
    return (await schemaOf(pool)) === kept.schema;
  })().catch(() => false);
  if (same) free.push(kept);
  // One that is left over goes with the server, at the end of the run.
  else await Promise.all([pool.end(), kept.connections.turns.end()]);
}

const emptying = `do $$ declare one record; begin
  perform set_config('session_replication_role', 'replica', true);
  for one in select oid::regclass as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '${migrationTable}' and pg_relation_size(oid) > 0
  loop execute format('delete from %s', one.name); end loop;
end $$`;

/** Changes with every change of tables, columns, indexes, triggers, functions and migrations, and with bloat beyond a megabyte. */
async function schemaOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    `select concat(
      (select md5(string_agg(concat(oid, ' ', xmin), ',' order by oid)) from pg_class where relnamespace = 'public'::regnamespace),
      (select count(*) from pg_proc where pronamespace = 'public'::regnamespace),
      (select count(*) from pg_trigger),
      (select md5(string_agg(concat(version, name), ',' order by version)) from ${migrationTable}),
      (select count(*) from pg_class where relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 1e6)
    ) as schema`,
  );
  return rows[0]!.schema;
}
