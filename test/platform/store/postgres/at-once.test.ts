import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../../src/platform/store/database.ts';
import { openPool, type Connections } from '../../../../src/platform/store/postgres/pool.ts';
import { openPostgresDatabase } from '../../../../src/platform/store/postgres/postgres-database.ts';
import { onlyRow, writtenQuery } from '../../../../src/platform/store/written-query.ts';
import { bothThere } from '../../../support/both-there.ts';
import { jobRow } from '../../../support/jobs.ts';
import { bothEngines, createPostgresDatabase } from '../../../support/stores.ts';

/** Notes what is sent, `>`, and what is answered, `<`, by its first word; `change` changes what is sent. */
function noted(into: string[], change = (text: string): string => text) {
  return async (url: string): Promise<Connections> => {
    const connections = await openPool(url);
    connections.pool.on('connect', (client) => {
      const send = client.query.bind(client) as (...rest: unknown[]) => Promise<unknown>;
      const noting = async (statement: string | { readonly text: string }, ...rest: unknown[]) => {
        const text = typeof statement === 'string' ? statement : statement.text;
        const word = /\w+/.exec(text)?.[0] ?? '';
        into.push(`> ${word}`);
        try {
          return await send(typeof statement === 'string' ? change(statement) : statement, ...rest);
        } finally {
          into.push(`< ${word}`);
        }
      };
      client.query = noting as typeof client.query;
    });
    return connections;
  };
}

const add = async (db: Db, id: string): Promise<unknown> => await db.insertInto('jobs').values(jobRow(id)).execute();
const ids = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('jobs').select('id').orderBy('id').execute()).map(({ id }) => id);

describe.runIf(bothEngines.includes('postgres'))('statements of a transaction on PostgreSQL', () => {
  it('are sent at once when they are started at once; a first one that reads goes with the beginning', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    const sent: string[] = [];
    await using database = await openPostgresDatabase(created.url, Math.random, noted(sent));
    const found = await database.transaction(async (db) => {
      const none = await ids(db);
      await Promise.all([add(db, 'a'), add(db, 'b')]);
      return [none, await ids(db)];
    });
    expect(found).toEqual([[], ['a', 'b']]);
    expect(sent.join(', ').replaceAll(', <', ' <')).toBe(
      '> begin, > select < begin < select, > insert, > insert < insert < insert, > select < select, > commit < commit',
    );
  });

  it('wait for the beginning if they write, and those behind them wait too', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    const sent: string[] = [];
    await using database = await openPostgresDatabase(created.url, Math.random, noted(sent));
    await database.transaction(async (db) => {
      const [, seen] = await Promise.all([add(db, 'a'), ids(db)]);
      expect(seen).toEqual(['a']);
    });
    expect(sent.slice(0, 4)).toEqual(['> begin', '< begin', '> insert', '< insert']);
  });

  it('leave nothing when the beginning fails', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    const broken = noted([], (text) => text.replace('serializable', 'of some kind'));
    await using database = await openPostgresDatabase(created.url, Math.random, broken);
    const bodies: ((db: Db) => Promise<unknown>)[] = [
      async (db) => await add(db, 'alone'),
      async (db) => await Promise.all([ids(db), add(db, 'behind one that reads')]),
      async (db) => await Promise.allSettled([add(db, 'first'), add(db, 'second')]),
    ];
    for (const body of bodies) await expect(database.transaction(body)).rejects.toThrow('syntax error');
    expect(await ids(database.db)).toEqual([]);
  });

  it('fail with what the first of them failed with, and leave nothing', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    const twice = database.transaction(async (db) => {
      const all = await Promise.allSettled([add(db, 'a'), add(db, 'a'), add(db, 'b'), ids(db)]);
      const reasons = all.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : ''));
      expect(reasons).toEqual(['', 'UniqueViolation', 'UniqueViolation', 'UniqueViolation']);
      await expect(ids(db)).rejects.toMatchObject({ name: 'UniqueViolation' });
    });
    await expect(twice).rejects.toMatchObject({ name: 'UniqueViolation' });
    expect(await ids(database.db)).toEqual([]);
  });

  it('run again together when one of them collides', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    await add(database.db, 'counter');
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        database.transaction(async (db) => {
          const count = db
            .updateTable('jobs')
            .set((row) => ({ attempts: row('attempts', '+', 1) }))
            .where('id', '=', 'counter');
          await Promise.all([count.execute(), add(db, `with ${at}`)]);
        }),
      ),
    );
    const counter = database.db.selectFrom('jobs').select('attempts').where('id', '=', 'counter');
    expect(await counter.executeTakeFirst()).toEqual({ attempts: 20 });
    expect(await ids(database.db)).toHaveLength(21);
  });

  it('collide with no others by the size of a table: a small one is read by its index too', async () => {
    await using created = await createPostgresDatabase({ migrated: true });
    await using database = await openPostgresDatabase(created.url);
    for (const id of ['a', 'b']) await add(database.db, id);
    await sql`analyze jobs`.execute(database.db);
    const read = writtenQuery<{ attempts: number }>('select attempts from jobs where id = $1');
    // Outside of transactions it is planned otherwise, by each connection.
    for (let times = 0; times < 8; times += 1)
      await Promise.all(Array.from({ length: 20 }, async () => await database.db.executeQuery(read('a'))));
    let runs = 0;
    const meet = bothThere();
    const change = async (id: string) =>
      await database.transaction(async (db) => {
        runs += 1;
        const own = onlyRow((await db.executeQuery(read(id))).rows);
        await meet();
        await db
          .updateTable('jobs')
          .set({ attempts: own.attempts + 1 })
          .where('id', '=', id)
          .execute();
      });
    await Promise.all([change('a'), change('b')]);
    expect(runs).toBe(2);
  });
});
