import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexed, type SearchDocument } from '../../../../src/platform/store/search/document.ts';
import { putDocument, removeDocument, removeSpace } from '../../../../src/platform/store/search/documents.ts';
import { search, type Search } from '../../../../src/platform/store/search/search.ts';
import { runs } from '../../../support/stage.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';
import { scan, type Expected, type Sought } from './search-model.ts';
import { add, allPages, cursors, find, leftRows, listing, mail, merge, posts, small } from './searched-store.ts';

const tinySteps = { pending: 1, backlog: 8, step: 5 };

describe.each(bothEngines)('search on %s', (engine) => {
  it('finds all words, folded, whole or the last by its beginning, the newest first', async () => {
    await using database = await openTestStore(engine);
    await add(
      database,
      posts,
      { id: 'a', at: 10, text: 'Die Straße nach Łódź' },
      { id: 'b', at: 30, text: 'STRASSE', title: 'Łódź' },
      { id: 'c', at: 20, text: 'Straßenbahn in lodz' },
    );
    expect(await find(database, 'lodz')).toEqual(['b', 'c', 'a']);
    expect(await find(database, 'Lódz strasse')).toEqual(['b', 'c', 'a']);
    expect(await find(database, 'strasse lodz')).toEqual(['b', 'a']);
    expect(await find(database, 'lodz strasse', { prefix: false })).toEqual(['b', 'a']);
    expect(await find(database, 'lo str')).toEqual([]);
    expect(await find(database, 'straßenbahn')).toEqual(['c']);
    expect(await find(database, 'nothing')).toEqual([]);
    expect(await find(database, 'lodz', { space: { name: 'social.other' } })).toEqual([]);
  });

  it('ranks what has a word in its title, then what has it often, then the newer', async () => {
    await using database = await openTestStore(engine);
    await add(
      database,
      posts,
      { id: 'often', at: 1, text: 'ship ship ship ship and more' },
      { id: 'title', at: 2, title: 'Ship', text: 'of nothing else' },
      { id: 'begins', at: 5, text: 'shipping' },
      { id: 'once', at: 3, text: 'a ship' },
      { id: 'newer', at: 4, text: 'one ship' },
    );
    expect(await find(database, 'ship', { order: 'relevance' })).toEqual(['title', 'often', 'newer', 'once', 'begins']);
    expect(await find(database, 'ship')).toEqual(['begins', 'newer', 'once', 'title', 'often']);
  });

  it('finds characters and pairs of Chinese and Japanese', async () => {
    await using database = await openTestStore(engine);
    await add(database, posts, { id: 'a', at: 1, text: '東京都庁に行く' }, { id: 'b', at: 2, text: '京都の東' });
    expect(await find(database, '東京')).toEqual(['a']);
    expect(await find(database, '京都')).toEqual(['b', 'a']);
    expect(await find(database, '東')).toEqual(['b', 'a']);
    expect(await find(database, '都庁')).toEqual(['a']);
  });

  it('narrows to tags, which no text finds', async () => {
    await using database = await openTestStore(engine);
    for (const space of [posts, mail]) {
      await add(
        database,
        space,
        { id: 'a', at: 1, text: 'hello inbox', tags: ['in:inbox', 'from:ann'] },
        { id: 'b', at: 2, text: 'hello', tags: ['in:sent'] },
      );
      const of = async (text: string, ...tags: string[]) => await find(database, text, { space, tags });
      expect(await of('hello', 'in:inbox')).toEqual(['a']);
      expect(await of('hello', 'in:inbox', 'from:ann')).toEqual(['a']);
      expect(await of('hello', 'in:inbox', 'in:sent')).toEqual([]);
      expect(await of('inbox')).toEqual(['a']);
      expect(await of('sent')).toEqual([]);
      expect(await of('#in:sent')).toEqual([]);
      expect(await of('', 'in:sent')).toEqual([]);
    }
  });

  it('keeps no word of a space with a key, finds its words whole, and nothing with another key', async () => {
    await using database = await openTestStore(engine);
    await add(database, mail, { id: 'm', at: 1, title: 'Zeugnis', text: 'streng geheim 東京', tags: ['from:anna'] });
    await merge(database, mail);
    const rows = [
      ...(await database.db.selectFrom('search_documents').select('words as text').execute()),
      ...(await database.db.selectFrom('search_recent').select('word as text').execute()),
      ...(await database.db.selectFrom('search_postings').select('word as text').execute()),
    ];
    expect(rows).toHaveLength(8);
    for (const { text } of rows)
      expect(text).toMatch(/^(?:[0-9a-f]{24}|\{"[0-9a-f]{24}":\d(?:,"[0-9a-f]{24}":\d)*\})$/);
    const inMail = async (text: string, key = mail.key) => await find(database, text, { space: { ...mail, key } });
    expect(await inMail('GEHEIM zeugnis')).toEqual(['m']);
    expect(await inMail('東京')).toEqual(['m']);
    expect(await inMail('京')).toEqual(['m']);
    expect(await inMail('gehei')).toEqual([]);
    expect(await inMail('geheim', new Uint8Array(32).fill(8))).toEqual([]);
    expect(await find(database, 'geheim', { space: { name: mail.name } })).toEqual([]);
  });

  it('follows the transaction of its owner, and changes and removes what it had', async () => {
    await using database = await openTestStore(engine);
    const failed = database.transaction(async (db) => {
      await putDocument(db, indexed(posts, { id: 'x', at: 1, text: 'never' }));
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(await leftRows(database)).toEqual([0, 0, 0, 0]);

    await add(database, posts, { id: 'a', at: 1, text: 'one two' }, { id: 'b', at: 1, text: 'one' });
    await add(database, posts, { id: 'a', at: 1, text: 'two three three' });
    expect(await find(database, 'one')).toEqual(['b']);
    expect(await find(database, 'three')).toEqual(['a']);
    await add(database, posts, { id: 'a', at: 0, text: 'two one' });
    expect(await find(database, 'one')).toEqual(['b', 'a']);
    expect(await find(database, 'three')).toEqual([]);
    expect(await database.transaction((db) => removeDocument(db, posts.name, 'a'))).toBe(true);
    expect(await database.transaction((db) => removeDocument(db, posts.name, 'a'))).toBe(false);
    expect(await database.transaction((db) => removeDocument(db, 'unknown', 'a'))).toBe(false);
    expect(await find(database, 'two')).toEqual([]);
    expect(await leftRows(database)).toEqual([1, 1, 1, 0]);
    await merge(database, posts);
    expect(await leftRows(database)).toEqual([1, 1, 0, 1]);
  });

  it('finds the beginning of very many words, whether its documents have postings or wait', async () => {
    await using database = await openTestStore(engine);
    const wordsOf = (at: number) => Array.from({ length: 50 }, (_, index) => `x${at}y${index}`).join(' ');
    const documents = Array.from({ length: 45 }, (_, at) => ({ id: `d${at}`, at, text: wordsOf(at) }));
    await add(database, posts, ...documents.slice(0, 42));
    await merge(database, posts);
    await add(database, posts, ...documents.slice(42), { id: 'other', at: 99, text: 'nothing' });
    const all = documents.map(({ id }) => id).toReversed();
    expect(await find(database, 'x')).toEqual(all);
    expect(await find(database, 'x', { order: 'relevance' })).toEqual(all);
    expect(await allPages(database, { space: posts, text: 'x', order: 'newest', listing, cursors }, 4, small)).toEqual(
      all,
    );
  });

  it('removes a space in pieces, and no other', async () => {
    await using database = await openTestStore(engine);
    for (let at = 0; at < 5; at += 1) await add(database, mail, { id: `m${at}`, at, text: 'so many words' });
    await add(database, posts, { id: 'p', at: 1, text: 'so many words' });
    const more: boolean[] = [];
    do more.push(await database.transaction((db) => removeSpace(db, mail.name, 2)));
    while (more.at(-1));
    expect(more).toEqual([true, true, false]);
    expect(await find(database, 'words')).toEqual(['p']);
    expect(await find(database, 'words', { space: mail })).toEqual([]);
    expect(await leftRows(database)).toEqual([1, 1, 1, 0]);
    expect(await database.transaction((db) => removeSpace(db, mail.name, 2))).toBe(false);
  });

  it('finds what two transactions at once put into a new space', async () => {
    await using database = await openTestStore(engine);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => add(database, posts, { id: `${index}`, at: 5, text: 'at once' })),
    );
    expect((await find(database, 'once')).toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(await leftRows(database)).toEqual([1, 8, 8, 0]);
  });

  it('says that there is more only where there may be, and begins where a page ended', async () => {
    await using database = await openTestStore(engine);
    for (const at of [1, 2, 3, 4]) await add(database, posts, { id: `${at}`, at, text: 'word' });
    const request: Search = { space: posts, text: 'word', order: 'newest', listing, cursors };
    const first = await search(database.db, request, { limit: 2 });
    expect(first).toEqual({
      rows: [
        { id: '4', at: 4, score: 0 },
        { id: '3', at: 3, score: 0 },
      ],
      next: { hasMore: true, cursor: expect.any(String) },
    });
    // What came meanwhile is on another page.
    await add(database, posts, { id: '5', at: 5, text: 'word' });
    const second = await search(database.db, request, { limit: 2, cursor: first.next.cursor });
    expect(second).toEqual({
      rows: [
        { id: '2', at: 2, score: 0 },
        { id: '1', at: 1, score: 0 },
      ],
      next: { hasMore: false },
    });
    const refused = expect.objectContaining({ kind: 'invalid', code: 'INVALID_CURSOR' });
    for (const other of [
      { text: 'words' },
      { text: '' },
      { order: 'relevance' as const },
      { prefix: false },
      { tags: ['a'] },
      { space: { name: 'social.other' } },
      { listing: { ...listing, memberId: 'cd'.repeat(12) } },
      { listing: { ...listing, filter: { of: 'other' } } },
    ])
      await expect(
        search(database.db, { ...request, ...other }, { limit: 2, cursor: first.next.cursor }),
      ).rejects.toEqual(refused);
  });

  it('looks at a bounded number of documents, and goes on from there', async () => {
    await using database = await openTestStore(engine);
    for (let at = 0; at < 30; at += 1)
      await add(database, posts, { id: `${at}`, at, text: at === 3 ? 'even odd' : at % 2 === 0 ? 'even' : 'odd' });
    await merge(database, posts);
    for (const order of ['newest', 'relevance'] as const) {
      const request: Search = { space: posts, text: 'even odd', order, listing, cursors, prefix: false };
      const first = await search(database.db, request, { limit: 5 }, small);
      expect(first).toEqual({ rows: [], next: { hasMore: true, cursor: expect.any(String) } });
      expect(await allPages(database, request, 5, small)).toEqual(['3']);
    }
  });

  it(
    'finds what looking at every document finds, whatever was put, changed and removed',
    { timeout: 300_000 },
    async () => {
      const word = fc.constantFrom(
        'a',
        'ab',
        'abc',
        'Ábc',
        'b',
        'ba',
        '1',
        '東京',
        '京都市',
        'straße',
        'ab-abc',
        'b\0a',
      );
      const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
      const tags = fc.subarray(['in:x', 'in:y']);
      const id = fc.constantFrom('p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x');
      const change = fc.oneof(
        {
          weight: 5,
          arbitrary: fc.record({ id, at: fc.nat({ max: 6 }), title: fc.option(text, { nil: undefined }), text, tags }),
        },
        { weight: 1, arbitrary: fc.record({ id }) },
        { weight: 2, arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 4 }), recent: fc.integer({ max: 20 }) }) },
      );
      const query = fc.record({
        text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
        tags: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, tags),
        prefix: fc.boolean(),
        limit: fc.integer({ min: 1, max: 4 }),
        bounds: fc.constantFrom(small, undefined),
      });
      await using database = await openTestStore(engine);
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { maxLength: 25 }),
          fc.array(query, { maxLength: 6 }),
          async (changes, queries) => {
            for (const { name } of [posts, mail]) while (await database.transaction((db) => removeSpace(db, name)));
            for (const space of [posts, mail]) {
              const documents = new Map<string, SearchDocument>();
              for (const one of changes) {
                if ('steps' in one) {
                  await merge(database, space, { ...tinySteps, recent: one.recent }, one.steps);
                } else if ('text' in one) {
                  documents.set(one.id, one);
                  await add(database, space, one);
                } else {
                  const was = await database.transaction((db) => removeDocument(db, space.name, one.id));
                  expect(was).toBe(documents.delete(one.id));
                }
              }
              for (const { limit, bounds, ...one } of queries) {
                const sought: Sought = { ...one, prefix: one.prefix && space.key === undefined };
                const expected = scan(documents.values(), sought);
                const request: Omit<Search, 'order'> = { ...one, space, listing, cursors };
                const newest = await allPages(database, { ...request, order: 'newest' }, limit, bounds);
                same(newest, expected, (found) => found.at);
                const best = await allPages(database, { ...request, order: 'relevance' }, limit, bounds);
                // A window that is smaller than what there is ranks part after part.
                if (bounds === undefined) same(best, expected, (found) => found.score * 100 + found.at);
                else expect(best.toSorted()).toEqual(newest.toSorted());
              }
              // Each document has all its postings or waits for them, and nothing is left of what was removed.
              const words = [...documents.values()].map((one) => indexed(space, one).weights.size);
              await merge(database, space);
              const left = await leftRows(database);
              const all = words.reduce((sum, count) => sum + count, 0);
              expect(left.slice(1)).toEqual([documents.size, 0, all]);
              while (await database.transaction((db) => removeSpace(db, space.name)));
              expect(await leftRows(database)).toEqual([0, 0, 0, 0]);
            }
          },
        ),
        { numRuns: runs(engine === 'sqljs' ? 60 : 15) },
      );
    },
  );
});

/** The same documents, each once, the greatest first; what is equal comes in any order. */
function same(ids: readonly string[], expected: readonly Expected[], by: (found: Expected) => number): void {
  expect(ids.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  const sorted = expected.map(by).toSorted((one, other) => other - one);
  const found = ids.map((id) => by(expected.find((one) => one.id === id) as Expected));
  expect(found).toEqual(sorted);
}
