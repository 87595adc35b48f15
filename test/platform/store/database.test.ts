import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/platform/store/database.ts';
import { isUniqueViolation, UniqueViolation } from '../../../src/platform/store/violation.ts';
import { jobRow } from '../../support/jobs.ts';
import { bothEngines, openTestStore } from '../../support/stores.ts';

const member = (id: string, row: object = {}) => ({
  id,
  username: id,
  username_key: id,
  email: `${id}@example.org`,
  email_key: `${id}@example.org`,
  type: 'User' as const,
  status: 'active' as const,
  public_key: `02${id}`,
  mnemonic_tag: `tag ${id}`,
  verified_email_key: null,
  created_at: 1,
  created_by: id,
  updated_at: 1,
  role_updated_at: 1,
  role_updated_by: id,
  last_login_at: null,
  ...row,
});

const addMember = async (db: Db, id: string, row: object = {}): Promise<void> => {
  await db.insertInto('members').values(member(id, row)).execute();
};

describe.each(bothEngines)('a store on %s', (engine) => {
  it('gives back what was put in, in the same types', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    await addMember(db, 'ada', {
      username: 'Ädä €😀 \u{10FFFF} "\'\\',
      created_at: Number.MAX_SAFE_INTEGER,
      last_login_at: -1,
      email: '',
    });
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index * 7);
    const session = {
      id: 's',
      member_id: 'ada',
      jti_hash: 'h',
      sealed_key: bytes,
      created_at: 1_765_000_000_123,
      last_used_at: 0,
      expires_at: 2 ** 31,
      user_agent: 'x'.repeat(100_000),
    };
    await db.insertInto('sessions').values(session).execute();
    expect(await db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()).toStrictEqual(session);
    const replaced = {
      jti_hash: 'i',
      session_id: 's',
      sealed_key: null,
      sealed_next: new Uint8Array(0),
      good_until: 0,
    };
    await db.insertInto('replaced_tokens').values(replaced).execute();
    expect(await db.selectFrom('replaced_tokens').selectAll().executeTakeFirstOrThrow()).toStrictEqual(replaced);
    await db
      .insertInto('energy_accounts')
      .values({
        member_id: 'ada',
        balance: 0.1,
        earned: 1e300,
        spent: -0.5,
        reserved: 7,
        reputation: 0,
        created_at: 1,
        updated_at: 1,
      })
      .execute();
    expect(await db.selectFrom('energy_accounts').selectAll().executeTakeFirst()).toMatchObject({
      balance: 0.1,
      earned: 1e300,
      spent: -0.5,
      reserved: 7,
    });
    expect(
      await db.selectFrom('members').select(['username', 'created_at', 'last_login_at', 'email']).executeTakeFirst(),
    ).toStrictEqual({
      username: 'Ädä €😀 \u{10FFFF} "\'\\',
      created_at: Number.MAX_SAFE_INTEGER,
      last_login_at: -1,
      email: '',
    });
  });

  it('counts and sums as numbers', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    for (const id of ['a', 'b', 'c'])
      await db
        .insertInto('jobs')
        .values(jobRow(id, { run_at: 2 ** 40 }))
        .execute();
    const { count, sum } = db.fn;
    const found = await db
      .selectFrom('jobs')
      .select([count<number>('id').as('all'), sum<number>('run_at').as('sum')])
      .executeTakeFirst();
    expect(found).toStrictEqual({ all: 3, sum: 3 * 2 ** 40 });
  });

  it('says how many rows a statement changed', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    const insert = () =>
      db
        .insertInto('jobs')
        .values([jobRow('a'), jobRow('b')])
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
    expect((await insert()).numInsertedOrUpdatedRows).toBe(2n);
    expect((await insert()).numInsertedOrUpdatedRows).toBe(0n);
    expect(
      (await db.updateTable('jobs').set({ attempts: 1 }).where('id', '=', 'a').executeTakeFirst()).numUpdatedRows,
    ).toBe(1n);
    expect(
      (await db.updateTable('jobs').set({ attempts: 1 }).where('id', '=', 'z').executeTakeFirst()).numUpdatedRows,
    ).toBe(0n);
    expect((await db.deleteFrom('jobs').executeTakeFirst()).numDeletedRows).toBe(2n);
    expect(await db.insertInto('jobs').values(jobRow('c')).returning('id').execute()).toEqual([{ id: 'c' }]);
  });

  it('sorts text by its bytes and compares it exactly', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    const names = ['b', 'B', 'a', 'ä', 'Z', '_', '1'];
    await db
      .insertInto('jobs')
      .values(names.map((name) => jobRow(name)))
      .execute();
    const sorted = await db.selectFrom('jobs').select('id').orderBy('id').execute();
    expect(sorted.map(({ id }) => id)).toEqual(['1', 'B', 'Z', '_', 'a', 'b', 'ä']);
    expect(await db.selectFrom('jobs').select('id').where('id', 'like', 'B%').execute()).toEqual([{ id: 'B' }]);
  });

  it('refuses values of the wrong type', async () => {
    await using database = await openTestStore(engine);
    for (const [row, reason] of [
      [{ run_at: 'soon' }, /run_at|type bigint/],
      [{ run_at: 1.5 }, /run_at|type bigint/],
      [{ run_at: Number.NaN }, /finite numbers|type bigint/],
      [{ kind: null }, /kind/],
    ] as const)
      await expect(
        database.db
          .insertInto('jobs')
          .values(jobRow('a', row as object))
          .execute(),
      ).rejects.toThrow(reason);
    expect(await database.db.selectFrom('jobs').selectAll().execute()).toEqual([]);
  });

  it('names the columns of a key that is taken', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    await addMember(db, 'ada');
    const refusal = async (row: object): Promise<unknown> =>
      await addMember(db, 'bob', row).catch((error: unknown) => error);
    const byName = await refusal({ username_key: 'ada' });
    expect(byName).toBeInstanceOf(UniqueViolation);
    expect(byName).toMatchObject({ table: 'members', columns: ['username_key'] });
    expect(isUniqueViolation(byName, 'username_key')).toBe(true);
    expect(isUniqueViolation(byName, 'email_key')).toBe(false);
    expect(await refusal({ id: 'ada' })).toMatchObject({ columns: ['id'] });
    expect(isUniqueViolation(await refusal({ email_key: 'ada@example.org' }), 'email_key')).toBe(true);
    const key = { member_id: 'ada', key_hash: 'k', request_hash: 'r', reply: null, expires_at: 1 };
    await db.insertInto('idempotency_keys').values(key).execute();
    const twice = await db
      .insertInto('idempotency_keys')
      .values(key)
      .execute()
      .catch((error: unknown) => error);
    expect(twice).toMatchObject({ table: 'idempotency_keys', columns: ['member_id', 'key_hash'] });
    expect(JSON.stringify(twice)).not.toContain('ada');
    expect(isUniqueViolation(new Error('UNIQUE constraint failed: members.email_key'))).toBe(false);
  });

  it('keeps references, and removes what belongs to a member with it', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    const settings = {
      member_id: 'ada',
      timezone: 'UTC',
      site_language: 'en',
      currency: 'USD',
      dark_mode: 0,
      direct_challenge: 0,
    };
    await expect(db.insertInto('member_settings').values(settings).execute()).rejects.toThrow(/foreign key/i);
    await addMember(db, 'ada');
    await db.insertInto('member_settings').values(settings).execute();
    await db.deleteFrom('members').where('id', '=', 'ada').execute();
    expect(await db.selectFrom('member_settings').selectAll().execute()).toEqual([]);
  });

  it('undoes a transaction whose body throws', async () => {
    await using database = await openTestStore(engine);
    const refusal = new Error('changed my mind');
    const failed = database.transaction(async (db) => {
      await db.insertInto('jobs').values(jobRow('a')).execute();
      throw refusal;
    });
    await expect(failed).rejects.toBe(refusal);
    expect(await database.db.selectFrom('jobs').selectAll().execute()).toEqual([]);
    await expect(database.transaction(async () => await Promise.reject(refusal))).rejects.toBe(refusal);
  });

  it('ends a transaction with its first failed statement, also when the body does not notice', async () => {
    await using database = await openTestStore(engine);
    await database.db.insertInto('jobs').values(jobRow('a')).execute();
    const careless = database.transaction(async (db) => {
      await db.insertInto('jobs').values(jobRow('b')).execute();
      await db
        .insertInto('jobs')
        .values(jobRow('a'))
        .execute()
        .catch(() => {});
      return 'done';
    });
    await expect(careless).rejects.toBeInstanceOf(UniqueViolation);
    expect(await database.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: 'a' }]);
  });

  it('takes several statements of one transaction at once', async () => {
    await using database = await openTestStore(engine);
    const names = Array.from({ length: 20 }, (_, index) => `row ${String(index).padStart(2, '0')}`);
    await database.transaction(async (db) => {
      await Promise.all(names.map((name) => db.insertInto('jobs').values(jobRow(name)).execute()));
    });
    const found = await database.db.selectFrom('jobs').select('id').orderBy('id').execute();
    expect(found.map(({ id }) => id)).toEqual(names);
    const half = database.transaction(async (db) => {
      await Promise.all(['a', 'row 07', 'b'].map((name) => db.insertInto('jobs').values(jobRow(name)).execute()));
    });
    await expect(half).rejects.toBeInstanceOf(UniqueViolation);
    expect(await database.db.selectFrom('jobs').select('id').execute()).toHaveLength(20);
  });

  it('takes nothing through a handle whose transaction has ended', async () => {
    await using database = await openTestStore(engine);
    const handle = await database.transaction(async (db) => await Promise.resolve([db]));
    await expect(handle[0]?.selectFrom('jobs').selectAll().execute()).rejects.toThrow(/has ended/);
    await expect(handle[0]?.insertInto('jobs').values(jobRow('late')).execute()).rejects.toThrow(/has ended/);
  });

  it('refuses the transactions, connections and streams of kysely', async () => {
    await using database = await openTestStore(engine);
    const { db } = database;
    await expect(
      db.transaction().execute(async (tx) => await tx.selectFrom('jobs').selectAll().execute()),
    ).rejects.toThrow(/Database.transaction/);
    await expect(
      db.connection().execute(async (tx) => await tx.selectFrom('jobs').selectAll().execute()),
    ).rejects.toThrow(/Database.transaction/);
    const stream = db.selectFrom('jobs').selectAll().stream();
    await expect(stream.next()).rejects.toThrow(/pages/);
    await database.transaction(async (tx) => {
      expect(() => tx.transaction()).toThrow(/not supported/);
      await sql`select 1`.execute(tx);
    });
  });

  it('runs fifty transactions on one row as if one after another', async () => {
    await using database = await openTestStore(engine);
    await database.db.insertInto('jobs').values(jobRow('counter')).execute();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        database.transaction(async (db) => {
          const { attempts } = await db
            .selectFrom('jobs')
            .select('attempts')
            .where('id', '=', 'counter')
            .executeTakeFirstOrThrow();
          await db
            .updateTable('jobs')
            .set({ attempts: attempts + 1 })
            .where('id', '=', 'counter')
            .execute();
        }),
      ),
    );
    expect(await database.db.selectFrom('jobs').select('attempts').execute()).toEqual([{ attempts: 50 }]);
  });

  it('lets one of fifty have a key', async () => {
    await using database = await openTestStore(engine);
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        database.transaction(async (db) => {
          await db.insertInto('used_direct_login_tokens').values({ nonce: 'n', expires_at: 1 }).execute();
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(UniqueViolation);
  });

  it('takes a snapshot that later writes do not touch', async () => {
    await using database = await openTestStore(engine);
    await database.db.insertInto('jobs').values(jobRow('before')).execute();
    await database.snapshot(async (snapshot) => {
      const count = async (): Promise<string[]> => {
        if (snapshot.kind === 'file') return await idsInFile(snapshot.file);
        return (await snapshot.db.selectFrom('jobs').select('id').execute()).map(({ id }) => id);
      };
      expect(await count()).toEqual(['before']);
      const payload = 'x'.repeat(50_000);
      for (let part = 0; part < 200; part += 1)
        await database.db
          .insertInto('jobs')
          .values(jobRow(`after-${part}`, { payload }))
          .execute();
      expect(await count()).toEqual(['before']);
    });
    expect(await database.db.selectFrom('jobs').select('id').execute()).toHaveLength(201);
  });
});

async function idsInFile(file: string): Promise<string[]> {
  const [{ default: initSqlJs }, { readFile }] = await Promise.all([import('sql.js'), import('node:fs/promises')]);
  const { Database } = await initSqlJs();
  const database = new Database(await readFile(file));
  try {
    return database.exec('select id from jobs')[0]?.values.map(([id]) => String(id)) ?? [];
  } finally {
    database.close();
  }
}
