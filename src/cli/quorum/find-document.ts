import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { quorumDocuments, type DocumentMetadata } from '../../contract/quorum/documents.ts';
import { Problem } from '../../problem.ts';
import { ambiguous } from '../kit/pick.ts';
import { moment, type Unmeasured } from '../kit/screen.ts';

const whole = /^[0-9a-f]{32}$/i;
const part = /^[0-9a-f]{8,31}$/i;

/**
 * The id of a document, from an id or the first eight or more digits of one.
 * @throws Problem missing DOCUMENT_NOT_FOUND, conflict AMBIGUOUS
 */
export async function documentIdOf(client: Client, screen: Unmeasured, text: string): Promise<string> {
  if (whole.test(text)) return text.toLowerCase();
  const found = part.test(text) ? await documentsFrom(client, text.toLowerCase()) : [];
  const [one] = found;
  if (one === undefined)
    throw new Problem(
      'missing',
      'DOCUMENT_NOT_FOUND',
      `There is no document ${JSON.stringify(text)}. To list them, run: conclave quorum documents`,
    );
  if (found.length > 1)
    throw ambiguous(
      text,
      found.map(({ id, createdAt }) => ({ id, label: `sealed ${moment(screen, createdAt)}` })),
    );
  return one.id;
}

async function documentsFrom(client: Client, start: string): Promise<DocumentMetadata[]> {
  const { items } = await collectPages(client, quorumDocuments.listDocuments, {}, 'documents', {
    most: Number.POSITIVE_INFINITY,
  });
  return items.filter(({ id }) => id.startsWith(start));
}
