import type { Caller } from '../../client/perform.ts';
import type { FileItem, Folder } from '../../contract/filevault/fields.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { contentOf } from './listing.ts';

/** A folder with what is inside it. */
export interface FolderTree {
  readonly id: string;
  readonly name: string;
  readonly folders: FolderTree[];
  readonly files: Pick<FileItem, 'id' | 'name' | 'sizeBytes' | 'modifiedAt'>[];
}

/** @param depth how many levels of folders to read */
export async function walkTree(caller: Caller, { id, name }: Folder, depth: number): Promise<FolderTree> {
  const { subfolders, files } = await contentOf(caller, id);
  const folders: FolderTree[] = [];
  for (const folder of subfolders)
    folders.push(
      depth > 1
        ? await walkTree(caller, folder, depth - 1)
        : { id: folder.id, name: folder.name, folders: [], files: [] },
    );
  return {
    id,
    name,
    folders,
    files: files.map((file) => ({
      id: file.id,
      name: file.name,
      sizeBytes: file.sizeBytes,
      modifiedAt: file.modifiedAt,
    })),
  };
}

export function treeLines({ name, ...inside }: FolderTree): string[] {
  return [`${escapeForTerminal(name)}/`, ...linesBelow(inside, '')];
}

function linesBelow({ folders, files }: Omit<FolderTree, 'id' | 'name'>, indent: string): string[] {
  const count = folders.length + files.length;
  const branch = (index: number): string => `${indent}${index === count - 1 ? '└── ' : '├── '}`;
  const further = (index: number): string => `${indent}${index === count - 1 ? '    ' : '│   '}`;
  return [
    ...folders.flatMap((folder, index) => [
      `${branch(index)}${escapeForTerminal(folder.name)}/`,
      ...linesBelow(folder, further(index)),
    ]),
    ...files.map((file, index) => `${branch(folders.length + index)}${escapeForTerminal(file.name)}`),
  ];
}
