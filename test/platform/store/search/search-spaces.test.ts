import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import type { SearchDocument, SearchSpace } from '../../../../src/platform/store/search/document.ts';
import { removeDocument, removeSpace } from '../../../../src/platform/store/search/documents.ts';
import {
  searchSpaces,
  type FoundInSpace,
  type SearchSpaces,
} from '../../../../src/platform/store/search/search-spaces.ts';
import type { SearchBounds } from '../../../../src/platform/store/search/search.ts';
import { runs } from '../../../support/stage.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';
import { scan } from './search-model.ts';
import { add, cursors, listing, mail, merge, posts, small } from './searched-store.ts';

const others: SearchSpace = { name: 'mail:cd34', key: new Uint8Array(32).fill(9) };
const all = [posts, mail, others];

function asked(text: string, spaces: readonly SearchSpace[] = all): SearchSpaces {
  return { spaces, text, listing, cursors, prefix: false };
}

async function allPages(database: Database, request: SearchSpaces, limit = 100, bounds?: SearchBounds) {
  const found: FoundInSpace[] = [];
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const { rows, next } = await searchSpaces(database.db, request, { limit, cursor }, bounds);
    expect(rows.length).toBeLessThanOrEqual(limit);
    found.push(...rows);
    if (!next.hasMore) return found;
    expect(pages).toBeLessThan(500);
    cursor = next.cursor;
  }
}

describe.each(bothEngines)('search in several spaces on %s', (engine) => {
  it('finds the newest of all of them first, whatever key each has', async () => {
    await using database = await openTestStore(engine);
    await add(database, posts, { id: 'a', at: 10, text: 'Hello' }, { id: 'b', at: 40, text: 'hello again' });
    await add(
      database,
      mail,
      { id: 'a', at: 30, text: 'hello', tags: ['in:inbox'] },
      { id: 'c', at: 5, text: 'hello' },
    );
    await add(database, others, { id: 'd', at: 20, text: 'hello', tags: ['in:inbox'] });
    for (const merged of [false, true]) {
      if (merged) await merge(database, mail);
      expect(await allPages(database, asked('hello'))).toEqual([
        { id: 'b', at: 40, space: posts.name },
        { id: 'a', at: 30, space: mail.name },
        { id: 'd', at: 20, space: others.name },
        { id: 'a', at: 10, space: posts.name },
        { id: 'c', at: 5, space: mail.name },
      ]);
      const inInbox = await allPages(database, { ...asked('hello'), tags: ['in:inbox'] });
      expect(inInbox.map(({ id }) => id)).toEqual(['a', 'd']);
      expect((await allPages(database, asked('hello', [mail]))).map(({ id }) => id)).toEqual(['a', 'c']);
      expect(await allPages(database, asked('hello', [{ name: 'unknown' }]))).toEqual([]);
      expect(await allPages(database, asked('hello', []))).toEqual([]);
      expect(await allPages(database, asked('hello', [{ ...mail, key: others.key }]))).toEqual([]);
      expect((await allPages(database, { ...asked('he'), prefix: true })).map(({ id }) => id)).toEqual(['b', 'a']);
    }
  });

  it('goes on in the spaces that are left, without what was removed', async () => {
    await using database = await openTestStore(engine);
    for (const space of all) await add(database, space, ...[1, 2, 3].map((at) => ({ id: `${at}`, at, text: 'word' })));
    await merge(database, posts);
    const first = await searchSpaces(database.db, asked('word'), { limit: 2 });
    expect(first.rows.map(({ at }) => at)).toEqual([3, 3]);
    await database.transaction((db) => removeDocument(db, posts.name, '1'));
    const left = await searchSpaces(database.db, asked('word', [posts, mail]), {
      limit: 10,
      cursor: first.next.cursor,
    });
    const shown = new Set(first.rows.map(({ space }) => space));
    const more = [posts, mail]
      .filter(({ name }) => !shown.has(name))
      .map(({ name }) => ({ id: '3', at: 3, space: name }));
    expect(left.rows.slice(0, more.length)).toEqual(more);
    expect(left.rows.slice(more.length).map(({ id }) => id)).toEqual(['2', '2', '1']);
    expect(left.rows.at(-1)?.space).toBe(mail.name);
    expect(left.next).toEqual({ hasMore: false });

    const refused = expect.objectContaining({ kind: 'invalid', code: 'INVALID_CURSOR' });
    for (const other of [{ text: 'words' }, { tags: ['a'] }, { listing: { ...listing, memberId: 'cd'.repeat(12) } }])
      await expect(
        searchSpaces(database.db, { ...asked('word'), ...other }, { cursor: first.next.cursor }),
      ).rejects.toEqual(refused);
    await expect(searchSpaces(database.db, asked('w'.repeat(501)), {})).rejects.toMatchObject({
      kind: 'invalid',
      code: 'QUERY_TOO_LONG',
    });
    await expect(searchSpaces(database.db, asked('word', [posts, posts]), {})).rejects.toThrow(RangeError);
    const tooMany = Array.from({ length: 101 }, (_, index) => ({ name: `s${index}` }));
    await expect(searchSpaces(database.db, asked('word', tooMany), {})).rejects.toThrow(RangeError);
  });

  it('looks at a bounded number of documents, and goes on from there', async () => {
    await using database = await openTestStore(engine);
    for (const space of all)
      for (let at = 0; at < 20; at += 1)
        await add(database, space, { id: `${at}`, at, text: at === 3 ? 'even odd' : at % 2 === 0 ? 'even' : 'odd' });
    for (const space of all) await merge(database, space);
    const first = await searchSpaces(database.db, asked('even odd'), { limit: 5 }, small);
    expect(first).toEqual({ rows: [], next: { hasMore: true, cursor: expect.any(String) } });
    const found = await allPages(database, asked('even odd'), 5, small);
    expect(found.map(({ id }) => id)).toEqual(['3', '3', '3']);
    expect(new Set(found.map(({ space }) => space)).size).toBe(3);
  });

  it('finds what looking at every document finds, each once', { timeout: 300_000 }, async () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'ab', '東京'), { maxLength: 4 }).map((words) => words.join(' '));
    const document = fc.record({
      space: fc.constantFrom(...all),
      id: fc.constantFrom('p', 'q', 'r', 's', 't', 'u'),
      at: fc.nat({ max: 4 }),
      text,
      merged: fc.boolean(),
    });
    const query = fc.record({
      text: fc.constantFrom('a', 'b', 'a b', '東', 'ab a'),
      spaces: fc.subarray(all, { minLength: 1 }),
      limit: fc.integer({ min: 1, max: 4 }),
      bounds: fc.constantFrom(small, undefined),
    });
    await using database = await openTestStore(engine);
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { maxLength: 25 }),
        fc.array(query, { maxLength: 5 }),
        async (documents, queries) => {
          const kept = new Map(all.map(({ name }) => [name, new Map<string, SearchDocument>()]));
          for (const { name } of all) while (await database.transaction((db) => removeSpace(db, name)));
          for (const { space, merged, ...one } of documents) {
            kept.get(space.name)?.set(one.id, one);
            await add(database, space, one);
            if (merged) await merge(database, space, { pending: 1, backlog: 100, step: 4, recent: 8 }, 3);
          }
          for (const { text: sought, spaces, limit, bounds } of queries) {
            const found = await allPages(database, asked(sought, spaces), limit, bounds);
            const expected = spaces.flatMap(({ name }) =>
              scan(kept.get(name)?.values() ?? [], { text: sought, tags: [], prefix: false }).map(
                ({ id, at }) => `${at} ${name} ${id}`,
              ),
            );
            expect(found.map(({ id, at, space }) => `${at} ${space} ${id}`).toSorted()).toEqual(expected.toSorted());
            const moments = found.map(({ at }) => at);
            expect(moments).toEqual(moments.toSorted((one, other) => other - one));
          }
        },
      ),
      { numRuns: runs(engine === 'sqljs' ? 60 : 15) },
    );
  });
});
