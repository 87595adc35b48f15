import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { SearchDocumentRow } from '../tables/search.ts';
import { insertRows, writtenQuery } from '../written-query.ts';
import { dialectOf } from './dialect.ts';
import type { IndexedDocument } from './document.ts';
import { requestMerge } from './merge.ts';
import { addPostings, removePostings, type Place } from './postings.ts';
import { wordsVersion } from './words.ts';

type Found = Place & Pick<SearchDocumentRow, 'version' | 'words'>;

/** Puts a document into the index, or replaces the old version, in the transaction that writes its owner. */
export async function putDocument(db: Db, document: IndexedDocument, random?: () => number): Promise<void> {
  await putDocuments(db, [document], random);
}

/**
 * Puts many documents at once, which is quicker. Of several documents with one id the last one counts. Documents are found from then on.
 * Their postings are made later, for many documents together.
 * @param random decides whether this call has the postings made: below 1, as Math.random
 */
export async function putDocuments(
  db: Db,
  documents: readonly IndexedDocument[],
  random: () => number = Math.random,
): Promise<void> {
  const spaces = new Map<string, Map<string, IndexedDocument>>();
  for (const document of documents) {
    const those = spaces.get(document.space) ?? new Map<string, IndexedDocument>();
    spaces.set(document.space, those.set(document.id, document));
  }
  for (const [name, those] of spaces) {
    await dialectOf(db).adding?.begin(name).execute(db);
    const fresh = await insertNew(db, name, [...those.values()]);
    for (const document of those.values()) if (!fresh.has(document.id)) await putKnown(db, document);
    const words = [...those.values()].reduce((sum, { weights }) => sum + weights.size, 0);
    await requestMerge(db, name, words, random);
  }
}

/**
 * Most documents are new, and no document that is there has their moment; some of them may have the same one, as what is imported together.
 * @returns the ids of the documents that were inserted
 */
async function insertNew(db: Db, name: string, documents: readonly IndexedDocument[]): Promise<ReadonlySet<string>> {
  const [only] = documents;
  if (only !== undefined && documents.length === 1) return await insertOne(db, name, only);
  const dialect = dialectOf(db);
  const numbers = new Map<number, number>();
  const rows = documents.map(({ id, at, weights }) => {
    const number = numbers.get(at) ?? 0;
    numbers.set(at, number + 1);
    return { id, at, number, words: spell(weights), size: weights.size };
  });
  const list = JSON.stringify(rows);
  // The statement reads nothing that others write: otherwise transactions that add documents at once would collide on PostgreSQL.
  const inserted = await sql<{ id: string }>`
    insert into search_documents (space, at, number, id, version, words)
    select s.id, list.at, list.number, list.id, cast(${wordsVersion} as bigint), list.words
    from search_spaces s cross join ${dialect.rows(list)} where s.name = ${name}
    on conflict do nothing returning id`.execute(db);
  const ids = new Set(inserted.rows.map(({ id }) => id));
  if (ids.size === 0) return ids;
  const fresh = ids.size === rows.length ? list : JSON.stringify(rows.filter(({ id }) => ids.has(id)));
  await sql`insert into search_pending (space, at, number, id, words, size)
    select s.id, list.at, list.number, list.id, list.words, list.size from search_spaces s cross join ${dialect.rows(fresh)} where s.name = ${name}`.execute(
    db,
  );
  return ids;
}

// In PostgreSQL a parameter in a list of columns has no type of its own.
const addDocument = writtenQuery<{ id: string }>(`
  insert into search_documents (space, at, number, id, version, words)
  select s.id, cast($2 as bigint), 0, cast($3 as text), cast($4 as bigint), cast($5 as text)
  from search_spaces s where s.name = $1 on conflict do nothing returning id`);
const addPending = writtenQuery(`
  insert into search_pending (space, at, number, id, words, size)
  select s.id, cast($2 as bigint), 0, cast($3 as text), cast($4 as text), cast($5 as bigint)
  from search_spaces s where s.name = $1`);

/** Most transactions add one document. */
async function insertOne(db: Db, name: string, { id, at, weights }: IndexedDocument): Promise<ReadonlySet<string>> {
  const words = spell(weights);
  const { rows } = await db.executeQuery(addDocument(name, at, id, wordsVersion, words));
  if (rows.length === 0) return new Set();
  await db.executeQuery(addPending(name, at, id, words, weights.size));
  return new Set([id]);
}

async function putKnown(db: Db, document: IndexedDocument): Promise<void> {
  const { id, at, weights } = document;
  const words = spell(weights);
  const { space, found } = await look(db, document.space, id);
  if (found?.at === at) {
    if (found.words !== words || found.version !== wordsVersion) await rewrite(db, found, weights, words);
    return;
  }
  if (found !== undefined) await removeAt(db, found);
  const row = { space: space ?? (await createSpace(db, document.space)), at, id, version: wordsVersion, words };
  const place = await insert(db, row);
  await insertRows(db, 'search_pending', [{ ...place, id, words, size: weights.size }]);
}

/** Runs in the transaction that removes the document's owner. @returns whether the document existed */
export async function removeDocument(db: Db, space: string, id: string): Promise<boolean> {
  const { found } = await look(db, space, id);
  if (found !== undefined) await removeAt(db, found);
  return found !== undefined;
}

/**
 * Removes a space, for example when a member leaves, in several transactions of limited size.
 * @returns whether something is left
 */
export async function removeSpace(db: Db, name: string, limit = 200): Promise<boolean> {
  const space = await findSpace(db, name);
  if (space === undefined) return false;
  const documents = await db
    .selectFrom('search_documents')
    .select(['space', 'at', 'number', 'version', 'words'])
    .where('space', '=', space)
    .limit(limit)
    .execute();
  for (const document of documents) await removeAt(db, document);
  if (documents.length === limit) return true;
  await db.deleteFrom('search_merges').where('space', '=', space).execute();
  await db.deleteFrom('search_spaces').where('name', '=', name).execute();
  return false;
}

/** @returns the id of a space that has or had documents */
export async function findSpace(db: Db, name: string): Promise<number | undefined> {
  return (await db.selectFrom('search_spaces').select('id').where('name', '=', name).executeTakeFirst())?.id;
}

const known = writtenQuery<Omit<Found, 'at'> & { at: number | null }>(`
  select s.id as space, d.at, d.number, d.version, d.words from search_spaces s
  left join search_documents d on d.space = s.id and d.id = $1 where s.name = $2`);

async function look(db: Db, name: string, id: string): Promise<{ space?: number; found?: Found }> {
  const { rows } = await db.executeQuery(known(id, name));
  const [row] = rows;
  if (row === undefined) return {};
  const { space, at } = row;
  return at === null ? { space } : { space, found: { ...row, at } };
}

/** The id comes from the hash of the name, so transactions that make different spaces don't collide; a taken id gives the next one. */
async function createSpace(db: Db, name: string): Promise<number> {
  const first = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  for (let id = first; ; id += 1) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('search_spaces')
      .values({ name, id })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) continue;
    await db.insertInto('search_merges').values({ space: id, recent: 0, moved_to: null }).execute();
    return id;
  }
}

const addBehind = writtenQuery<{ number: number }>(`
  insert into search_documents (space, at, number, id, version, words)
  select cast($1 as bigint), cast($2 as bigint), coalesce(max(number), -1) + 1,
    cast($3 as text), cast($4 as bigint), cast($5 as text)
  from search_documents where space = $1 and at = $2
  on conflict (space, at, number) do nothing returning number`);

/** Adds a document behind those of the same moment. */
async function insert(db: Db, document: Omit<SearchDocumentRow, 'number'>): Promise<Place> {
  const { space, at, id, version, words } = document;
  for (;;) {
    const { rows } = await db.executeQuery(addBehind(space, at, id, version, words));
    // Another transaction took the place at the same time.
    const [row] = rows;
    if (row !== undefined) return { space, at, number: row.number };
  }
}

/** Keeps postings of words that stay, as most changes are small. A document without postings gets them later, from its new words. */
async function rewrite(db: Db, found: Found, weights: IndexedDocument['weights'], words: string): Promise<void> {
  const { space, at, number } = found;
  const { numUpdatedRows } = await db
    .updateTable('search_pending')
    .set({ size: weights.size, words })
    .where('space', '=', space)
    .where('at', '=', at)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) {
    const before = read(found.words);
    const old = before.filter((word) => !weights.has(word));
    const had = new Set(before);
    await removePostings(db, found, old);
    await addPostings(
      db,
      found,
      [...weights.keys()].filter((word) => !had.has(word)),
    );
  }
  await sql`update search_documents set words = ${words}, version = ${wordsVersion}
    where space = ${space} and at = ${at} and number = ${number}`.execute(db);
}

async function removeAt(db: Db, found: Found): Promise<void> {
  const { space, at, number } = found;
  const { numDeletedRows } = await db
    .deleteFrom('search_pending')
    .where('space', '=', space)
    .where('at', '=', at)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) await removePostings(db, found, read(found.words));
  await sql`delete from search_documents where space = ${space} and at = ${at} and number = ${number}`.execute(db);
}

/** The JSON form lets a condition find whole words and beginnings. No word has a character that JSON would escape. */
function spell(weights: IndexedDocument['weights']): string {
  return `{${[...weights].map(([word, weight]) => `"${word}":${weight}`).join(',')}}`;
}

function read(words: string): string[] {
  return Object.keys(JSON.parse(words) as Record<string, number>);
}
