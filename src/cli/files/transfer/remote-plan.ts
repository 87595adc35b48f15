import type { Caller } from '../../../client/perform.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import { Problem } from '../../../base/problem.ts';
import { contentOf, wayTo } from '../listing.ts';
import { pathText, type RemotePath } from '../paths.ts';
import { placeAt, placeIfThere, type RemotePlace } from '../places.ts';
import { isGlob, pathMatches, type Excluding } from './globs.ts';
import { localName, localNames } from './local-names.ts';
import type { Failures } from './outcome.ts';
import { persistently, type Patience } from './patience.ts';
import { canLead } from './planning.ts';

/** A file of a server that is to be received. */
export interface RemoteFile {
  readonly file: FileItem;
  /** folders below the target, by names that are safe here */
  readonly below: readonly string[];
  /** safe, too */
  readonly name: string;
}

export interface RemotePlan {
  readonly files: RemoteFile[];
  readonly folders: (readonly string[])[];
}

/** What a path names, or all that a pattern matches. @throws Problem missing FOLDER_NOT_FOUND */
export async function placesOf(caller: Caller, path: RemotePath, excluded: Excluding): Promise<RemotePlace[]> {
  const fixed = path.names.findIndex(isGlob);
  if (fixed === -1) return [await placeAt(caller, path)];
  const literal = await placeIfThere(caller, path);
  if (literal !== undefined) return [literal];
  const root = await placeAt(caller, { ...path, names: path.names.slice(0, fixed) });
  const pattern = path.names.slice(fixed).map((part) => part.toLowerCase());
  const found: RemotePlace[] = [];
  const visit = async (folders: readonly Folder[], folder: Folder, names: readonly string[]): Promise<void> => {
    const above = folders.slice(0, -1).map(({ id }) => id);
    wayTo(caller, above, folder.id);
    const { files, subfolders } = await contentOf(caller, folder.id);
    // The server compares names without regard to case.
    for (const file of files)
      if (pathMatches(pattern, [...names, file.name.toLowerCase()]) && !excluded([...names, file.name], false))
        found.push({ folders, folder, file });
    for (const inner of subfolders) {
      const inside = [...names, inner.name.toLowerCase()];
      if (excluded([...names, inner.name], true)) continue;
      const way = [...folders, inner];
      if (pathMatches(pattern, inside)) found.push({ folders: way, folder: inner, file: null });
      else if (canLead(pattern, inside)) await visit(way, inner, inside);
    }
  };
  if (root.file === null) await visit(root.folders, root.folder, []);
  if (found.length > 0) return found;
  throw new Problem('missing', 'FOLDER_NOT_FOUND', `Nothing matches ${JSON.stringify(pathText(path))}.`);
}

/** @param rename a safe name for the only place */
export async function planReceiving(
  caller: Caller,
  places: readonly RemotePlace[],
  excluded: Excluding,
  failures: Failures,
  patience: Patience,
  rename?: string,
): Promise<RemotePlan> {
  const plan: RemotePlan = { files: [], folders: [] };
  const visit = async (
    folder: Folder,
    at: readonly string[],
    path: readonly string[],
    above: readonly string[],
  ): Promise<void> => {
    const way = wayTo(caller, above, folder.id);
    patience.signal?.throwIfAborted();
    plan.folders.push(at);
    const { files, subfolders } = await persistently(() => contentOf(caller, folder.id), patience);
    const wanted = [
      ...files
        .filter(({ name }) => !excluded([...path, name], false))
        .map((file) => ({ file, id: file.id, name: file.name })),
      ...subfolders
        .filter(({ name }) => !excluded([...path, name], true))
        .map((inner) => ({ inner, id: inner.id, name: inner.name })),
    ];
    const names = localNames(wanted);
    for (const [index, one] of wanted.entries()) {
      const name = names[index] ?? one.id;
      if ('file' in one) plan.files.push({ file: one.file, below: at, name });
      else await visit(one.inner, [...at, name], [...path, one.name], way);
    }
  };
  for (const { folder, file } of places) {
    const name = rename ?? localName(file?.name ?? folder.name, file?.id ?? folder.id);
    try {
      if (file === null) await visit(folder, [name], [], []);
      else plan.files.push({ file, below: [], name });
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'missing') throw error;
      failures.add(folder.name, error);
    }
  }
  return plan;
}
