import { task } from '../../../service/ports/task.ts';
import type { IndexedDocument, SearchDocument, SearchSpace } from '../../../platform/store/search/document.ts';

export interface IndexJob {
  readonly space: SearchSpace;
  readonly document: SearchDocument;
}

/** Makes the HMAC of every word of a long text: a twentieth of a second for each mailbox that gets it. */
export const indexTask = task<IndexJob, IndexedDocument>({
  name: 'index-mail',
  memory: 128,
  atOnce: 1,
  queued: 256,
  apart: true,
});
