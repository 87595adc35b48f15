import { perform, type Caller } from '../../client/perform.ts';
import type { FileItem, Folder } from '../../contract/filevault/fields.ts';
import { filevaultLimits } from '../../contract/filevault/limits.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export interface Sorting {
  readonly sortField: 'name' | 'size' | 'modifiedDate' | 'type';
  readonly sortDirection: 'asc' | 'desc';
}

export interface Listed {
  readonly subfolders: Folder[];
  readonly files: FileItem[];
}

/** Everything that the caller sees in a folder, page by page. */
export async function contentOf(
  caller: Caller,
  id: string,
  sorting: Sorting = { sortField: 'name', sortDirection: 'asc' },
): Promise<Listed> {
  const all: Listed = { subfolders: [], files: [] };
  for (let cursor: string | undefined; ;) {
    const page = { limit: filevaultLimits.page, ...(cursor !== undefined && { cursor }) };
    const reply = await perform(caller, filevault.showFolder, { id, ...sorting, ...page });
    for (const folder of reply.subfolders) all.subfolders.push(folder);
    for (const file of reply.files) all.files.push(file);
    if (!reply.hasMore || reply.cursor === undefined) return all;
    ({ cursor } = reply);
  }
}

/**
 * The way down to a folder, by ids. Whoever follows what a server lists needs an end of it.
 * @throws Problem network BAD_REPLY if the folder is in itself, or deeper than folders can be
 */
export function wayTo({ place }: Caller, above: readonly string[], id: string): readonly string[] {
  if (!above.includes(id) && above.length <= filevaultLimits.depth) return [...above, id];
  throw new Problem('network', 'BAD_REPLY', `${place} lists folders that are in each other without an end.`);
}

/** Folders first; their names end with a slash. */
export function contentTable(screen: Screen, { subfolders, files }: Listed): string {
  const rows = [
    ...subfolders.map(({ name, id, updatedAt }) => ({
      name: `${name}/`,
      size: '-',
      type: 'folder',
      id,
      at: updatedAt,
    })),
    ...files.map((file) => fileRow(screen, file)),
  ];
  return table(screen, rows, [
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'SIZE', of: ({ size }) => size, whole: true },
    { title: 'CHANGED', of: ({ at }) => moment(screen, at), whole: true },
    { title: 'TYPE', of: ({ type }) => type },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}

export function fileTable(screen: Screen, files: readonly FileItem[]): string {
  return contentTable(screen, { subfolders: [], files: [...files] });
}

function fileRow({ width }: Screen, { name, sizeBytes, mimeType, id, modifiedAt }: FileItem) {
  // Programs get the exact number.
  const size = Number.isFinite(width) ? bytes(sizeBytes) : String(sizeBytes);
  return { name, size, type: mimeType, id, at: modifiedAt };
}
