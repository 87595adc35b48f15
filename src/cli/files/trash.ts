import { collectPages } from '../../client/pages.ts';
import { perform, type Caller } from '../../client/perform.ts';
import type { TrashItem } from '../../contract/filevault/trash.ts';
import { filevault } from '../../contract/filevault.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

/** @param containerId undefined: of all containers */
export async function trashOf(caller: Caller, containerId: string | undefined): Promise<TrashItem[]> {
  const filter = containerId === undefined ? {} : { vaultContainerId: containerId };
  return (await collectPages(caller, filevault.listTrash, filter, 'items')).items;
}

export function trashTable(screen: Screen, items: readonly TrashItem[]): string {
  return table(screen, items, [
    { title: 'NAME', of: ({ name, itemType }) => (itemType === 'folder' ? `${name}/` : name), main: true },
    { title: 'SIZE', of: ({ sizeBytes }) => bytes(sizeBytes), whole: true },
    { title: 'DELETED', of: ({ deletedAt }) => moment(screen, deletedAt), spare: true },
    { title: 'GOES', of: ({ goesAt }) => (goesAt === null ? 'by hand' : moment(screen, goesAt)), whole: true },
    { title: 'ID', of: ({ id }) => id, whole: true },
  ]);
}

export interface Emptied {
  files: number;
  folders: number;
  bytes: number;
  failed: { id: string; error: string }[];
}

/** Empties the trash of a container, request after request. */
export async function emptyTrashOf(caller: Caller, vaultContainerId: string): Promise<Emptied> {
  const all: Emptied = { files: 0, folders: 0, bytes: 0, failed: [] };
  for (;;) {
    const done = await perform(caller, filevault.emptyTrash, { vaultContainerId });
    all.files += done.files;
    all.folders += done.folders;
    all.bytes += done.bytes;
    all.failed = done.failed;
    if (!done.more) return all;
  }
}
