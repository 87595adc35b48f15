import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database, EngineName } from '../../../../src/platform/store/database.ts';
import { migrate, migrations } from '../../../../src/platform/store/migrations.ts';
import { openPostgresDatabase } from '../../../../src/platform/store/postgres/postgres-database.ts';
import { outdatedDocuments, renewDocuments } from '../../../../src/platform/store/search/renew.ts';
import { openSqljsDatabase } from '../../../../src/platform/store/sqljs/sqljs-database.ts';
import { bothEngines, createPostgresDatabase, openTestStore, temporaryFolder } from '../../../support/stores.ts';
import { add, find, leftRows, mail, merge, posts } from './searched-store.ts';

async function makeOld(database: Database, ...ids: string[]): Promise<void> {
  for (const id of ids) await sql`update search_documents set version = 0 where id = ${id}`.execute(database.db);
}

/** Runs `body` with a store that has the first migrations alone. */
async function inStoreOfVersion(engine: EngineName, last: number, body: (database: Database) => Promise<void>) {
  await using folder = await temporaryFolder();
  await using place = engine === 'sqljs' ? undefined : await createPostgresDatabase({ migrated: false });
  await using database = await (place === undefined ? openSqljsDatabase(folder.path) : openPostgresDatabase(place.url));
  await migrate(
    database,
    () => 1,
    migrations.filter(({ version }) => version <= last),
  );
  await body(database);
}

describe.each(bothEngines)('documents indexed by former rules on %s', (engine) => {
  it('are told apart, and indexed anew from what they say now', async () => {
    await using database = await openTestStore(engine);
    for (const space of [posts, mail]) {
      for (let at = 0; at < 7; at += 1) await add(database, space, { id: `d${at}`, at, text: `old text${at}` });
      await merge(database, space);
    }
    expect(await outdatedDocuments(database.db, posts.name)).toEqual({ ids: [], after: undefined });
    await makeOld(database, 'd1', 'd4', 'd6');
    expect(await outdatedDocuments(database.db, posts.name, { limit: 3 })).toEqual({ ids: ['d1'], after: 'd2' });
    expect(await outdatedDocuments(database.db, posts.name, { after: 'd2', limit: 3 })).toEqual({
      ids: ['d4'],
      after: 'd5',
    });
    expect(await outdatedDocuments(database.db, posts.name, { after: 'd5', limit: 3 })).toEqual({
      ids: ['d6'],
      after: undefined,
    });
    expect(await outdatedDocuments(database.db, 'unknown')).toEqual({ ids: [], after: undefined });

    // One is gone when its text is read.
    const load = async (_: unknown, ids: readonly string[]) =>
      ids.filter((id) => id !== 'd4').map((id) => ({ id, at: Number(id.slice(1)), text: `anew text${id.slice(1)}` }));
    expect(await renewDocuments(database, posts, load, { limit: 2 })).toBe(2);
    expect(await find(database, 'anew')).toEqual(['d6', 'd1']);
    expect((await outdatedDocuments(database.db, posts.name)).ids).toEqual(['d4']);
    expect(
      await renewDocuments(database, posts, async (_, ids) => ids.map((id) => ({ id, at: 4, text: 'last' }))),
    ).toBe(1);
    expect((await outdatedDocuments(database.db, posts.name)).ids).toEqual([]);
    expect(await find(database, 'last')).toEqual(['d4']);
    expect((await outdatedDocuments(database.db, mail.name)).ids).toEqual(['d1', 'd4', 'd6']);

    const stopped = renewDocuments(database, mail, load, { signal: AbortSignal.abort() });
    await expect(stopped).resolves.toBe(0);
  });

  it('that a store had before documents waited for their postings are found, changed and removed as ever', async () => {
    await inStoreOfVersion(engine, 18, async (database) => {
      const { db } = database;
      await sql`insert into search_spaces (name, id) values (${posts.name}, 7)`.execute(db);
      await sql`insert into search_documents (space, at, number, id, words)
        values (7, 1, 0, 'a', ' straße=1 lodz=5 #in:x=0 '), (7, 2, 0, 'b', ' lodz=2 '), (7, 3, 0, 'c', ' ')`.execute(
        db,
      );
      await sql`insert into search_postings (space, word, at, number)
        values (7, 'straße', 1, 0), (7, 'lodz', 1, 0), (7, '#in:x', 1, 0), (7, 'lodz', 2, 0)`.execute(db);
      await migrate(database);
      expect(await find(database, 'lodz')).toEqual(['b', 'a']);
      expect(await find(database, 'lodz', { tags: ['in:x'], order: 'relevance' })).toEqual(['a']);
      // They have the first version of the rules of words.
      expect((await outdatedDocuments(db, posts.name)).ids).toEqual(['a', 'b', 'c']);
      await add(database, posts, { id: 'b', at: 2, text: 'other' }, { id: 'd', at: 4, text: 'Łódź' });
      expect(await find(database, 'lodz')).toEqual(['d', 'a']);
      await merge(database, posts);
      expect(await find(database, 'lodz')).toEqual(['d', 'a']);
      expect(await leftRows(database)).toEqual([1, 4, 0, 5]);
    });
  });

  it('that waited before their words waited with them are found, and get postings', { tags: 'thorough' }, async () => {
    await inStoreOfVersion(engine, 19, async (database) => {
      const { db } = database;
      await sql`insert into search_spaces (name, id) values (${posts.name}, 7)`.execute(db);
      await sql`insert into search_merges (space, recent) values (7, 0)`.execute(db);
      await sql`insert into search_documents (space, at, number, id, version, words)
        values (7, 1, 0, 'a', 1, '{"lodz":5,"one":1}'), (7, 2, 0, 'b', 1, '{"lodz":2}'), (7, 3, 0, 'c', 1, '{}')`.execute(
        db,
      );
      await sql`insert into search_pending (space, at, number, size) values (7, 1, 0, 2), (7, 3, 0, 0)`.execute(db);
      await sql`insert into search_postings (space, word, at, number) values (7, 'lodz', 2, 0)`.execute(db);
      await migrate(database);
      expect(await find(database, 'lodz')).toEqual(['b', 'a']);
      expect(await find(database, 'lodz', { order: 'relevance' })).toEqual(['a', 'b']);
      await merge(database, posts);
      expect(await find(database, 'one')).toEqual(['a']);
      expect(await leftRows(database)).toEqual([1, 3, 0, 3]);
    });
  });
});
