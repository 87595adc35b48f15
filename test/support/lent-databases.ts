import pg from 'pg';
import { migrationTable } from '../../src/store/migrations.ts';

/** A database of PostgreSQL for one test. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

interface Kept {
  readonly url: string;
  readonly schema: string;
}

/**
 * Databases that tests of this process gave back. Making one costs PostgreSQL 300 files, as much time as the test that wants it;
 * emptying one costs a tenth.
 */
const free: Kept[] = [];

/** A migrated, empty database. Disposing it empties it for the next test, unless the test changed more than rows. */
export async function lendPostgresDatabase(make: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const kept = free.pop();
  if (kept !== undefined) return { url: kept.url, [Symbol.asyncDispose]: () => giveBack(kept) };
  const created = await make();
  const fresh = { url: created.url, schema: await connected(created.url, schemaOf) };
  return { url: fresh.url, [Symbol.asyncDispose]: () => giveBack(fresh) };
}

async function giveBack(kept: Kept): Promise<void> {
  const same = await connected(kept.url, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.query(emptying);
    return (await schemaOf(client)) === kept.schema;
  }).catch(() => false);
  // One that is left over goes with the server, at the end of the run.
  if (same) free.push(kept);
}

const emptying = `do $$ declare one record; begin
  perform set_config('session_replication_role', 'replica', true);
  for one in select oid::regclass as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '${migrationTable}' and pg_relation_size(oid) > 0
  loop execute format('delete from %s', one.name); end loop;
end $$`;

/** Changes with every change of tables, columns, indexes, triggers, functions and migrations, and with bloat beyond a megabyte. */
async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(
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

async function connected<T>(url: string, body: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
