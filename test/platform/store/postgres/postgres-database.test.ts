import { inspect } from 'node:util';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../../src/platform/store/database.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { openPostgresDatabase } from '../../../../src/platform/store/postgres/postgres-database.ts';
import { writtenQuery } from '../../../../src/platform/store/written-query.ts';
import { bothThere } from '../../../support/both-there.ts';
import { jobRow } from '../../../support/jobs.ts';
import { bothEngines, createPostgresDatabase } from '../../../support/stores.ts';

async function refusal(url: string): Promise<unknown> {
  try {
    await using database = await openDatabase({ dataDir: '/nowhere', url });
    return database;
  } catch (error) {
    return error;
  }
}

describe('a PostgreSQL that is not there', () => {
  it('is said to be unavailable, without the password', async () => {
    // A port that nobody has: it was just given back.
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    server.close();
    for (const host of [`127.0.0.1:${port}`, 'no-such-host.invalid']) {
      const error = await refusal(`postgres://ada:s3cr3t-pass@${host}/conclave`);
      expect(error).toMatchObject({
        kind: 'unavailable',
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/cannot be reached \([A-Z_]+\)/),
      });
      expect(inspect(error, { depth: 20 })).not.toContain('s3cr3t-pass');
    }
  });

  it.each(['', 'conclave', 'http://ada:s3cr3t-pass@localhost/x', 'postgres//ada:s3cr3t-pass@localhost', 'mysql://x'])(
    'is refused as %j',
    async (url) => {
      const error = await refusal(url);
      expect(error).toMatchObject({ kind: 'invalid', code: 'STORE_URL' });
      expect(inspect(error, { depth: 20 })).not.toContain('s3cr3t-pass');
    },
  );
});

describe.runIf(bothEngines.includes('postgres'))('PostgreSQL', () => {
  it('does not tell its wrong password or database', { tags: 'thorough' }, async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    const elsewhere = new URL(created.url);
    elsewhere.pathname = '/no_such_database';
    elsewhere.password ||= 's3cr3t-pass';
    const error = await refusal(elsewhere.href);
    expect(error).toMatchObject({ kind: 'unavailable', code: 'STORE_UNAVAILABLE' });
    expect(inspect(error, { depth: 20 })).not.toContain(elsewhere.password);
  });

  it('is kept from compiling statements, as it does unless somebody configured it otherwise', async () => {
    await using created = await createPostgresDatabase({ migrated: false });
    await using database = await openPostgresDatabase(created.url);
    const compiles = sql<{ setting: string; configured: string }>`
      select setting, reset_val as configured from pg_settings where name = 'jit'`;
    const kept = [{ setting: 'off', configured: 'on' }];
    expect((await compiles.execute(database.db)).rows).toEqual(kept);
    const inTurn = await database.inTurn(async (db) => (await compiles.execute(db)).rows);
    expect(inTurn).toEqual(kept);
  });

  it('runs a body again when it collides with another, and answers with what was committed', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await database.db
      .insertInto('jobs')
      .values([jobRow('a', { attempts: 0 }), jobRow('b', { attempts: 0 })])
      .execute();
    let runs = 0;
    const meet = bothThere();
    // Each reads what the other writes: one after another, one of them sees a sum of 1.
    const write = (id: string) => async (db: Db) => {
      runs += 1;
      const rows = await db.selectFrom('jobs').select('attempts').execute();
      await meet();
      const sum = rows.reduce((all, { attempts }) => all + attempts, 0);
      await db
        .updateTable('jobs')
        .set({ attempts: sum + 1 })
        .where('id', '=', id)
        .execute();
      return sum;
    };
    const sums = await Promise.all([database.transaction(write('a')), database.transaction(write('b'))]);
    expect(sums.toSorted()).toEqual([0, 1]);
    expect(runs).toBeGreaterThan(2);
  });

  it('lets a slow body through that collides with quick ones all the time', { tags: 'thorough' }, async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await database.db.insertInto('jobs').values(jobRow('counter')).execute();
    const add = async (db: Db, between: () => Promise<unknown>) => {
      const { attempts } = await db.selectFrom('jobs').select('attempts').executeTakeFirstOrThrow();
      await between();
      await db
        .updateTable('jobs')
        .set({ attempts: attempts + 1 })
        .execute();
    };
    const through = new AbortController();
    let runs = 0;
    let quick = 0;
    const quickOnes = Array.from({ length: 4 }, async () => {
      while (!through.signal.aborted) {
        await database.transaction(async (db) => await add(db, async () => {}));
        quick += 1;
      }
    });
    // A quick one takes a few milliseconds, so some of them commit meanwhile each time.
    try {
      await database.transaction(async (db) => {
        runs += 1;
        await add(db, async () => await sql`select pg_sleep(0.1)`.execute(db));
      });
    } finally {
      through.abort();
      await Promise.all(quickOnes);
    }
    expect(await database.db.selectFrom('jobs').select('attempts').execute()).toEqual([{ attempts: quick + 1 }]);
    // Those that had begun before it went first may still have been quicker.
    expect(runs).toBeLessThanOrEqual(14);
  });

  it('runs a body again also when it hides the collision', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await database.db.insertInto('jobs').values(jobRow('counter')).execute();
    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction(async (db) => {
          try {
            const { attempts } = await db.selectFrom('jobs').select('attempts').executeTakeFirstOrThrow();
            await db
              .updateTable('jobs')
              .set({ attempts: attempts + 1 })
              .execute();
          } catch {
            throw new Error('something went wrong');
          }
        }),
      ),
    );
    expect(await database.db.selectFrom('jobs').select('attempts').execute()).toEqual([{ attempts: 20 }]);
  });

  it('runs a body again that was told of a row which it had looked for in vain', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    let runs = 0;
    const meet = bothThere();
    // Neither looks by the key, so that PostgreSQL does not know that they collide.
    const addOnce = async () =>
      await database.transaction(async (db) => {
        runs += 1;
        const { rows } = await sql`select 1 from jobs where kind = 'once' and run_at >= 0`.execute(db);
        if (rows.length > 0) return 'was there';
        await meet();
        await db
          .insertInto('jobs')
          .values(jobRow('one', { kind: 'once' }))
          .execute();
        return 'added';
      });
    expect((await Promise.all([addOnce(), addOnce()])).toSorted()).toEqual(['added', 'was there']);
    expect(runs).toBe(3);
  });

  it('says that a key is taken which its body does not look for', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    const add = async (db: Db) => await db.insertInto('jobs').values(jobRow('one')).execute();
    await database.transaction(add);
    await expect(database.transaction(add)).rejects.toMatchObject({ name: 'UniqueViolation', columns: ['id'] });
  });

  it('goes on after the columns of a statement that it prepared were changed', { tags: 'thorough' }, async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await database.db.insertInto('jobs').values(jobRow('one')).execute();
    const all = writtenQuery('select * from jobs where id = $1');
    const columns = async (db: Db) => Object.keys((await db.executeQuery(all('one'))).rows[0] as object).length;
    // On several connections, each of which prepares it.
    const readings = [() => columns(database.db), () => database.transaction(columns)];
    const seen = async (reading: () => Promise<number>) =>
      new Set(await Promise.all(Array.from({ length: 20 }, reading)));
    const first = await columns(database.db);
    for (const [at, reading] of [...readings, ...readings].entries()) {
      expect(await seen(reading)).toEqual(new Set([first + at]));
      await database.db.executeQuery(writtenQuery(`alter table jobs add column more_${at} integer`)());
    }
  });

  it('plans a statement that comes again once', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    const prepared = sql<{ statement: string }>`select statement from pg_prepared_statements`;
    const written = writtenQuery('select id from jobs where id = $1');
    await database.transaction(async (db) => {
      for (const id of ['a', 'b']) {
        await db.executeQuery(written(id));
        await db.selectFrom('jobs').select('id').where('kind', '=', id).execute();
      }
      expect((await prepared.execute(db)).rows).toEqual([{ statement: 'select id from jobs where id = $1' }]);
    });
  });

  it('goes on after its connections were cut', { tags: 'thorough' }, async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await using other = await openPostgresDatabase(created.url);
    const cut = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
        other.db,
      );
    await database.db.selectFrom('jobs').selectAll().execute();
    await cut();
    const inside = database.transaction(async (db) => {
      await db.insertInto('jobs').values(jobRow('lost')).execute();
      await cut();
      await db.insertInto('jobs').values(jobRow('lost too')).execute();
    });
    await expect(inside).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await database.transaction(async (db) => {
      await db.insertInto('jobs').values(jobRow('kept')).execute();
    });
    expect(await database.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: 'kept' }]);
  });

  it('refuses a number that would not be exact', async () => {
    await using created = await createPostgresDatabase({ migrated: false });
    await using database = await openPostgresDatabase(created.url);
    expect((await sql`select 9007199254740991::bigint as n, 1.5::numeric as f`.execute(database.db)).rows).toEqual([
      { n: Number.MAX_SAFE_INTEGER, f: 1.5 },
    ]);
    await expect(sql`select 9007199254740993::bigint as n`.execute(database.db)).rejects.toThrow(RangeError);
    expect((await sql`select 1 as n`.execute(database.db)).rows).toEqual([{ n: 1 }]);
  });

  it('is left when the database is disposed, also twice', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    const database = await openPostgresDatabase(created.url);
    await database.db.selectFrom('jobs').selectAll().execute();
    await Promise.all([database[Symbol.asyncDispose](), database[Symbol.asyncDispose]()]);
    const refused = { kind: 'unavailable', code: 'STORE_CLOSED' };
    await expect(database.db.selectFrom('jobs').selectAll().execute()).rejects.toMatchObject(refused);
    await expect(
      database.transaction(async (db) => await db.selectFrom('jobs').selectAll().execute()),
    ).rejects.toMatchObject(refused);
  });
});
