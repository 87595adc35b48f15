import type { WorkThread } from '../../../../service/ports/task.ts';
import { fromBase64 } from '../../../../shared/attachments/base64.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { duplicateKey } from './duplicate.ts';
import { packBatches } from './import-batch.ts';
import { MAX_IMPORT_BYTES } from './import-run.ts';
import type { ImportJob, ReadFile, ReadSoFar } from './import-task.ts';
import { parseImport } from './parse.ts';

/** Reads a file in its own thread. */
export async function readImport(job: ImportJob, thread: WorkThread<ReadSoFar>): Promise<ReadFile> {
  const { format, password, columns, includeRecycleBin, withKeys } = job;
  const bytes = fromBase64('fileContent', job.fileContent);
  if (bytes.length > MAX_IMPORT_BYTES) throw fieldProblem('fileContent', 'must be at most 50 MiB');
  let told = -1;
  const onRead = (done: number, total: number): void => {
    const hundredth = Math.floor((100 * done) / Math.max(total, 1));
    // The end is always reported exactly.
    if (hundredth === told && done < total - 4) return;
    told = hundredth;
    thread.tell({ done, total });
  };
  const { records, skipped, errors, notices, ...parsed } = await parseImport(format, bytes, {
    ...(password !== undefined && { password }),
    ...(columns !== undefined && { columns }),
    includeRecycleBin,
    onRead,
    native: async (work) => await thread.native(work),
  });
  const types = records.map(({ entry }) => entry.type);
  const keys = withKeys ? records.map(({ entry }) => duplicateKey(entry)) : [];
  const packed = packBatches(records);
  thread.transfer.push(...[...packed.batches, ...packed.contents].map(({ buffer }) => buffer));
  return { format: parsed.format, ...packed, types, keys, skipped: skipped.length, errors, notices };
}
