import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { SearchDocumentRow } from '../tables/search.ts';
import { dialectOf } from './dialect.ts';
import type { IndexedDocument } from './document.ts';

type Place = Pick<SearchDocumentRow, 'space' | 'at' | 'number'>;
type Found = Place & Pick<SearchDocumentRow, 'words'>;

/** Puts a document into the index, or what it says now in the place of what it said, in the transaction that writes its owner. */
export async function putDocument(db: Db, document: IndexedDocument): Promise<void> {
  const { id, at, weights } = document;
  const words = spell(weights);
  const { space, found } = await look(db, document.space, id);
  if (found?.at === at) {
    if (found.words !== words) await rewrite(db, found, weights, words);
    return;
  }
  if (found !== undefined) await removeAt(db, found);
  const place = await insert(db, { space: space ?? (await createSpace(db, document.space)), at, id, words });
  await addPostings(db, place, [...weights.keys()]);
}

/** In the transaction that removes its owner. @returns whether it was there */
export async function removeDocument(db: Db, space: string, id: string): Promise<boolean> {
  const { found } = await look(db, space, id);
  if (found !== undefined) await removeAt(db, found);
  return found !== undefined;
}

/**
 * Removes a space, such as that of a member who leaves, a piece in each transaction.
 * @returns whether something is left
 */
export async function removeSpace(db: Db, name: string, limit = 200): Promise<boolean> {
  const space = await findSpace(db, name);
  if (space === undefined) return false;
  const documents = await db
    .selectFrom('search_documents')
    .select(['space', 'at', 'number', 'words'])
    .where('space', '=', space)
    .limit(limit)
    .execute();
  for (const document of documents) await removeAt(db, document);
  if (documents.length === limit) return true;
  await db.deleteFrom('search_spaces').where('name', '=', name).execute();
  return false;
}

/** @returns the id of a space, where it has or had documents */
export async function findSpace(db: Db, name: string): Promise<number | undefined> {
  return (await db.selectFrom('search_spaces').select('id').where('name', '=', name).executeTakeFirst())?.id;
}

async function look(db: Db, name: string, id: string): Promise<{ space?: number; found?: Found }> {
  const { rows } = await sql<{ space: number; at: number | null; number: number; words: string }>`
    select s.id as space, d.at, d.number, d.words from search_spaces s
    left join search_documents d on d.space = s.id and d.id = ${id} where s.name = ${name}`.execute(db);
  const [row] = rows;
  if (row === undefined) return {};
  const { space, at, number, words } = row;
  return at === null ? { space } : { space, found: { space, at, number, words } };
}

/** By its name, so that two transactions that make different spaces at once don't meet; the next number where it is taken. */
async function createSpace(db: Db, name: string): Promise<number> {
  const first = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  for (let id = first; ; id += 1) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('search_spaces')
      .values({ name, id })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return id;
  }
}

async function insert(db: Db, document: Omit<SearchDocumentRow, 'number'>): Promise<Place> {
  const { space, at, id, words } = document;
  for (let number = 0; ; number = await nextNumber(db, space, at)) {
    const { numAffectedRows } = await sql`
      insert into search_documents (space, at, number, id, words) values (${space}, ${at}, ${number}, ${id}, ${words})
      on conflict (space, at, number) do nothing`.execute(db);
    if (numAffectedRows === 1n) return { space, at, number };
  }
}

async function nextNumber(db: Db, space: number, at: number): Promise<number> {
  const last = await db
    .selectFrom('search_documents')
    .select('number')
    .where('space', '=', space)
    .where('at', '=', at)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (last?.number ?? -1) + 1;
}

/** Postings of words that stay are left alone: most changes are small. */
async function rewrite(db: Db, found: Found, weights: IndexedDocument['weights'], words: string): Promise<void> {
  const before = new Set(read(found.words));
  await removePostings(
    db,
    found,
    [...before].filter((word) => !weights.has(word)),
  );
  await addPostings(
    db,
    found,
    [...weights.keys()].filter((word) => !before.has(word)),
  );
  await sql`update search_documents set words = ${words}
    where space = ${found.space} and at = ${found.at} and number = ${found.number}`.execute(db);
}

async function removeAt(db: Db, found: Found): Promise<void> {
  await removePostings(db, found, read(found.words));
  await sql`delete from search_documents
    where space = ${found.space} and at = ${found.at} and number = ${found.number}`.execute(db);
}

async function addPostings(db: Db, { space, at, number }: Place, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`insert into search_postings (space, word, at, number)
    select cast(${space} as bigint), value, cast(${at} as bigint), cast(${number} as bigint)
    from ${dialectOf(db).values(words)}`.execute(db);
}

async function removePostings(db: Db, { space, at, number }: Place, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`delete from search_postings where space = ${space} and at = ${at} and number = ${number}
    and word in (select value from ${dialectOf(db).values(words)})`.execute(db);
}

/** Between spaces, so that a condition finds words whole and by their beginning. */
function spell(weights: IndexedDocument['weights']): string {
  return ` ${[...weights].map(([word, weight]) => `${word}=${weight} `).join('')}`;
}

function read(words: string): string[] {
  return words
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => part.slice(0, -2));
}
