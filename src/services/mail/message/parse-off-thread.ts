import type { Offload } from '../../../service/ports/workers.ts';
import { Problem } from '../../../base/problem.ts';
import { parseMessage, type ParsedMessage } from './parse.ts';
import { parseTask, type ParseJob } from './parse-task.ts';

/** Usual messages are shorter, and read in a few milliseconds. */
const INLINE_BYTES = 256 * 1024;

/** As `parseMessage`, but in a thread if the skeleton is long. @throws Problem unavailable OVERLOADED */
export async function parseOffThread(offload: Offload, job: ParseJob): Promise<ParsedMessage> {
  if (job.skeleton.length <= INLINE_BYTES) return await parseMessage(job.skeleton, job);
  try {
    return await offload.run(parseTask, job);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
    // Nobody made a message that needs so much memory. If somebody does, its beginning is better than nothing.
    const { problems, ...message } = await parseMessage(job.skeleton.subarray(0, INLINE_BYTES), job);
    return {
      ...message,
      problems: ['The message is too complicated to be read. Its beginning is shown.', ...problems].slice(0, 20),
    };
  }
}
