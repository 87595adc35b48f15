import type { Caller } from '../../../client/perform.ts';
import type { ServerMessage } from '../transfer/changes.ts';
import type { FileSteps } from './file-steps.ts';
import type { Journal } from './journal.ts';
import { hashOf, pathOf, type LocalFile } from './scan.ts';

/** Files that belong to no message that is known. */
export interface LooseFiles {
  all(): readonly LocalFile[];
  withHash(hash: string): readonly LocalFile[];
  has(file: LocalFile): boolean;
  hashOf(file: LocalFile): string;
  take(file: LocalFile): void;
}

const ofOneFile = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EIO']);

/** Whether an error of the file system says nothing of other files. */
export function isOfOneFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && ofOneFile.has(String(error.code));
}

/** One synchronisation. */
export interface Sync {
  readonly caller: Caller;
  readonly root: string;
  readonly journal: Journal;
  readonly files: FileSteps;
  readonly loose: LooseFiles;
  /** what the server says of messages that changed since the last time */
  readonly changed: ReadonlyMap<string, ServerMessage>;
  /** called before every change at the server */
  readonly step: () => void;
}

/**
 * A file that goes away in the meantime is left out.
 * @param unreadable hears of a file that can't be read, and is left out too
 * @throws the error of the file system, if it is not of one file
 */
export async function looseFiles(
  root: string,
  files: readonly LocalFile[],
  unreadable: (file: LocalFile, error: Error) => void,
): Promise<LooseFiles> {
  const hashes = new Map<LocalFile, string>();
  const byHash = new Map<string, Set<LocalFile>>();
  for (const file of files) {
    const hash = await hashOf(pathOf(root, file)).catch((error: unknown) => {
      if (!isOfOneFile(error)) throw error;
      if (error.code !== 'ENOENT') unreadable(file, error);
      return undefined;
    });
    if (hash === undefined) continue;
    hashes.set(file, hash);
    byHash.set(hash, (byHash.get(hash) ?? new Set()).add(file));
  }
  const hashOfLoose = (file: LocalFile) => hashes.get(file) ?? '';
  return {
    all: () => [...hashes.keys()],
    withHash: (hash) => [...(byHash.get(hash) ?? [])],
    has: (file) => hashes.has(file),
    hashOf: hashOfLoose,
    take(file) {
      byHash.get(hashOfLoose(file))?.delete(file);
      hashes.delete(file);
    },
  };
}
