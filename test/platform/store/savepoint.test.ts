import { describe, expect, it } from 'vitest';
import { runAtCommit } from '../../../src/platform/store/at-commit.ts';
import type { Db } from '../../../src/platform/store/database.ts';
import { savepoint } from '../../../src/platform/store/savepoint.ts';
import { notify } from '../../../src/platform/store/signals.ts';
import { bothEngines, openTestStore } from '../../support/stores.ts';

const job = (id: string) => ({
  id,
  kind: 'a',
  payload: '{}',
  run_at: 0,
  attempts: 0,
  deaths: 0,
  claimed_until: null,
  claim: null,
  schedule: null,
  last_error: null,
  created_at: 0,
});
const add = async (db: Db, id: string) => void (await db.insertInto('jobs').values(job(id)).execute());

describe.each(bothEngines)('a savepoint on %s', (engine) => {
  it('leaves nothing of what failed, and the rest of the transaction stays', async () => {
    await using store = await openTestStore(engine);
    const heard: string[] = [];
    await using listening = await store.listen('jobs', { onSignal: (payload) => void heard.push(payload) });
    await store.transaction(async (db) => {
      await add(db, 'before');
      await notify(db, 'jobs', 'before');
      const refused = savepoint(db, async () => {
        await add(db, 'inside');
        await notify(db, 'jobs', 'inside');
        await runAtCommit(db, `update jobs set kind = 'changed'`);
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      await add(db, 'after');
    });
    const rows = await store.db.selectFrom('jobs').select(['id', 'kind']).orderBy('id').execute();
    expect(rows).toEqual([
      { id: 'after', kind: 'a' },
      { id: 'before', kind: 'a' },
    ]);
    await store.transaction(async (db) => await notify(db, 'jobs', 'last'));
    await expect.poll(() => heard).toEqual(['before', 'last']);
    expect(listening).toBeDefined();
  });

  it('keeps what succeeded, also one in another', async () => {
    await using store = await openTestStore(engine);
    const value = await store.transaction(
      async (db) =>
        await savepoint(db, async () => {
          await add(db, 'outer');
          const inner = savepoint(db, async () => {
            await add(db, 'inner');
            throw new Error('no');
          });
          await inner.catch(() => undefined);
          return await savepoint(db, async () => {
            await add(db, 'second');
            return 'kept';
          });
        }),
    );
    expect(value).toBe('kept');
    const rows = await store.db.selectFrom('jobs').select('id').orderBy('id').execute();
    expect(rows.map(({ id }) => id)).toEqual(['outer', 'second']);
  });

  it('does not save a transaction in which a statement failed', async () => {
    await using store = await openTestStore(engine);
    const transaction = store.transaction(async (db) => {
      await add(db, 'once');
      await savepoint(db, async () => await add(db, 'once')).catch(() => undefined);
    });
    await expect(transaction).rejects.toThrow('already');
    expect(await store.db.selectFrom('jobs').select('id').execute()).toEqual([]);
  });

  it('is a part of a transaction', async () => {
    await using store = await openTestStore(engine);
    await expect(savepoint(store.db, async () => 1)).rejects.toThrow('a savepoint joins a transaction');
  });
});
