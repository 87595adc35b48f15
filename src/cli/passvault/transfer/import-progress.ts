import { setTimeout as sleep } from 'node:timers/promises';
import { perform, type Caller } from '../../../client/perform.ts';
import type { ImportStage } from '../../../contract/passvault/transfer.ts';
import { passvault } from '../../../contract/passvault.ts';
import type { Teller } from '../../kit/waiting.ts';

const everyMs = 250;

const stages: Readonly<Record<ImportStage, string>> = {
  reading: 'reading the file',
  comparing: 'looking for duplicates',
  encrypting: 'encrypting entries',
  attaching: 'encrypting attachments',
  storing: 'storing entries',
};

/**
 * Polls the progress of an import during its request, and shows it. Nothing is shown if the progress is unknown, because the server has
 * several processes or is an older version.
 */
export async function withImportProgress<T>(
  caller: Caller,
  vaultId: string,
  { report }: Teller,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const ask = async () => {
    const { running } = await perform(caller, passvault.importProgress, { vaultId }, over.signal);
    if (running !== null && !over.signal.aborted)
      report({ what: `${what}: ${stages[running.stage]}`, done: running.done, total: running.total });
  };
  const asking = repeat(ask, over.signal);
  try {
    return await work;
  } finally {
    over.abort();
    await asking;
  }
}

/** Runs until it is aborted. A failure ends only the progress display, not the import. */
async function repeat(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await sleep(everyMs, undefined, { signal });
      await work();
    }
  } catch {
    // The import is over, or its progress is unknown.
  }
}
