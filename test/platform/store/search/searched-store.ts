import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import { indexed, type SearchDocument, type SearchSpace } from '../../../../src/platform/store/search/document.ts';
import { findSpace, putDocument } from '../../../../src/platform/store/search/documents.ts';
import { mergeStep, type MergeBounds } from '../../../../src/platform/store/search/merge.ts';
import { search, type Search, type SearchBounds } from '../../../../src/platform/store/search/search.ts';
import type { SearchTables } from '../../../../src/platform/store/tables/search.ts';

export const posts: SearchSpace = { name: 'social.posts' };
export const mail: SearchSpace = { name: 'mail:ab12', key: new Uint8Array(32).fill(7) };
export const cursors: Search['cursors'] = {
  keys: { cursor: new Uint8Array(32).fill(1) },
  random: (size) => randomBytes(size),
  clock: { now: () => 0 },
};
export const listing: Search['listing'] = { list: 'a.search', memberId: 'ab'.repeat(12) };
/** So that few documents are many. */
export const small: SearchBounds = { documents: 7, rankedWindow: 3, firstWindow: 1 };

/** In one transaction. */
export async function add(database: Database, space: SearchSpace, ...documents: SearchDocument[]): Promise<void> {
  await database.transaction(async (db) => {
    for (const document of documents) await putDocument(db, indexed(space, document));
  });
}

/** Makes postings until there is nothing to do, or for so many steps. */
export async function merge(
  database: Database,
  { name }: SearchSpace,
  bounds?: MergeBounds,
  steps = 1_000,
): Promise<void> {
  const space = await findSpace(database.db, name);
  if (space === undefined) return;
  for (let step = 0; step < steps; step += 1)
    if (!(await database.transaction((db) => mergeStep(db, space, bounds)))) return;
}

/** The ids of all that is found. */
export async function find(database: Database, text: string, request: Partial<Search> = {}, bounds?: SearchBounds) {
  return await allPages(database, { space: posts, text, order: 'newest', listing, cursors, ...request }, 100, bounds);
}

/** The ids of all pages. */
export async function allPages(
  database: Database,
  request: Search,
  limit: number,
  bounds?: SearchBounds,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const { rows, next } = await search(database.db, request, { limit, cursor }, bounds);
    expect(rows.length).toBeLessThanOrEqual(limit);
    ids.push(...rows.map(({ id }) => id));
    if (!next.hasMore) return ids;
    expect(pages).toBeLessThan(500);
    cursor = next.cursor;
  }
}

/** How many spaces, documents, documents without postings and postings there are. */
export async function leftRows(database: Database): Promise<[number, number, number, number]> {
  const count = async (table: keyof SearchTables): Promise<number> =>
    (await database.db.selectFrom(table).selectAll().execute()).length;
  const spaces = await count('search_spaces');
  expect(await count('search_merges')).toBe(spaces);
  const made = (await count('search_recent')) + (await count('search_postings'));
  return [spaces, await count('search_documents'), await count('search_pending'), made];
}
