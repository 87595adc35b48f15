import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtFolder } from '../../base/built-folder.ts';
import { readSharePage } from '../../http/pages/share-page.ts';
import { ownThreads } from '../../platform/workers/start-thread.ts';

/**
 * Says beside the program that this process runs from there. A build that replaces the program keeps what was made for such a process, which
 * loads much of it when it is first needed; see scripts/kept-files.mjs. Where this process may not write, only another user builds.
 */
export async function sayRunning(): Promise<AsyncDisposable> {
  const folder = builtFolder();
  if (folder === undefined) return { [Symbol.asyncDispose]: async () => undefined };
  // What is named the same in each build has to be known before there is another one.
  ownThreads();
  void readSharePage().catch(() => undefined);
  const marks = join(folder, 'running');
  const mark = join(marks, String(process.pid));
  await mkdir(marks, { recursive: true })
    .then(async () => await writeFile(mark, ''))
    .catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      await rm(mark, { force: true }).catch(() => undefined);
      // Others may run from there.
      await rmdir(marks).catch(() => undefined);
    },
  };
}
