import { setMaxListeners } from 'node:events';
import type { Caller } from '../../../client/perform.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { waitFor } from '../../kit/waiting.ts';
import type { Ciphers } from '../ciphers.ts';
import { sendFile, type Outgoing } from './sending.ts';

/** Files that are sent side by side; each sends its chunks side by side. */
const AT_ONCE = 4;

/** Sends files, with one bar for all of them. The first that fails ends it; what was stored stays. */
export async function sendAll(
  terminal: Terminal,
  caller: Caller,
  files: readonly Outgoing[],
  ciphers: Ciphers,
): Promise<FileDetail[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const stored: FileDetail[] = [];
  // Before the bar, because this may ask for the key of the member.
  for (const { folder } of files) await ciphers(folder.vaultContainerId);
  await waitFor(terminal, 'Sending', async ({ report }) => {
    const left = files.map((file, index) => ({ file, index }));
    const stop = new AbortController();
    // Every chunk in flight listens, and Node warns from the eleventh listener on.
    setMaxListeners(0, stop.signal);
    let done = 0;
    const moved = (bytes: number): void => report({ what: 'sending', done: (done += bytes), total });
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        stop.signal.throwIfAborted();
        stored[next.index] = await sendFile(caller, next.file, moved, ciphers, stop.signal);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, work));
    } finally {
      stop.abort();
    }
  });
  return stored;
}
