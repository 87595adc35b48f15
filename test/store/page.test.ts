import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, readPage, writeCursor, type Listing } from '../../src/store/page.ts';
import { bothEngines, openTestStore } from '../support/stores.ts';

interface Row {
  readonly sort: string | number;
  readonly id: string;
}

const listing: Listing<Row> = {
  key: new Uint8Array(32).fill(1),
  list: 'a.list',
  memberId: 'ab'.repeat(12),
  filter: { type: 'User', query: undefined },
  order: 'asc',
  by: [
    ['sort', (row) => row.sort],
    ['id', (row) => row.id],
  ],
};
const refusal = expect.objectContaining({
  kind: 'invalid',
  code: 'INVALID_CURSOR',
  fields: [expect.objectContaining({ path: 'cursor' })],
});

describe('a cursor', () => {
  it('gives back the position', () => {
    const sort = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.maxSafeInteger());
    fc.assert(
      fc.property(sort, fc.stringMatching(/^[0-9a-f]{32}$/), (sort_, id) => {
        const text = writeCursor(listing, { sort: sort_, id });
        expect(text).toMatch(/^[\w-]+$/);
        expect(readCursor(listing, text)).toEqual([sort_, id]);
      }),
    );
  });

  it('is refused when anything of it was changed', () => {
    const text = writeCursor(listing, { sort: 1_765_000_000_000, id: 'ab'.repeat(16) });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < text.length; at += 1)
      for (const other of alphabet) {
        if (other === text[at]) continue;
        expect(() => readCursor(listing, text.slice(0, at) + other + text.slice(at + 1))).toThrow(refusal);
      }
    for (const changed of [
      '',
      '=',
      text.slice(1),
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      ` ${text}`,
      text.repeat(300),
    ])
      expect(() => readCursor(listing, changed)).toThrow(refusal);
  });

  it.each<[string, Partial<Listing<Row>>]>([
    ['node', { key: new Uint8Array(32).fill(2) }],
    ['list', { list: 'b.list' }],
    ['member', { memberId: 'ba'.repeat(12) }],
    ['filter', { filter: { type: 'Admin' } }],
    ['filter, which chooses more', { filter: { type: 'User', query: 'a' } }],
    ['filter, which chooses all', { filter: {} }],
    ['order', { order: 'desc' }],
    ['sort', { by: [['id', (row) => row.id]] }],
  ])('is refused for another %s', (_, changes) => {
    const row = { sort: 'a', id: 'b' };
    const other = { ...listing, ...changes };
    expect(() => readCursor(other, writeCursor(listing, row))).toThrow(refusal);
    expect(() => readCursor(listing, writeCursor(other, row))).toThrow(refusal);
    expect(readCursor(other, writeCursor(other, row))).toHaveLength(other.by.length);
  });

  it('is refused whatever else it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(listing, text)).toThrow(refusal);
      }),
    );
  });
});

describe.each(bothEngines)('the pages of a list on %s', (engine) => {
  it.each(['asc', 'desc'] as const)('hold every row once, in order, %s', async (order) => {
    await using store = await openTestStore(engine);
    const rows = Array.from({ length: 23 }, (_, at) => ({
      id: `job-${String(at).padStart(2, '0')}`,
      kind: at % 5 === 0 ? 'other' : 'wanted',
      payload: '{}',
      // Equal values across the borders of pages: the id decides.
      run_at: Math.floor(at / 4),
      attempts: 0,
      claimed_until: null,
      last_error: null,
      created_at: 1,
    }));
    await store.db.insertInto('jobs').values(rows).execute();
    const jobs: Listing<{ id: string; run_at: number }> = {
      ...listing,
      filter: { kind: 'wanted' },
      order,
      by: [
        ['run_at', (row) => row.run_at],
        ['id', (row) => row.id],
      ],
    };
    const query = store.db.selectFrom('jobs').select(['id', 'run_at']).where('kind', '=', 'wanted');
    const expected = rows.filter(({ kind }) => kind === 'wanted').map(({ id }) => id);
    for (const limit of [1, 4, 17, 18, 19, 100]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await readPage(query, jobs, { limit, cursor });
        expect(page.rows.length).toBe(Math.min(limit, expected.length - found.length));
        expect(page.next.hasMore).toBe(page.next.cursor !== undefined);
        found.push(...page.rows.map(({ id }) => id));
        ({ cursor } = page.next);
      } while (cursor !== undefined);
      expect(found).toEqual(order === 'asc' ? expected : expected.toReversed());
    }
  });
});
