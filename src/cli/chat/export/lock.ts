import { Problem } from '../../../base/problem.ts';
import { acquireLock } from '../../../platform/store/lock.ts';

/** Makes this process the only one that exports into a folder. @throws Problem conflict EXPORT_IN_USE */
export async function lockExport(folder: string): Promise<AsyncDisposable> {
  try {
    return await acquireLock(folder, 'conclave chat export');
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'STORE_IN_USE') throw cause;
    const words = `Another process exports into ${folder}. Try again when it has ended.`;
    throw new Problem('conflict', 'EXPORT_IN_USE', words, { cause });
  }
}
