import type { Database, Db } from '../database.ts';
import { indexed, type SearchDocument, type SearchSpace } from './document.ts';
import { findSpace, putDocuments } from './documents.ts';
import { wordsVersion } from './words.ts';

/** How many documents are checked and renewed in one transaction. */
const together = 200;

export interface Outdated {
  /** ids of documents whose words were made by older rules */
  readonly ids: string[];
  /** the id after which to go on; undefined at the end */
  readonly after: string | undefined;
}

/** Checks the next documents of a space after an id, in the order of ids, and returns those that a search may miss. */
export async function outdatedDocuments(
  db: Db,
  name: string,
  { after = '', limit = together }: { readonly after?: string | undefined; readonly limit?: number } = {},
): Promise<Outdated> {
  const space = await findSpace(db, name);
  if (space === undefined) return { ids: [], after: undefined };
  const rows = await db
    .selectFrom('search_documents')
    .select(['id', 'version'])
    .where('space', '=', space)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return {
    ids: rows.filter(({ version }) => version !== wordsVersion).map(({ id }) => id),
    after: rows.length < limit ? undefined : rows.at(-1)?.id,
  };
}

/**
 * Indexes outdated documents anew, for a job of the service that has the texts. If it is cut off, it begins again and finds the rest.
 * @param load returns the current content of the documents, read in the transaction that puts them; it leaves out documents that were
 *   removed
 * @returns how many documents were renewed
 */
export async function renewDocuments(
  database: Pick<Database, 'transaction'>,
  space: SearchSpace,
  load: (db: Db, ids: readonly string[]) => Promise<readonly SearchDocument[]>,
  { signal, limit }: { readonly signal?: AbortSignal; readonly limit?: number } = {},
): Promise<number> {
  let [renewed, after]: [number, string | undefined] = [0, ''];
  while (after !== undefined) {
    if (signal?.aborted === true) break;
    const from: string = after;
    const done = await database.transaction(async (db) => {
      const outdated = await outdatedDocuments(db, space.name, { after: from, ...(limit !== undefined && { limit }) });
      const documents = outdated.ids.length === 0 ? [] : await load(db, outdated.ids);
      await putDocuments(
        db,
        documents.map((document) => indexed(space, document)),
      );
      return { after: outdated.after, count: documents.length };
    });
    after = done.after;
    renewed += done.count;
  }
  return renewed;
}
