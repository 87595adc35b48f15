import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { quorumDocuments } from '../../contract/quorum/documents.ts';
import { Problem } from '../../base/problem.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';
import { idFrom } from '../kit/id-part.ts';

/**
 * The id of a document, from an id or the first eight or more digits of one.
 * @throws Problem missing DOCUMENT_NOT_FOUND, conflict AMBIGUOUS
 */
export async function documentIdOf(client: Client, screen: Unmeasured, text: string): Promise<string> {
  const message = `There is no document ${JSON.stringify(text)}. To list them, run: conclave quorum documents`;
  return await idFrom(
    text,
    async () => {
      const most = Number.POSITIVE_INFINITY;
      const { items } = await collectPages(client, quorumDocuments.listDocuments, {}, 'documents', { most });
      return items.map(({ id, createdAt }) => ({ id, label: `sealed ${moment(screen, createdAt)}` }));
    },
    () => new Problem('missing', 'DOCUMENT_NOT_FOUND', message),
  );
}
