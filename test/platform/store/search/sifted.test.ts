import fc from 'fast-check';
import { sql, type CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database, Db } from '../../../../src/platform/store/database.ts';
import { sessionOf } from '../../../../src/platform/store/executor.ts';
import type { SearchDocument } from '../../../../src/platform/store/search/document.ts';
import { searchSifted, type Sifted } from '../../../../src/platform/store/search/sifted.ts';
import type { SearchBounds } from '../../../../src/platform/store/search/search.ts';
import { runs } from '../../../support/stage.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';
import { add, cursors, listing, merge, posts, small } from './searched-store.ts';

const all = async (ids: readonly string[]) => new Map(ids.map((id) => [id, id]));

type Wanted = Pick<Sifted, 'text'> & Partial<Sifted>;

function request(wanted: Wanted): Sifted {
  return { space: posts, listing, cursors, prefix: false, ...wanted };
}

async function pages(
  { db }: Database,
  wanted: Wanted,
  limit: number,
  hidden: ReadonlySet<string> = new Set(),
  bounds?: SearchBounds,
): Promise<string[]> {
  const shown: string[] = [];
  let cursor: string | undefined;
  for (let count = 0; ; count += 1) {
    const sift = async (ids: readonly string[]) => all(ids.filter((id) => !hidden.has(id)));
    const { rows, next } = await searchSifted(db, request(wanted), { limit, cursor }, sift, bounds);
    expect(rows.length).toBeLessThanOrEqual(limit);
    shown.push(...rows);
    if (!next.hasMore) return shown;
    expect(count).toBeLessThan(300);
    cursor = next.cursor;
  }
}

describe.each(bothEngines)('a search through a filter on %s', (engine) => {
  it('shows each document that may be seen once, the newest first, however many are hidden between them', async () => {
    const document = fc.record({
      at: fc.integer({ min: 1, max: 12 }),
      text: fc.constantFrom('tea', 'tea milk', 'milk', 'coffee'),
      tag: fc.constantFrom('from:a', 'from:b'),
      hidden: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { maxLength: 60 }),
        fc.constantFrom<Wanted>(
          { text: 'tea' },
          { text: 'milk tea', tags: ['from:a'] },
          { text: '', tags: ['from:b'], wordless: true },
          { text: 'tea', before: 7 },
          { text: '', before: 5, wordless: true },
          { text: '', before: 0, wordless: true },
        ),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        async (made, wanted, limit, merged) => {
          await using database = await openTestStore(engine);
          const documents = made.map(({ at, text, tag }, index): SearchDocument => ({
            id: `d${index}`,
            at,
            text,
            tags: [tag],
          }));
          await add(database, posts, ...documents);
          if (merged) await merge(database, posts);
          const hidden = new Set(made.flatMap((one, index) => (one.hidden ? [`d${index}`] : [])));
          const words = wanted.text.split(' ').filter((word) => word !== '');
          // Of one moment, the one that was added last comes first.
          const expected = documents
            .filter(
              ({ id, at, text, tags = [] }) =>
                !hidden.has(id) &&
                at < (wanted.before ?? 100) &&
                words.every((word) => text.split(' ').includes(word)) &&
                (wanted.tags ?? []).every((tag) => tags.includes(tag)),
            )
            .toSorted((one, other) => other.at - one.at || Number(other.id.slice(1)) - Number(one.id.slice(1)));
          const ids = expected.map(({ id }) => id);
          expect(await pages(database, wanted, limit, hidden, small)).toEqual(ids);
          expect(await pages(database, wanted, limit, hidden)).toEqual(ids);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('looks at a bounded number of documents for a page, and goes on behind them', async () => {
    await using database = await openTestStore(engine);
    await add(database, posts, ...Array.from({ length: 400 }, (_, at) => ({ id: `d${at}`, at, text: 'tea' })));
    let asked = 0;
    const none = async (ids: readonly string[]) => {
      asked += ids.length;
      return new Map<string, string>();
    };
    const first = await searchSifted(database.db, request({ text: 'tea' }), { limit: 10 }, none);
    expect(first).toMatchObject({ rows: [], next: { hasMore: true } });
    expect(asked).toBe(150);
    const second = await searchSifted(
      database.db,
      request({ text: 'tea' }),
      { limit: 10, cursor: first.next.cursor },
      all,
    );
    expect(second.rows[0]).toBe('d249');
  });

  it('finds nothing without words, unless conditions alone are wanted', async () => {
    await using database = await openTestStore(engine);
    await add(database, posts, { id: 'a', at: 1, text: 'tea', tags: ['from:a'] });
    expect(await pages(database, { text: '***', tags: ['from:a'] }, 10)).toEqual([]);
    expect(await pages(database, { text: '***', tags: ['from:a'], wordless: true }, 10)).toEqual(['a']);
    expect(await pages(database, { text: 'tea', space: { name: 'social.other' } }, 10)).toEqual([]);
  });

  it('reads a frequent word by its index, whatever the number of documents', async () => {
    await using database = await openTestStore(engine);
    await fill(database, 60_000);
    for (const wanted of [
      { text: 'tea' },
      { text: 'tea milk', tags: ['from:ada'] },
      { text: '', tags: ['from:ada'], wordless: true },
    ]) {
      const statements = await statementsOf(database, async (db) => {
        const { rows } = await searchSifted(db, request(wanted), { limit: 20 }, all);
        expect(rows).toHaveLength(20);
        expect(rows[0]).toBe('d60000');
      });
      expect(statements.length).toBeGreaterThan(0);
      for (const plan of statements) {
        const tables =
          engine === 'sqljs' ? /SCAN (?:TABLE )?(?:search_|d\b)/ : /Seq Scan on search_(?:documents|postings)/;
        expect(plan).not.toMatch(tables);
      }
      const joined = statements.join('\n');
      expect(joined).toMatch(/search_postings_(?:place|pkey|key)|SEARCH search_postings USING PRIMARY KEY/);
    }
  });
});

/** Documents that all have the same words, with their postings; written by the database itself, because they are many. */
async function fill({ db, engine }: Database, count: number): Promise<void> {
  const words = ['tea', 'milk', '#from:ada'];
  await sql`insert into search_spaces (name, id) values (${posts.name}, 7)`.execute(db);
  await sql`insert into search_merges (space, recent) values (7, 0)`.execute(db);
  const json = `{${words.map((word) => `"${word}":1`).join(',')}}`;
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    insert into search_documents (space, at, number, id, version, words)
    select 7, i, 0, 'd' || i, 2, ${json} from n`.execute(db);
  for (const word of words)
    await sql`insert into search_postings (space, word, at, number)
      select space, cast(${word} as text), at, number from search_documents order by at`.execute(db);
  if (engine === 'postgres')
    await sql`analyze search_documents, search_postings, search_recent, search_pending`.execute(db);
}

/** The plans of the statements that `work` runs. */
async function statementsOf({ db, engine }: Database, work: (db: Db) => Promise<void>): Promise<string[]> {
  const noted: CompiledQuery[] = [];
  const session = sessionOf(db);
  const { execute } = session;
  session.execute = async (query) => {
    noted.push(query);
    return await execute(query);
  };
  try {
    await work(db);
  } finally {
    session.execute = execute;
  }
  const plans: string[] = [];
  for (const query of noted) {
    const text = `${engine === 'sqljs' ? 'explain query plan' : 'explain'} ${query.sql}`;
    const { rows } = await db.executeQuery<Record<string, unknown>>({ ...query, sql: text });
    plans.push(rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n'));
  }
  return plans;
}
