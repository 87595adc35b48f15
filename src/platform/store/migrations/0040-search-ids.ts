import type { Db } from '../database.ts';

/** A search that postings answer reads only the ids of documents. Their rows hold all words, and seldom two are on one page. */
export async function up({ schema }: Db): Promise<void> {
  await schema
    .createIndex('search_documents_ids')
    .on('search_documents')
    .columns(['space', 'at', 'number', 'id'])
    .execute();
}
