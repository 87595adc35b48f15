import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  asc,
  desc,
  pageOf,
  readCursor,
  readPage,
  writeCursor,
  type Cursors,
  type Listing,
  type Page,
  type SortKey,
} from '../../../src/platform/store/page.ts';
import type { JobRow } from '../../../src/platform/store/tables/tables.ts';
import { bothEngines, openTestStore } from '../../support/stores.ts';
import { inStage } from '../../support/stage.ts';

interface Row {
  readonly sort: string | number | null;
  readonly id: string;
}

let time = 1_000;
const cursors: Cursors = {
  keys: { cursor: new Uint8Array(32).fill(1) },
  random: (size) => randomBytes(size),
  clock: { now: () => time },
};
const by: readonly SortKey<Row>[] = [asc('sort', (row) => row.sort), asc('id', (row) => row.id)];
const listing: Listing<Row> = {
  list: 'a.list',
  memberId: 'ab'.repeat(12),
  filter: { type: 'User', query: undefined },
  by,
};
const refusal = expect.objectContaining({
  kind: 'invalid',
  code: 'INVALID_CURSOR',
  fields: [expect.objectContaining({ path: 'cursor' })],
});
const read = (text: string, of = listing) => readCursor(cursors, of, text);
const write = (row: Row, of = listing) => writeCursor(cursors, of, row, 7);

describe('a cursor', () => {
  it('gives back the position, and the moment of the first page', { tags: 'thorough' }, () => {
    const sort = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.maxSafeInteger(),
      fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
      fc.constant(null),
    );
    fc.assert(
      fc.property(sort, fc.stringMatching(/^[0-9a-f]{32}$/), (sort_, id) => {
        const text = write({ sort: sort_, id });
        expect(text).toMatch(/^[\w-]+$/);
        expect(read(text)).toEqual({ asOf: 7, values: [sort_, id] });
      }),
    );
  });

  it('says nothing of what the page ended at', () => {
    const seen = Buffer.from(write({ sort: 'the title of another', id: 'ab'.repeat(16) }), 'base64url').toString(
      'latin1',
    );
    expect(seen).not.toContain('title');
    expect(seen).not.toContain('abab');
  });

  it('is refused when anything of it was changed', () => {
    const text = write({ sort: 1_765_000_000_000, id: 'ab'.repeat(16) });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const step = inStage(16, 4, 1);
    for (let at = 0; at < text.length; at += 1)
      for (let of = at % step; of < alphabet.length; of += step) {
        const other = alphabet[of]!;
        if (other === text[at]) continue;
        expect(() => read(text.slice(0, at) + other + text.slice(at + 1))).toThrow(refusal);
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
      expect(() => read(changed)).toThrow(refusal);
  });

  it.each<[string, Partial<Listing<Row>>]>([
    ['list', { list: 'b.list' }],
    ['member', { memberId: 'ba'.repeat(12) }],
    ['filter', { filter: { type: 'Admin' } }],
    ['filter, which chooses more', { filter: { type: 'User', query: 'a' } }],
    ['filter, which chooses all', { filter: {} }],
    ['filter of another kind', { filter: { type: true } }],
    ['order', { by: by.map((key) => ({ ...key, order: 'desc' })) }],
    ['order of one key', { by: [desc('sort', (row) => row.sort), by[1]!] }],
    ['order of keys', { by: by.toReversed() }],
    ['order of what has no value', { by: [{ ...by[0]!, nullable: true }, by[1]!] }],
    ['sort', { by: [asc('id', (row) => row.id)] }],
  ])('is refused for another %s', (_, changes) => {
    const row = { sort: 'a', id: 'b' };
    const other = { ...listing, ...changes };
    expect(() => read(write(row), other)).toThrow(refusal);
    expect(() => read(write(row, other))).toThrow(refusal);
    expect(read(write(row, other), other).values).toHaveLength(other.by.length);
  });

  it('is refused at another node', () => {
    const elsewhere = { keys: { cursor: new Uint8Array(32).fill(2) } };
    expect(() => readCursor(elsewhere, listing, write({ sort: 'a', id: 'b' }))).toThrow(refusal);
  });

  it('is refused whatever else it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => read(text)).toThrow(refusal);
      }),
    );
  });
});

type Job = Pick<JobRow, 'id' | 'kind' | 'run_at' | 'claimed_until'>;

const claimed = (order: 'asc' | 'desc'): SortKey<Job> => ({
  column: 'claimed_until',
  order,
  of: (row) => row.claimed_until,
  nullable: true,
});
/** Those whose time has come before the others, as of the moment of the first page. */
const due: SortKey<Job> = {
  column: 'due',
  order: 'asc',
  of: (row) => (row.run_at <= time ? 0 : 1),
  sql: (asOf) => sql`case when run_at <= ${asOf} then 0 else 1 end`,
};
const id = (order: 'asc' | 'desc'): SortKey<Job> => ({ column: 'id', order, of: (row) => row.id });

const orders: Readonly<Record<string, readonly SortKey<Job>[]>> = {
  'by a unique key': [id('asc')],
  descending: [desc('run_at', (row) => row.run_at), id('desc')],
  'in mixed directions': [asc('run_at', (row) => row.run_at), desc('kind', (row) => row.kind), id('asc')],
  'with what has no value': [claimed('asc'), id('desc')],
  'descending, with what has no value': [claimed('desc'), asc('run_at', (row) => row.run_at), id('asc')],
};

function rowAt(number: number, sort: number): JobRow {
  return {
    id: `job-${String(number).padStart(3, '0')}`,
    kind: `kind ${sort % 2}`,
    payload: '{}',
    run_at: Math.floor(sort / 3),
    attempts: 0,
    deaths: 0,
    claimed_until: sort % 3 === 0 ? null : sort % 5,
    claim: null,
    schedule: null,
    last_error: null,
    created_at: 1,
  };
}

/** In memory, as the order says; what has no value last. */
function compare(keys: readonly SortKey<Job>[]) {
  return (one: Job, other: Job): number => {
    for (const { of, order } of keys) {
      const [a, b] = [of(one), of(other)];
      if (a === b) continue;
      if (a === null || b === null) return a === null ? 1 : -1;
      return (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1);
    }
    return 0;
  };
}

const columns = ['id', 'kind', 'run_at', 'claimed_until'] as const;

describe.each(bothEngines)('the pages of a list on %s', (engine) => {
  it.each(Object.keys(orders))('have every row that stays once and in order, %s', async (name) => {
    const keys = orders[name]!;
    await using store = await openTestStore(engine);
    const { db } = store;
    const jobs: Listing<Job> = { ...listing, by: keys };
    const sorts = fc.array(fc.nat(12), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(sorts, sorts, fc.integer({ min: 1, max: 6 }), fc.nat(3), async (first, later, limit, every) => {
        await db.deleteFrom('jobs').execute();
        const rows = first.map((sort, at) => rowAt(at, sort));
        if (rows.length > 0) await db.insertInto('jobs').values(rows).execute();
        const goes = new Set(rows.filter((_, at) => every > 0 && at % (every + 1) === 0).map((one) => one.id));
        const comes = later.map((sort, at) => rowAt(500 + at, sort));

        const seen: Job[] = [];
        let cursor: string | undefined;
        do {
          const page: Page<Job> = await readPage(cursors, db.selectFrom('jobs').select(columns), jobs, {
            limit,
            cursor,
          });
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          expect(page.next.hasMore).toBe(page.next.cursor !== undefined);
          seen.push(...page.rows);
          ({ cursor } = page.next);
          // Between two pages one goes, whether it was seen or not, and one comes.
          const [gone] = goes;
          if (gone !== undefined) {
            goes.delete(gone);
            await db.deleteFrom('jobs').where('id', '=', gone).execute();
          }
          const come = comes.pop();
          if (come !== undefined) await db.insertInto('jobs').values(come).execute();
        } while (cursor !== undefined);

        const ids = seen.map((one) => one.id);
        expect(new Set(ids).size).toBe(ids.length);
        const stayed = rows.filter((_, at) => !(every > 0 && at % (every + 1) === 0)).map((one) => one.id);
        expect(ids).toEqual(expect.arrayContaining(stayed));
        expect(seen).toEqual(seen.toSorted(compare(keys)));
      }),
      { numRuns: 12 },
    );
  });

  it('keep to the moment of the first, while time goes on', async () => {
    await using store = await openTestStore(engine);
    const { db } = store;
    const rows = Array.from({ length: 9 }, (_, at) => ({ ...rowAt(at, 0), run_at: (at * 5) % 9 }));
    await db.insertInto('jobs').values(rows).execute();
    const jobs: Listing<Job> = { ...listing, by: [due, id('asc')] };
    time = 4;
    const asOf = time;
    const dueThen = (job: Job) => job.run_at <= asOf;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = (moment: number) => {
        expect(moment).toBe(asOf);
        return db.selectFrom('jobs').select(columns);
      };
      // The order that a row shows is the one of its page's moment.
      const page: Page<Job> = await readPage(
        cursors,
        query,
        { ...jobs, by: [{ ...due, of: (job) => (dueThen(job) ? 0 : 1) }, id('asc')] },
        { limit: 2, cursor },
      );
      seen.push(...page.rows.map((one) => one.id));
      ({ cursor } = page.next);
      time += 2;
    } while (cursor !== undefined);
    const inOrder = [...rows.filter(dueThen), ...rows.filter((one) => !dueThen(one))];
    expect(seen).toEqual(inOrder.map((one) => one.id));
    time = 1_000;
  });

  it('are one, with everything, where neither limit nor cursor is given; a cursor alone has 20', async () => {
    await using store = await openTestStore(engine);
    const rows = Array.from({ length: 130 }, (_, at) => rowAt(at, at));
    await store.db.insertInto('jobs').values(rows).execute();
    const jobs: Listing<Job> = { ...listing, by: [id('asc')] };
    const pageAt = async (request: { limit?: number; cursor?: string | undefined }) =>
      await readPage(cursors, store.db.selectFrom('jobs').select(columns), jobs, request);
    const whole = await pageAt({});
    expect(whole.rows).toHaveLength(130);
    expect(whole.next).toEqual({ hasMore: false });
    const first = await pageAt({ limit: 100 });
    const second = await pageAt({ cursor: first.next.cursor });
    expect(second.rows.map((one) => one.id)).toEqual(rows.slice(100, 120).map((one) => one.id));
    expect(await pageAt({ limit: 10, cursor: second.next.cursor })).toEqual({
      rows: rows.slice(120).map(({ id: is, kind, run_at, claimed_until }) => ({ id: is, kind, run_at, claimed_until })),
      next: { hasMore: false },
    });
  });
});

describe('a list whose rows do not come from one query', () => {
  it('pages alike', async () => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => ({ sort: null, id: letter }));
    const list: Listing<Row> = { ...listing, by: [asc('id', ({ id: is }) => is)] };
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<Row> = await pageOf(
        cursors,
        list,
        { limit: 3, cursor },
        async ({ values: [after = ''] }, most) => letters.filter((one) => one.id > String(after)).slice(0, most),
      );
      seen.push(...page.rows.map((one) => one.id));
      ({ cursor } = page.next);
    } while (cursor !== undefined);
    expect(seen.join('')).toBe('abcdefg');
  });
});
