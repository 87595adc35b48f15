import { constants } from 'node:fs';
import { access, chmod, mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../../problem.ts';

/** statfs(2): file systems that are in memory alone. */
const inMemory = new Set([0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */]);

export interface RamOptions {
  readonly env: NodeJS.ProcessEnv;
  /** takes an ordinary folder where there is none in memory */
  readonly allowDisk: boolean;
  /** where to look, before what the environment names */
  readonly candidates?: readonly string[];
}

/** A folder that only this user can enter, with everything in it overwritten and gone when it is disposed of. */
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
      // Not there, or not ours: the next one.
    }
  }
  return undefined;
}

/** Swap and backup files that an editor left are overwritten as well. */
async function wipe(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      const { size } = await stat(path);
      await using file = await open(path, 'r+');
      await file.write(Buffer.alloc(size), 0, size, 0);
    } catch {
      // It is removed all the same.
    }
  }
}
