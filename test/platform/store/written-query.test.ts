import { describe, expect, it } from 'vitest';
import { isRepeated, writtenList } from '../../../src/platform/store/written-query.ts';
import { bothEngines, openTestStore } from '../../support/stores.ts';

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe.each(bothEngines)('a written list on %s', (engine) => {
  const given = writtenList<{ id: string }>(1, (ids) => `select id from jobs where kind = $1 and id in ${ids}`);

  it.each([1, 2, 3, 20, 33, 512, 513, 700])('finds each of %i values once, and nothing else', async (length) => {
    await using store = await openTestStore(engine);
    const ids = numbered(1, length);
    const rows = [...ids, 'other'].map((id) => ({
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
    }));
    await store.db.insertInto('jobs').values(rows).execute();
    const found = await store.db.executeQuery(given(ids, 'a'));
    expect(found.rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect((await store.db.executeQuery(given(ids, 'b'))).rows).toEqual([]);
  });

  it('has one text for up to twice as many values, which is prepared, unless they are many', () => {
    const texts = (from: number, to: number) =>
      new Set(numbered(from, to).map((_, at, all) => given(all.slice(at)).sql));
    for (const most of [2, 4, 32, 512]) {
      const statement = given(numbered(1, most));
      expect(isRepeated(statement)).toBe(true);
      expect(given(numbered(1, most / 2 + 1)).sql).toBe(statement.sql);
      expect(given(numbered(1, most / 2)).sql).not.toBe(statement.sql);
    }
    expect(texts(1, 512).size).toBe(10);
    expect(isRepeated(given(numbered(1, 513)))).toBe(false);
  });
});
