import type { Work } from '../../../offload/task.ts';
import { indexed, type IndexedDocument } from '../../../store/search/document.ts';
import type { IndexJob } from './index-task.ts';

export const indexWork: Work<IndexJob, IndexedDocument> = async ({ space, document }) => indexed(space, document);
