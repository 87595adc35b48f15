import { join } from 'node:path';
import { lockFolder } from '../../kit/lock-folder.ts';

/**
 * Makes this process the only one that synchronises a Maildir, until the lock is disposed or the process ends. The lock is in `tmp`, where
 * mail programs look at nothing.
 *
 * @throws Problem conflict MAILDIR_IN_USE
 */
export async function lockMaildir(root: string): Promise<AsyncDisposable> {
  const message = `Another process synchronises ${root}. Try again when it has ended.`;
  return await lockFolder(join(root, 'tmp'), 'conclave mail sync', { code: 'MAILDIR_IN_USE', message });
}
