import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database, Db } from '../../../../src/platform/store/database.ts';
import { openSqljsDatabase } from '../../../../src/platform/store/sqljs/sqljs-database.ts';
import { deferred } from '../../../support/deferred.ts';
import { failingDisk, type FailingDisk } from '../../../support/failing-disk.ts';
import { jobRow } from '../../../support/jobs.ts';
import { putMigratedStore, temporaryFolder } from '../../../support/stores.ts';
import { slowly } from '../../../support/real-time.ts';

interface Opened extends AsyncDisposable, FailingDisk {
  readonly database: Database;
  readonly path: string;
}

async function openOnFailingDisk(): Promise<Opened> {
  const folder = await temporaryFolder();
  const failing = failingDisk();
  await putMigratedStore(folder.path);
  const database = await openSqljsDatabase(folder.path, failing.disk);
  return {
    ...failing,
    database,
    path: folder.path,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const add = (id: string) => async (db: Db) => {
  await db.insertInto('jobs').values(jobRow(id)).execute();
  return id;
};

async function ids(database: Database): Promise<string[]> {
  const rows = await database.db.selectFrom('jobs').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

describe('group commit', () => {
  it('flushes once for one transaction, and hardly more often for fifty together', async () => {
    await using opened = await openOnFailingDisk();
    const { database, count } = opened;
    await database.transaction(add('first'));
    count.syncs = 0;
    await database.transaction(add('alone'));
    expect(count.syncs).toBe(1);
    count.syncs = 0;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => database.transaction(add(`many-${index}`))),
    );
    expect(count.syncs).toBeLessThanOrEqual(12);
    expect(answers).toHaveLength(50);
    expect(await ids(database)).toHaveLength(52);
  });

  it('does not flush for transactions that write nothing', async () => {
    await using opened = await openOnFailingDisk();
    const { database, count } = opened;
    count.syncs = 0;
    await database.transaction(async (db) => await db.selectFrom('jobs').selectAll().execute());
    expect(count.syncs).toBe(0);
  });

  it('puts together what arrives through different callbacks of the event loop', async () => {
    await using opened = await openOnFailingDisk();
    const { database, count } = opened;
    await database.transaction(add('first'));
    count.syncs = 0;
    // Callbacks of one turn have their microtasks run in between, as sockets do.
    await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => new Promise((resolve) => setImmediate(() => resolve(database.transaction(add(`t${index}`))))),
      ),
    );
    expect(count.syncs).toBeLessThanOrEqual(10);
  });

  it('undoes a body that throws, and no other of its group', async () => {
    await using opened = await openOnFailingDisk();
    const { database } = opened;
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        database.transaction(async (db) => {
          await add(`a${String(index).padStart(2, '0')}`)(db);
          if (index % 3 === 0) throw new Error(`refused ${index}`);
        }),
      ),
    );
    const refused = answers.flatMap((answer, index) => (answer.status === 'rejected' ? [index] : []));
    expect(refused).toEqual([0, 3, 6, 9, 12, 15, 18]);
    expect(await ids(database)).toEqual(
      Array.from({ length: 20 }, (_, index) => index)
        .filter((index) => index % 3 !== 0)
        .map((index) => `a${String(index).padStart(2, '0')}`),
    );
  });

  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    'fails every transaction of a group whose commit meets %s, and works again later',
    async (code) => {
      await using opened = await openOnFailingDisk();
      const { database, fails } = opened;
      await database.transaction(add('before'));
      fails.write = code;
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => database.transaction(add(`lost-${index}`))),
      );
      expect(answers.map((answer) => answer.status === 'rejected' && answer.reason)).toEqual(
        Array.from({ length: 10 }, () => expect.objectContaining({ kind: 'unavailable', code: 'STORE_FULL' })),
      );
      expect(await ids(database)).toEqual(['before']);
      fails.write = undefined;
      await database.transaction(add('later'));
      expect(await ids(database)).toEqual(['before', 'later']);
    },
  );

  it.each([
    ['EIO', 'STORE_UNAVAILABLE'],
    ['ENOSPC', 'STORE_FULL'],
  ])('fails the group when the flush meets %s', async (code, expected) => {
    await using opened = await openOnFailingDisk();
    const { database, fails } = opened;
    await database.transaction(add('before'));
    fails.sync = code;
    const answers = await Promise.allSettled([database.transaction(add('a')), database.transaction(add('b'))]);
    expect(answers.map((answer) => answer.status === 'rejected' && (answer.reason as { code: string }).code)).toEqual([
      expected,
      expected,
    ]);
    expect(await ids(database)).toEqual(['before']);
    fails.sync = undefined;
    await database.transaction(add('later'));
    await database[Symbol.asyncDispose]();
    await using again = await openSqljsDatabase(opened.path);
    expect(await ids(again)).toEqual(['before', 'later']);
  });

  it('fails a group that runs out of room before its commit', async () => {
    await using opened = await openOnFailingDisk();
    const { database, fails } = opened;
    await database.transaction(add('before'));
    fails.write = 'ENOSPC';
    const large = async (db: Db): Promise<void> => {
      // More than the cache holds, so that pages go to the log before the commit.
      for (let part = 0; part < 40; part += 1)
        await db
          .insertInto('jobs')
          .values(jobRow(`large-${part}`, { payload: 'x'.repeat(400_000) }))
          .execute();
    };
    const answers = await Promise.allSettled([
      database.transaction(add('small')),
      database.transaction(large),
      database.transaction(add('after')),
    ]);
    expect(answers[0]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL' } });
    expect(answers[1]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL' } });
    expect(answers[2]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL' } });
    fails.write = undefined;
    expect(await ids(database)).toEqual(['before']);
    await database.transaction(add('later'));
    expect(await ids(database)).toEqual(['before', 'later']);
  });

  it('shows nothing of a transaction to others before it is committed', async () => {
    await using opened = await openOnFailingDisk();
    const { database } = opened;
    const seen: string[] = [];
    const written = deferred();
    const transaction = database.transaction(async (db) => {
      await add('inside')(db);
      written.resolve();
      await slowly(50);
      seen.push(`inside sees ${(await db.selectFrom('jobs').select('id').execute()).length}`);
    });
    await written.promise;
    const read = ids(database).then((found) => seen.push(`outside sees ${found.length}`));
    await Promise.all([transaction, read]);
    expect(seen).toEqual(['inside sees 1', 'outside sees 1']);

    const begun = deferred();
    const failing = database
      .transaction(async (db) => {
        await add('never')(db);
        begun.resolve();
        await slowly(20);
        throw new Error('refused');
      })
      .catch(() => {});
    await begun.promise;
    expect(await ids(database)).toEqual(['inside']);
    await failing;
  });

  it('answers only after a flush', async () => {
    await using opened = await openOnFailingDisk();
    const { database, count } = opened;
    for (let turn = 0; turn < 20; turn += 1) {
      const before = count.syncs;
      const flushes = await Promise.all(
        [0, 1, 2].map((part) => database.transaction(add(`${turn}-${part}`)).then(() => count.syncs - before)),
      );
      for (const flushed of flushes) expect(flushed).toBeGreaterThanOrEqual(1);
    }
  });

  it('makes a transaction of a statement that writes outside of one', async () => {
    await using opened = await openOnFailingDisk();
    const { database, count } = opened;
    await database.transaction(add('first'));
    count.syncs = 0;
    await Promise.all([
      database.db.insertInto('jobs').values(jobRow('direct')).execute(),
      database.transaction(add('beside')),
      sql`delete from jobs where id = 'first'`.execute(database.db),
    ]);
    expect(count.syncs).toBeLessThanOrEqual(3);
    expect(await ids(database)).toEqual(['beside', 'direct']);
  });

  it(
    'gives up a body that waits for the store itself, and lets an exclusive one wait',
    { tags: 'thorough' },
    async () => {
      await using opened = await openOnFailingDisk();
      const { database } = opened;
      const stuck = database.transaction(async (db) => {
        await add('stuck')(db);
        await ids(database);
      });
      const ended = Promise.allSettled([stuck]);
      const beside = database.transaction(add('beside'));
      await using other = await openOnFailingDisk();
      const patient = other.database.exclusively(async (db) => {
        await add('a')(db);
        await slowly(3_500);
        await add('b')(db);
      });
      await ended;
      await expect(stuck).rejects.toMatchObject({ kind: 'internal', code: 'TRANSACTION_STUCK' });
      await beside;
      expect(await ids(database)).toEqual(['beside']);
      await patient;
      expect(await ids(other.database)).toEqual(['a', 'b']);
    },
  );

  it('answers everybody who waits when it is closed, and nobody after', async () => {
    await using opened = await openOnFailingDisk();
    const { database } = opened;
    const waiting = Array.from({ length: 30 }, (_, index) => database.transaction(add(`w${index}`)));
    const closed = database[Symbol.asyncDispose]();
    await expect(database.transaction(add('late'))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await Promise.all([...waiting, closed]);
    await expect(ids(database)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await using again = await openSqljsDatabase(opened.path);
    expect(await ids(again)).toHaveLength(30);
  });
});
