import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { bytesLiteral, runAtCommit, textLiteral } from '../../../src/platform/store/at-commit.ts';
import type { Db } from '../../../src/platform/store/database.ts';
import { bothEngines, openTestStore } from '../../support/stores.ts';

const insertion = (id: string) =>
  `insert into jobs (id, kind, payload, run_at, attempts, created_at) values (${textLiteral(id)}, 'k', '', 0, 0, 0)`;

const idsIn = async (db: Db) => (await db.selectFrom('jobs').select('id').orderBy('id').execute()).map(({ id }) => id);

describe.each(bothEngines)('a statement at the commit, on %s', (engine) => {
  it('is part of its transaction', async () => {
    await using store = await openTestStore(engine);
    await store.transaction(async (db) => {
      await runAtCommit(db, insertion('one'));
      await runAtCommit(db, insertion('two'));
    });
    expect(await idsIn(store.db)).toEqual(['one', 'two']);
    const failed = store.transaction(async (db) => {
      await runAtCommit(db, insertion('three'));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await idsIn(store.db)).toEqual(['one', 'two']);
  });

  it('takes the transaction along when it fails', async () => {
    await using store = await openTestStore(engine);
    const failed = store.transaction(async (db) => {
      await sql.raw(insertion('one')).execute(db);
      await runAtCommit(db, insertion('one'));
    });
    await expect(failed).rejects.toMatchObject({ name: 'UniqueViolation' });
    expect(await idsIn(store.db)).toEqual([]);
    await store.transaction(async (db) => await runAtCommit(db, insertion('two')));
    expect(await idsIn(store.db)).toEqual(['two']);
  });

  it('needs a transaction', async () => {
    await using store = await openTestStore(engine);
    await expect(runAtCommit(store.db, insertion('one'))).rejects.toThrow('joins a transaction');
    expect(await idsIn(store.db)).toEqual([]);
  });
});

describe('values of such a statement', () => {
  it('are letters and digits, or bytes', () => {
    expect(textLiteral('0a9z')).toBe("'0a9z'");
    for (const text of ["a'b", 'a\\', 'A', 'a b', 'ä']) expect(() => textLiteral(text)).toThrow(RangeError);
    expect(bytesLiteral(Uint8Array.of(0, 39, 92, 255).subarray(1))).toBe("'\\x275cff'::bytea");
  });
});

describe.each(bothEngines)('transactions in turn, on %s', (engine) => {
  it('run one after another, and see what was committed while they waited', async () => {
    await using store = await openTestStore(engine);
    await store.transaction(async (db) => await runAtCommit(db, insertion('0')));
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await store.inTurn(async (db) => {
          const { length } = await idsIn(db);
          await sql.raw(insertion(String(length).padStart(3, '0'))).execute(db);
        });
      }),
    );
    expect(await idsIn(store.db)).toHaveLength(21);
  });

  it('leave nothing when they fail', async () => {
    await using store = await openTestStore(engine);
    const failed = store.inTurn(async (db) => {
      await sql.raw(insertion('one')).execute(db);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await idsIn(store.db)).toEqual([]);
  });
});
