import type { OpenedFile } from '../../../client/filevault/opened-file.ts';
import type { Caller } from '../../../client/perform.ts';
import { writeWhole } from '../../kit/body-files.ts';
import { copyTo } from '../../kit/pager.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { waitFor } from '../../kit/waiting.ts';

/** Writes a file of a client-encrypted container to a new file, which gets its name when every block was found to be right. */
export async function saveOpened(terminal: Terminal, caller: Caller, file: OpenedFile, path: string): Promise<void> {
  const { receiveFile } = await import('../../../client/filevault/opened-file.ts');
  await waitFor(terminal, 'Receiving', async ({ report }) => {
    const onProgress = (done: number, total: number): void => report({ what: 'receiving', done, total });
    await writeWhole(path, async (sink) => await receiveFile(caller, file, sink, { onProgress }));
  });
}

/** The same to standard output. What was written before a damage shows was authenticated for its place. */
export async function writeOpened(terminal: Terminal, caller: Caller, file: OpenedFile): Promise<void> {
  const { readFile } = await import('../../../client/filevault/opened-file.ts');
  await copyTo(terminal.stdout, readFile(caller, file));
}
