import type { FileHandle } from 'node:fs/promises';
import { nodeFiles, type StoreFiles } from '../../src/platform/store/files.ts';

/**
 * What a disk does to those who store blocks: flushes fail, nothing can be created or renamed, files take no byte, or names can't be
 * changed any more.
 */
export type DiskFault = 'flush' | 'read-only' | 'write' | 'rename';

export interface FailingFiles {
  readonly files: StoreFiles;
  fault: DiskFault | undefined;
  /** calls that failed */
  failed: number;
}

/** The real disk with a switch. */
export function failingFiles(): FailingFiles {
  const self: FailingFiles = {
    files: { ...nodeFiles, open, rename, mkdir: mkdir as StoreFiles['mkdir'] },
    fault: undefined,
    failed: 0,
  };
  function fail(code: string): never {
    self.failed += 1;
    throw Object.assign(new Error(`${code}: made by a test`), { code });
  }
  async function open(...[path, flags, mode]: Parameters<StoreFiles['open']>): Promise<FileHandle> {
    const isNew = flags === 'wx';
    if (isNew && self.fault === 'read-only') fail('EROFS');
    let handle = await nodeFiles.open(path, flags, mode);
    if (isNew && self.fault === 'write') {
      await handle.close();
      // A thread writes to it by its number, and gets the error of the system.
      handle = await nodeFiles.open(path, 'r');
      self.failed += 1;
    }
    for (const flush of ['sync', 'datasync'] as const) {
      const original = handle[flush].bind(handle);
      handle[flush] = async () => (self.fault === 'flush' ? fail('EIO') : await original());
    }
    return handle;
  }
  async function rename(...parameters: Parameters<StoreFiles['rename']>): Promise<void> {
    if (self.fault === 'rename') fail('EIO');
    if (self.fault === 'read-only') fail('EROFS');
    await nodeFiles.rename(...parameters);
  }
  async function mkdir(...parameters: Parameters<StoreFiles['mkdir']>): Promise<string | undefined> {
    // What is there is no error.
    if (self.fault === 'read-only' && (await nodeFiles.stat(parameters[0]).catch(() => undefined)) === undefined)
      fail('EROFS');
    return await nodeFiles.mkdir(...parameters);
  }
  return self;
}
