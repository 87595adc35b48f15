import type { Work } from '../../../service/ports/task.ts';
import { indexed, type IndexedDocument } from '../../../platform/store/search/document.ts';
import type { IndexJob } from './index-task.ts';

export const indexWork: Work<IndexJob, IndexedDocument> = async ({ space, document }) => indexed(space, document);
