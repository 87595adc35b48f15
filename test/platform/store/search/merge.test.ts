import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import type { Database, EngineName } from '../../../../src/platform/store/database.ts';
import { runJobs } from '../../../../src/platform/store/jobs/jobs.ts';
import { indexed, type SearchDocument } from '../../../../src/platform/store/search/document.ts';
import { findSpace, putDocuments, removeDocument } from '../../../../src/platform/store/search/documents.ts';
import { searchMergeKind } from '../../../../src/platform/store/search/merge-kind.ts';
import {
  mergeStep,
  requestMerge,
  searchMergeHandler,
  type MergeBounds,
} from '../../../../src/platform/store/search/merge.ts';
import { search, type Search } from '../../../../src/platform/store/search/search.ts';
import { openPostgresDatabase } from '../../../../src/platform/store/postgres/postgres-database.ts';
import { deferred } from '../../../support/deferred.ts';
import { eventually } from '../../../support/eventually.ts';
import { bothEngines, createPostgresDatabase, openTestStore } from '../../../support/stores.ts';
import { add, cursors, find, leftRows, listing, merge, posts } from './searched-store.ts';

const steps: MergeBounds = { pending: 1, backlog: 1_000_000, step: 7, recent: 12 };
/** Below 1, and never small enough to ask for postings. */
const never = (): number => 0.999_999;
const always = (): number => 0;

function documents(from: number, to: number): SearchDocument[] {
  return Array.from({ length: to - from }, (_, index) => {
    const at = from + index;
    return { id: `${at}`, at, text: `common word${at % 3} own${at}` };
  });
}

/** Without anybody being asked for postings. */
async function put(database: Database, ...those: SearchDocument[]): Promise<void> {
  await database.transaction((db) =>
    putDocuments(
      db,
      those.map((one) => indexed(posts, one)),
      never,
    ),
  );
}

async function state(database: Database): Promise<{ recent: number; large: number; moved_to: string | null }> {
  const count = async (table: 'search_recent' | 'search_postings'): Promise<number> =>
    (await database.db.selectFrom(table).selectAll().execute()).length;
  const { moved_to } = await database.db.selectFrom('search_merges').select('moved_to').executeTakeFirstOrThrow();
  return { recent: await count('search_recent'), large: await count('search_postings'), moved_to };
}

/** The places in which a document may be: without postings, with recent ones, while they move, and when they did. */
const places = [
  { name: 'that waits', steps: 0 },
  { name: 'of which some wait and some have recent postings', steps: 2 },
  { name: 'whose postings are on their way', steps: 4 },
  { name: 'whose postings have all moved', steps: 100 },
] as const;

/** As many processes as there are stores. */
async function runner(...databases: Database[]): Promise<AsyncDisposable> {
  const ending = new AbortController();
  const clock = { now: () => 1 };
  const random = (size: number): Uint8Array => crypto.getRandomValues(new Uint8Array(size));
  const ended = databases.map((database) =>
    runJobs(
      database,
      { [searchMergeKind]: searchMergeHandler(database, steps) },
      { clock, random, signal: ending.signal, log: silentLog },
    ),
  );
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(ended);
    },
  };
}

async function noJobs({ db }: Database): Promise<void> {
  await eventually(async () => expect(await db.selectFrom('jobs').select('id').execute()).toEqual([]));
}

async function openTwo(
  engine: EngineName,
): Promise<AsyncDisposable & { readonly both: readonly [Database, Database] }> {
  if (engine === 'sqljs') {
    const database = await openTestStore(engine);
    return { both: [database, database], [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  }
  const place = await createPostgresDatabase({ migrated: true });
  const both = [await openPostgresDatabase(place.url), await openPostgresDatabase(place.url)] as const;
  return {
    both,
    async [Symbol.asyncDispose]() {
      for (const one of [...both, place]) await one[Symbol.asyncDispose]();
    },
  };
}

describe.each(bothEngines)('postings on %s', (engine) => {
  it('go the way that the names of the places say', async () => {
    await using database = await openTestStore(engine);
    await put(database, ...documents(0, 10));
    expect(await leftRows(database)).toEqual([1, 10, 10, 0]);
    await merge(database, posts, steps, 2);
    expect(await leftRows(database)).toEqual([1, 10, 4, 18]);
    const gathers = engine === 'sqljs';
    expect(await state(database)).toEqual({ recent: gathers ? 18 : 0, large: gathers ? 0 : 18, moved_to: null });
    await merge(database, posts, steps, 2);
    const { recent, large, moved_to } = await state(database);
    const place = gathers ? [true, true, expect.any(String)] : [false, true, null];
    expect([recent + large, recent > 0, large > 0, moved_to]).toEqual([30, ...place]);
    await merge(database, posts, { ...steps, recent: 1 });
    expect(await state(database)).toEqual({ recent: 0, large: 30, moved_to: null });
  });

  describe.each(places)('a document $name', ({ steps: made }) => {
    it('is found once, and not at all from when it is removed, also behind a cursor', async () => {
      await using database = await openTestStore(engine);
      await put(database, ...documents(0, 10));
      await merge(database, posts, steps, made);
      for (const order of ['newest', 'relevance'] as const) {
        expect(await find(database, 'common', { order })).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
        expect(await find(database, 'common own', { order })).toHaveLength(10);
      }
      const request: Search = { space: posts, text: 'common', order: 'newest', listing, cursors };
      const first = await search(database.db, request, { limit: 3 });
      for (const id of ['9', '6', '5', '1'])
        expect(await database.transaction((db) => removeDocument(db, posts.name, id))).toBe(true);
      const second = await search(database.db, request, { limit: 10, cursor: first.next.cursor });
      expect(second.rows.map(({ id }) => id)).toEqual(['4', '3', '2', '0']);
      expect(await find(database, 'common')).toEqual(['8', '7', '4', '3', '2', '0']);
      expect(await find(database, 'own6')).toEqual([]);
      await merge(database, posts);
      expect(await leftRows(database)).toEqual([1, 6, 0, 18]);
      expect(await find(database, 'common')).toEqual(['8', '7', '4', '3', '2', '0']);
    });

    it('is found by what it says now alone, from when it changed', async () => {
      await using database = await openTestStore(engine);
      await put(database, ...documents(0, 10));
      await merge(database, posts, steps, made);
      await put(database, { id: '1', at: 1, text: 'another' }, { id: '7', at: 7, text: 'another common' });
      await put(database, { id: '3', at: 30, text: 'another' });
      for (const merged of [false, true]) {
        if (merged) await merge(database, posts);
        expect(await find(database, 'another')).toEqual(['3', '7', '1']);
        expect(await find(database, 'common')).toEqual(['9', '8', '7', '6', '5', '4', '2', '0']);
        for (const id of ['1', '3', '7']) expect(await find(database, `own${id}`)).toEqual([]);
      }
      expect(await leftRows(database)).toEqual([1, 10, 0, 7 * 3 + 1 + 2 + 1]);
    });
  });

  it('are as they were where a step is cut off, and are made once by those who come next', async () => {
    await using database = await openTestStore(engine);
    await put(database, ...documents(0, 10));
    const space = (await findSpace(database.db, posts.name)) as number;
    for (let made = 0; made < 12; made += 1) {
      const before = [await leftRows(database), await state(database)];
      const cut = database.transaction(async (db) => {
        await mergeStep(db, space, steps);
        throw new Error('cut off');
      });
      await expect(cut).rejects.toThrow('cut off');
      expect([await leftRows(database), await state(database)]).toEqual(before);
      expect(await find(database, 'common')).toHaveLength(10);
      await merge(database, posts, steps, 1);
    }
    expect(await leftRows(database)).toEqual([1, 10, 0, 30]);
  });

  it('are asked for by who adds, in the same transaction, and made by the job', async () => {
    await using database = await openTestStore(engine);
    const failed = database.transaction(async (db) => {
      await putDocuments(db, [indexed(posts, { id: 'x', at: 1, text: 'never' })], always);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    await noJobs(database);
    await put(database, ...documents(0, 10));
    await noJobs(database);
    await database.transaction((db) => putDocuments(db, [indexed(posts, { id: 'x', at: 99, text: 'last' })], always));
    const jobs = await database.db.selectFrom('jobs').select(['kind', 'run_at']).execute();
    expect(jobs).toEqual([{ kind: searchMergeKind, run_at: 0 }]);
    await using _ = await runner(database);
    await noJobs(database);
    expect(await leftRows(database)).toEqual([1, 11, 0, 31]);
    expect((await state(database)).large).toBeGreaterThan(0);
    expect(await find(database, 'common')).toHaveLength(10);
  });

  it('are made by who adds where nobody else makes them', async () => {
    await using database = await openTestStore(engine);
    const bounds: MergeBounds = { ...steps, backlog: 30 };
    await put(database, ...documents(0, 9));
    await database.transaction((db) => requestMerge(db, posts.name, 3, always, bounds));
    expect(await leftRows(database)).toEqual([1, 9, 9, 0]);
    await put(database, ...documents(9, 40));
    await database.transaction((db) => requestMerge(db, posts.name, 3, always, bounds));
    const [, , waiting] = await leftRows(database);
    expect(waiting).toBeLessThan(30);
    expect(await find(database, 'common')).toHaveLength(40);
    expect(await database.db.selectFrom('jobs').select('kind').execute()).toEqual([{ kind: searchMergeKind }]);
  });

  it('are each made once by two processes while others add, remove and search', { tags: 'thorough' }, async () => {
    await using two = await openTwo(engine);
    const [one, other] = two.both;
    await add(one, posts, { id: 'first', at: 0, text: 'common' });
    {
      await using _ = await runner(one, other);
      await Promise.all(
        Array.from(Array(8).keys(), async (writer) => {
          const database = writer % 2 === 0 ? one : other;
          for (let turn = 0; turn < 6; turn += 1) {
            const those = documents(1 + writer * 60 + turn * 10, 1 + writer * 60 + turn * 10 + 10);
            await database.transaction((db) =>
              putDocuments(
                db,
                those.map((document) => indexed(posts, document)),
                always,
              ),
            );
            expect(await find(database, `own${those[4]?.id}`)).toContain(those[4]?.id);
            // A document may get its postings while it is searched for.
            const all = await find(database, 'common');
            expect(all).toHaveLength(new Set(all).size);
            expect(all).toEqual(expect.arrayContaining(those.map(({ id }) => id)));
            await database.transaction((db) => removeDocument(db, posts.name, those[4]?.id ?? ''));
            expect(await find(database, `own${those[4]?.id}`, { prefix: false })).toEqual([]);
          }
        }),
      );
      await noJobs(one);
    }
    await merge(one, posts);
    expect(await leftRows(one)).toEqual([1, 1 + 8 * 6 * 9, 0, 1 + 8 * 6 * 9 * 3]);
    expect(new Set(await find(one, 'common')).size).toBe(1 + 8 * 6 * 9);
  });
});

// Of the embedded engine one transaction runs at a time.
describe.each(bothEngines.filter((engine) => engine === 'postgres'))(
  'postings of many transactions on %s',
  (engine) => {
    it('are waited for by who adds while too many documents wait', async () => {
      await using two = await openTwo(engine);
      const [one, other] = two.both;
      await put(one, { id: 'first', at: 100, text: 'common' });
      await put(one, ...documents(0, 40));
      const space = (await findSpace(one.db, posts.name)) as number;
      const events: string[] = [];
      const [locked, held] = [deferred(), deferred()];
      const making = one.transaction(async (db) => {
        await mergeStep(db, space, steps);
        locked.resolve();
        await held.promise;
        events.push('made');
      });
      await locked.promise;
      const adding = put(other, { id: 'another', at: 101, text: 'common' }).then(() => events.push('added'));
      // Other tests share the server, each with a database of its own.
      const waiting = sql<{ count: number }>`
        select cast(count(*) as bigint) as count from pg_locks where not granted and locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())`;
      await eventually(async () => expect((await waiting.execute(one.db)).rows).toEqual([{ count: 1 }]));
      held.resolve();
      await Promise.all([making, adding]);
      expect(events).toEqual(['made', 'added']);
      // Few wait now, and nobody waits for them.
      await merge(one, posts);
      await put(one, { id: 'last', at: 102, text: 'common' });
      await one.transaction(async (db) => {
        await mergeStep(db, space, steps);
        await put(other, { id: 'meanwhile', at: 103, text: 'common' });
      });
      expect(await find(one, 'common')).toHaveLength(44);
    });
  },
);
