import { Problem } from '../../../base/problem.ts';
import { acquireLock } from '../../../platform/store/lock.ts';

/** Makes this process the only one that synchronises a pair. @throws Problem conflict SYNC_IN_USE */
export async function lockPair(folder: string, local: string): Promise<AsyncDisposable> {
  try {
    return await acquireLock(folder, 'conclave files sync');
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'STORE_IN_USE') throw cause;
    const words = `Another process synchronises ${local}. Try again when it has ended.`;
    throw new Problem('conflict', 'SYNC_IN_USE', words, { cause });
  }
}
