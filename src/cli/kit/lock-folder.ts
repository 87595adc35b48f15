import { Problem } from '../../base/problem.ts';
import type { ProblemCode } from '../../base/problem-codes.ts';
import { acquireLock } from '../../platform/store/lock.ts';

/**
 * Makes this process the only one that works in a folder, until the lock is disposed or the process ends.
 *
 * @param command as people call it
 * @param inUse what is said while another process has it
 * @throws Problem conflict with the code of `inUse`
 */
export async function lockFolder(
  folder: string,
  command: string,
  inUse: { readonly code: ProblemCode; readonly message: string },
): Promise<AsyncDisposable> {
  try {
    return await acquireLock(folder, command);
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'STORE_IN_USE') throw cause;
    throw new Problem('conflict', inUse.code, inUse.message, { cause });
  }
}
