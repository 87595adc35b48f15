import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { temporaryFolder } from './stores.ts';

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** @param size as mount takes it, such as `32m` */
  resize(size: string): Promise<void>;
}

/** A disk of its own, in memory. @returns undefined where nobody may mount one */
export async function mountSmallDisk(size: string): Promise<SmallDisk | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = await temporaryFolder();
  const path = join(folder.path, 'disk');
  await mkdir(path);
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { reject: false });
  if (mounted.exitCode !== 0) {
    await folder[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    path,
    resize: async (other) => void (await execa('mount', ['-o', `remount,size=${other}`, path])),
    async [Symbol.asyncDispose]() {
      await execa('umount', [path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A small disk can be had where the tests run as root, and the container lets root mount. */
export async function canMount(): Promise<boolean> {
  await using disk = await mountSmallDisk('1m');
  return disk !== undefined;
}
