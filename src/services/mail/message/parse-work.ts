import type { Work } from '../../../service/ports/task.ts';
import type { ParseJob } from './parse-task.ts';
import { parseMessage, type ParsedMessage } from './parse.ts';

export const parseWork: Work<ParseJob, ParsedMessage> = async (job) => await parseMessage(job.skeleton, job);
