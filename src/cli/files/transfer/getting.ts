import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Caller } from '../../../client/perform.ts';
import { perform } from '../../../client/perform.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import { copyTo } from '../../kit/pager.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Teller } from '../../kit/waiting.ts';
import type { Ciphers } from '../ciphers.ts';
import type { RemotePath } from '../paths.ts';
import { fileAt, type RemotePlace } from '../places.ts';
import { excluding } from './globs.ts';
import { failures as newFailures, type Failures } from './outcome.ts';
import { refuseFolder, type TransferFlags } from './putting.ts';
import { receiveAll, type Received } from './receiving-all.ts';
import { placesOf, planReceiving } from './remote-plan.ts';
import { piecesOf, sourcesOf } from './source.ts';
import { assertEqual } from './verifying.ts';

export interface GetOutcome {
  readonly received: Received;
  readonly failures: Failures;
}

/** Receives what paths and patterns name, into a folder that is there, or under another name. */
export async function get(
  caller: Caller,
  from: readonly RemotePath[],
  to: string,
  flags: TransferFlags,
  { report }: Pick<Teller, 'report'>,
  signal: AbortSignal,
  ciphers: Ciphers,
): Promise<GetOutcome> {
  const open = sourcesOf(caller, ciphers);
  const failures = newFailures();
  const excluded = excluding(flags.exclude);
  const places: RemotePlace[] = [];
  for (const path of from) places.push(...(await placesOf(caller, path, excluded)));
  refuseFolder(places.find(({ file }) => file === null)?.folder.name, flags);
  const isFolder = (await stat(to).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder && places.length > 1)
    throw new Problem('invalid', 'USAGE', `${to} is no folder. Create it, and run the command again.`);
  const into = isFolder ? to : dirname(to);
  const rename = isFolder ? undefined : basename(to);
  const plan = await planReceiving(caller, places, excluded, failures, { signal }, rename);
  const { force, dryRun } = flags;
  const received = await receiveAll({ plan, into, open, failures, force, dryRun, report, signal });
  if (flags.verify)
    for (const { path, id } of [...received.received, ...received.present]) {
      signal.throwIfAborted();
      const file = await perform(caller, filevault.showMetadata, { id });
      const pieces = createReadStream(path) as AsyncIterable<Uint8Array>;
      await assertEqual(await open(file), path, pieces, { signal }).catch((error: unknown) =>
        failures.add(path, error),
      );
    }
  return { received, failures };
}

/** Writes one file to standard output. */
export async function getToOutput(
  { stdout }: Terminal,
  caller: Caller,
  from: RemotePath,
  ciphers: Ciphers,
): Promise<void> {
  const source = await sourcesOf(caller, ciphers)(await fileAt(caller, from));
  await copyTo(stdout, piecesOf(source, { start: 0, end: source.size }));
}
