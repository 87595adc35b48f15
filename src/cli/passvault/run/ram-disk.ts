import { constants } from 'node:fs';
import { access, chmod, mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';

/** Types of file systems that exist only in memory, from statfs(2). */
const inMemory = new Set([0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */]);

export interface RamOptions {
  readonly env: NodeJS.ProcessEnv;
  /** allows an ordinary folder if no folder is in memory */
  readonly allowDisk: boolean;
  /** places to try before those that the environment names */
  readonly candidates?: readonly string[];
}

/** A folder that only this user can enter. On disposal, its contents are overwritten and deleted. */
export interface RamFolder extends AsyncDisposable {
  readonly path: string;
  readonly inMemory: boolean;
}

/** @throws Problem unavailable RAM_DISK_MISSING */
export async function openRamFolder({ env, allowDisk, candidates = ['/dev/shm'] }: RamOptions): Promise<RamFolder> {
  const parent = await firstInMemory([...candidates, env['XDG_RUNTIME_DIR'] ?? '']);
  if (parent === undefined && !allowDisk) {
    const message =
      'There is no RAM disk (/dev/shm or XDG_RUNTIME_DIR), and traces of the secrets would remain on a disk. Use --allow-disk to edit on a disk, or assignments such as username=alice, which need no file.';
    throw new Problem('unavailable', 'RAM_DISK_MISSING', message);
  }
  const path = await mkdtemp(join(parent ?? tmpdir(), 'conclave-edit-'));
  await chmod(path, 0o700);
  return {
    path,
    inMemory: parent !== undefined,
    async [Symbol.asyncDispose]() {
      await wipe(path);
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function firstInMemory(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    if (folder === '') continue;
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      if (inMemory.has((await statfs(folder)).type)) return folder;
    } catch {
      // The folder is missing or belongs to another user. The next one is tried.
    }
  }
  return undefined;
}

/** Overwrites all files, including swap and backup files of an editor. */
async function wipe(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      const { size } = await stat(path);
      await using file = await open(path, 'r+');
      await file.write(Buffer.alloc(size), 0, size, 0);
    } catch {
      // The file is deleted even if it cannot be overwritten.
    }
  }
}
