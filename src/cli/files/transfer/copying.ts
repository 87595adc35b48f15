import type { Caller } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import type { Teller } from '../../kit/waiting.ts';
import { pathText, type RemotePath } from '../paths.ts';
import type { RemotePlace } from '../places.ts';
import type { Ciphers } from '../ciphers.ts';
import { contentOf, wayTo } from '../listing.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import { excluding } from './globs.ts';
import { failures as newFailures } from './outcome.ts';
import { refuseFolder, type PutOutcome, type TransferFlags } from './putting.ts';
import { placesOf } from './remote-plan.ts';
import { sendAll, targetOf, type Item } from './sending-all.ts';
import type { Content } from './outgoing.ts';
import { piecesOf, sourcesOf, type Source } from './source.ts';

/**
 * Copies inside of the server. It has no operation for that, so the bytes come here and go back, chunk by chunk, and never to the disk of
 * this machine.
 */
export async function copyRemote(
  caller: Caller,
  from: readonly RemotePath[],
  to: RemotePath,
  flags: TransferFlags,
  { report }: Pick<Teller, 'report'>,
  signal: AbortSignal,
  ciphers: Ciphers,
): Promise<PutOutcome> {
  const failures = newFailures();
  const excluded = excluding(flags.exclude);
  const places: RemotePlace[] = [];
  for (const path of from) places.push(...(await placesOf(caller, path, excluded)));
  const folder = places.find(({ file }) => file === null)?.folder;
  refuseFolder(folder?.name, flags);
  const target = await targetOf(caller, to, folder === undefined ? places.length : 2);
  // What is listed before anything is copied can't grow while it is copied into itself.
  if (places.some(({ folder: { id }, file }) => file === null && id === target.folder.id))
    throw new Problem('invalid', 'USAGE', `${pathText(to)} cannot be copied into itself. Choose another folder.`);
  const open = sourcesOf(caller, ciphers);
  const [items, folders]: [Item[], string[][]] = [[], []];
  const add = async (file: FileItem, below: readonly string[], name: string): Promise<void> => {
    const content = remoteContent(file, await open(file));
    items.push({ content, below, name, mimeType: file.mimeType });
  };
  const visit = async (inner: Folder, at: string[], above: readonly string[]): Promise<void> => {
    const way = wayTo(caller, above, inner.id);
    folders.push(at);
    const { files, subfolders } = await contentOf(caller, inner.id);
    for (const file of files) if (!excluded([...at.slice(1), file.name], false)) await add(file, at, file.name);
    for (const one of subfolders)
      if (!excluded([...at.slice(1), one.name], true)) await visit(one, [...at, one.name], way);
  };
  for (const place of places) {
    if (place.file === null) await visit(place.folder, [place.folder.name], []);
    else await add(place.file, [], target.rename ?? place.file.name);
  }
  const { force, dryRun } = flags;
  const sent = await sendAll({ caller, ciphers, target, items, folders, failures, force, dryRun, report, signal });
  return { sent, leftOut: [], failures };
}

function remoteContent({ name, modifiedAt, updatedAt }: FileItem, source: Source): Content {
  return {
    label: name,
    size: source.size,
    modifiedAt: Date.parse(modifiedAt),
    changedAt: Date.parse(updatedAt),
    // It would come over the network twice. The hash of what arrived is compared afterwards instead.
    rereads: false,
    pieces: (start, end) => piecesOf(source, { start, end }),
    // A version never changes.
    assertUnchanged: async () => {},
  };
}
