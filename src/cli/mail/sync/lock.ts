import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { acquireLock } from '../../../platform/store/lock.ts';

/**
 * Makes this process the only one that synchronises a Maildir, until the lock is disposed or the process ends. The lock is in `tmp`, where
 * mail programs look at nothing.
 *
 * @throws Problem conflict MAILDIR_IN_USE
 */
export async function lockMaildir(root: string): Promise<AsyncDisposable> {
  try {
    return await acquireLock(join(root, 'tmp'), 'conclave mail sync');
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'STORE_IN_USE') throw cause;
    const words = `Another process synchronises ${root}. Try again when it has ended.`;
    throw new Problem('conflict', 'MAILDIR_IN_USE', words, { cause });
  }
}
