import type { Database, Db } from '../database.ts';
import { indexed, type SearchDocument, type SearchSpace } from './document.ts';
import { findSpace, putDocuments } from './documents.ts';
import { wordsVersion } from './words.ts';

/** How many documents are looked at, and renewed, in one transaction. */
const together = 200;

export interface Outdated {
  /** of documents whose words were made by other rules than today's */
  readonly ids: string[];
  /** behind which to go on; undefined at the end */
  readonly after: string | undefined;
}

/** Of the next documents of a space behind an id, in the order of their ids, those that a search may miss. */
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
 * Indexes what is outdated anew, for a job of the service that has the texts. Cut off anywhere it begins again, and finds what is left.
 * @param load what the documents say now, read in the transaction that puts them; one that is gone is left out
 * @returns how many were renewed
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
